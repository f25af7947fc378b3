# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The plan from the observed to the desired state.

Order: the records are edited first, so that removed users can no longer log in. Then files are changed and sessions are ended.
After that, the records of removed users are removed, so that the next run can continue an interrupted run. Homes are created
after their owners.
"""

from __future__ import annotations

import typing as t

from ..._core.plan import Change, Plan, Step
from ..problems import Problems
from . import operations, operations_access, options, removal, rights
from .conflicts import conflicts
from .effects import in_table
from .model import Desired, Home, State
from .record_edits import RecordEdits


def plan(desired: Desired, state: State) -> Plan:
    """
    :raises Problems: with all problems of the declaration, by itself and on this node.
    """
    problems = [*desired.problems, *conflicts(desired, state)]
    if problems:
        raise Problems(problems)
    desired = desired.remembering(state)
    steps = (
        *_records(desired, state),
        *rights.keys_folder(desired, state),
        *operations_access.steps(desired, state),
        *operations.steps(state.earlier_operations),
        *rights.steps(desired, state),
        *removal.steps(desired, state),
        *_homes(desired, state),
    )
    notes = (
        *options.notes(desired, now=state.now),
        *operations_access.notes(desired, state),
        *rights.notes(desired, state),
        *removal.notes(desired, state),
    )
    return Plan(steps=steps, notes=notes)


def _records(desired: Desired, state: State) -> tuple[Step, ...]:
    edits = RecordEdits(state)
    for group in desired.groups:
        if group.present and group.name not in state.groups:
            edits.add_group(group.name, t.cast(int, group.gid))
    for user in desired.present_users:
        edits.settle(user)
    edits.extend(*removal.lock(desired, state))
    return edits.steps()


def _homes(desired: Desired, state: State) -> list[Step]:
    steps = []
    for user in desired.present_users:
        home = state.homes.get(user.name)
        if home is not None and home.kind == "missing" and home.writer is not None:
            arguments = {
                "name": user.name,
                "uid": user.uid,
                "gid": user.gid,
                "groups": user.groups or (),
                "home": user.home,
                "mode": desired.home_mode,
            }
            after = {"owner": user.uid, "mode": f"{desired.home_mode:04o}"}
            change = Change("create", f"home {user.home}", None, None, after)
            made = in_table("homes", user.name, Home("folder", owner=user.uid))
            steps.append(Step("make_home", arguments, (change,), effect=made))
    return steps
