# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Whether a test can start. No I/O."""

from __future__ import annotations

from ...._kubernetes.nodes.devices import State
from ...._kubernetes.nodes.idle import BUSY, FEWER_DEVICES, UNAVAILABLE, why_not_idle
from ...node.nccl.model import ALLOCATION, DEVICES, JOBS, NOT_RUN, Outcome
from .model import Desired

FAILURES = {UNAVAILABLE: ALLOCATION, BUSY: JOBS, FEWER_DEVICES: DEVICES}


def refusal(desired: Desired, state: State) -> Outcome | None:
    """Why the test can't start; None if it can."""
    reason = why_not_idle(desired.nodes, state, gpus=desired.test.gpus, efa=desired.test.efa)
    return Outcome(NOT_RUN, reason.text, FAILURES[reason.kind], desired.nodes) if reason else None
