# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Plans the change from the recorded to the desired full look. No I/O."""

from __future__ import annotations

import dataclasses

from ..._core.plan import Change, Plan, Step
from .model import SETTINGS, Desired, FullLook, State

PUT, DELETE = "PutParameter", "DeleteParameter"


def plan(desired: Desired, state: State, *, name: str) -> Plan:
    """``name``: the name of the parameter."""
    if desired.hindrances:
        return Plan()
    if desired.look is None:
        return _plan_absent(state, f"parameter {name}")
    return _plan_present(desired.look, state, f"parameter {name}")


def _plan_present(look: FullLook, state: State, resource: str) -> Plan:
    """A failed full look is recorded only to invalidate the record of a successful one, or an unreadable record, or if it applied
    another declaration.

    The latest complete full look stays in the record, and so does the last known declaration. Times in UTC have the order of their
    texts.
    """
    known, declared = (state.look.complete, state.look.declared) if state.look is not None else ("", {})
    is_void = not state.exists or (state.look is not None and not state.look.well)
    applied_others = state.look is not None and any(look.declared.get(part) not in (None, declared.get(part)) for part in SETTINGS)
    if not look.well and is_void and look.complete <= known and not applied_others:
        return Plan()
    look = dataclasses.replace(look, complete=max(look.complete, known), declared=look.declared or declared)
    action, before = "update" if state.exists else "create", state.look and state.look.looked
    change = Change(action, resource, "looked", before, look.looked)
    arguments = {"text": look.to_json(), "exists": state.exists}
    return Plan((Step(PUT, arguments, (change,), lambda state: State(look, exists=True)),))


def _plan_absent(state: State, resource: str) -> Plan:
    if not state.exists:
        return Plan()
    return Plan((Step(DELETE, {}, (Change("delete", resource),), lambda state: State()),))
