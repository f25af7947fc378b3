# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The plan to end all sessions."""

from __future__ import annotations

from ...._core.plan import Change, Plan, Step
from .model import Desired, State


def plan(desired: Desired, state: State) -> Plan:
    """At most one step, which ends all sessions."""
    if not desired.end or not state:
        return Plan()
    changes = tuple(
        Change("delete", f"session {each.id} of {each.user}", None, {"state": each.state, "since": each.since}) for each in state
    )
    return Plan(steps=(Step("EndSessions", {"sessions": state}, changes, effect=lambda _state: ()),))
