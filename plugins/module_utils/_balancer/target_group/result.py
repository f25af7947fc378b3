# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Return values of a target group."""

from __future__ import annotations

import typing as t

from .model import Desired, State, TargetGroup


def result(desired: Desired, state: State) -> dict[str, t.Any]:
    found = state.target_group
    return {"target_group": {"exists": False, "name": desired.name} if found is None else target_group_result(found)}


def target_group_result(found: TargetGroup) -> dict[str, t.Any]:
    return {
        "exists": True,
        "target_group_arn": found.arn,
        "name": found.name,
        **found.properties,
        "health_check": dict(found.health_check),
        "attributes": dict(found.attributes),
        "tags": dict(found.tags),
        "load_balancer_arns": list(found.load_balancer_arns),
    }
