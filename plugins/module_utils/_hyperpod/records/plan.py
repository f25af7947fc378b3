# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Plans the change of a cluster's records to the desired one. No I/O."""

from __future__ import annotations

import typing as t

from ..._core.failure import Refused
from ..._core.plan import Change, Plan, Step
from .model import Desired, Record, State

PUT, DELETE = "PutParameter", "DeleteParameter"


def plan(desired: Desired, state: State) -> Plan:
    """:raises Refused: as :func:`refuse_bad`, except for a removal, because the removed record may be invalid."""
    if not desired.present:
        return _plan_absent(desired, state)
    refuse_bad(state)
    return _plan_present(desired, state) if desired.kind else Plan()


def refuse_bad(state: State) -> None:
    """:raises Refused: for invalid records that must not be ignored, because a run would then revert a decision."""
    guarding = [str(each) for each in state.bad if each.guards]
    if guarding:
        raise Refused(" ".join(guarding))


def _plan_present(desired: Desired, state: State) -> Plan:
    """An unchanged record keeps its owner and date."""
    before = state.record(desired.kind, desired.name)
    if before is not None and _own(before) == desired.value:
        return Plan()
    exists = before is not None
    arguments = {"kind": desired.kind, "name": desired.name, "text": desired.text, "exists": exists}
    change = Change("update" if exists else "create", desired.resource, None, before, desired.record)
    return Plan((Step(PUT, arguments, (change,), lambda state: _after(desired, state, desired.record)),))


def _plan_absent(desired: Desired, state: State) -> Plan:
    if not state.is_there(desired.kind, desired.name):
        return Plan()
    change = Change("delete", desired.resource, None, state.record(desired.kind, desired.name) or {})
    arguments = {"kind": desired.kind, "name": desired.name}
    return Plan((Step(DELETE, arguments, (change,), lambda state: _after(desired, state, None)),))


def _after(desired: Desired, state: State, record: Record | None) -> State:
    return state.with_record(desired.kind, desired.name, record)


def _own(record: Record) -> dict[str, t.Any]:
    return {key: value for key, value in record.items() if key not in ("owner", "since")}
