# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The changes from the existing objects to the declared ones. No I/O."""

from __future__ import annotations

import copy
import dataclasses
import typing as t

from ..._core.failure import Refused
from ..._core.plan import Change, Plan, Step
from ..client import Object
from .compare import Difference, differences
from .model import Desired, Found, Kind, State

APPLY, DELETE = "Apply", "Delete"


def plan(desired: Desired, state: State) -> Plan:
    """:raises Refused: if an object of another owner has the name of a declared one."""
    if not (desired.adopt or desired.keep_foreign):
        _check(state)
    steps = _applying if desired.present else _deleting
    found = [each for each in state.found if not (desired.keep_foreign and _is_foreign(each))]
    return Plan(tuple(step for each in found for step in steps(each)))


def _is_foreign(found: Found) -> bool:
    return found.live is not None and not found.ours and not found.leaving


def _check(state: State) -> None:
    theirs = [each.declared.described for each in state.found if _is_foreign(each)]
    if theirs:
        raise Refused(
            f"Existing objects were not created by mlfleet.hyperpod: {', '.join(theirs)}. Choose other names, or set "
            "adopt=true to take over the existing objects."
        )


def _applying(found: Found) -> t.Iterator[Step]:
    resource = found.declared.described
    if found.live is None or found.leaving:
        yield _step(APPLY, found, [Change("create", resource)], lambda: found.declared.definition)
        return
    wrong = differences(found.declared.definition, found.live)
    if wrong:
        changes = [Change("update", resource, each.field, each.before, each.after) for each in wrong]
        yield _step(APPLY, found, changes, lambda: _after(found.live or {}, wrong))


def _deleting(found: Found) -> t.Iterator[Step]:
    if found.live is not None and not found.leaving:
        yield _step(DELETE, found, [Change("delete", found.declared.described)], lambda: None)


def _step(operation: str, found: Found, changes: t.Sequence[Change], after: t.Callable[[], Object | None]) -> Step:
    def effect(state: State) -> State:
        made = dataclasses.replace(found, kind=found.kind or Kind("", False), live=after())
        return State(tuple(made if each.declared == found.declared else each for each in state.found))

    return Step(operation, {"found": found}, tuple(changes), effect)


def _after(live: Object, wrong: t.Sequence[Difference]) -> Object:
    made = copy.deepcopy(live)
    for each in wrong:
        place = made
        for name in each.path[:-1]:
            place = place.setdefault(name, {})
        if each.after is None:
            place.pop(each.path[-1], None)
        else:
            place[each.path[-1]] = each.after
    return made
