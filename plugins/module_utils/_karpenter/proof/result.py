# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The proof as the module returns it."""

from __future__ import annotations

import typing as t

from ..._core.plan import KNOWN_AFTER_APPLY
from .model import Desired, State


def result(desired: Desired, state: State) -> dict[str, t.Any]:
    proof = state.proof
    if proof is None:
        raise AssertionError("the final state has no proof")
    of_groups = proof.choice.groups
    return {
        "proven": proof.proven,
        "node_pool": desired.node_pool,
        "pod": desired.pod,
        "instance_type": proof.choice.instance_type,
        "instance_group": proof.group or (of_groups[0] if len(of_groups) == 1 else KNOWN_AFTER_APPLY),
        "price": proof.choice.cost.to_result(),
        "candidates": [each.to_result() for each in state.candidates],
        "timeline": [each.to_result() for each in proof.timeline],
        "seconds_up": proof.seconds_up,
        "seconds_down": proof.seconds_down,
    }
