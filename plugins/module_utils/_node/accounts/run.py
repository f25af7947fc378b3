# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The accounts module behind its options: judge everything, then change, then tell."""

from __future__ import annotations

import contextlib
import subprocess
import time
import typing as t

from ..._core.converge import APPLIED, Module, Resource, converge
from ..._core.failure import Refused
from ..._core.plan import Plan
from ..._ssh import authorized_keys
from .. import child
from ..lock import Locked, node_lock
from ..problems import Problems
from . import apply as accounts_apply
from . import judge as accounts_judge
from . import leave as accounts_leave
from . import observe as accounts_observe
from . import options as accounts_declared
from . import plan as accounts_plan
from .model import Desired, State

_LOCK_SECONDS = 120.0
_ERRORS = (
    Refused,
    OSError,
    subprocess.SubprocessError,
    child.ChildFailed,
    accounts_observe.NodeSilent,
    Locked,
)


def run(module: Module) -> t.NoReturn:
    desired, problems = accounts_declared.read(module.params)
    notes = accounts_declared.notes(desired, now=int(time.time()))
    applier = accounts_apply.Applier()

    def observe() -> State:
        nonlocal desired
        state = accounts_observe.observe(desired)
        desired = accounts_leave.remembering(desired, state)
        return state

    def plan(state: State) -> Plan:
        found = [*problems, *accounts_judge.judge(desired, state)]
        if found:
            raise Problems(found)
        made = accounts_plan.make_plan(desired, state, notes=notes)
        notes[:] = made.notes
        return made

    def describe(state: State) -> dict[str, t.Any]:
        pending = [*accounts_plan.pending(desired, state), *applier.pending]
        report = {"pending": pending, "failures": [], "notes": list(notes)}
        return {"accounts": to_result(desired, state), "pending": pending, "hyperpod_report": report}

    try:
        with contextlib.nullcontext() if module.check_mode else node_lock(timeout=_LOCK_SECONDS):
            converge(module, Resource(observe=observe, plan=plan, apply=applier.apply, result=describe))
    except Problems as error:
        report = {"pending": [], "failures": list(error.sentences), "notes": list(notes)}
        module.fail_json(msg=str(error), problems=list(error.sentences), hyperpod_report=report)
    except _ERRORS as error:
        report = {"pending": applier.pending, "failures": [str(error)], "notes": list(notes)}
        module.fail_json(msg=str(error), changed=bool(APPLIED), changes=APPLIED, hyperpod_report=report)


def to_result(desired: Desired, state: State) -> dict[str, t.Any]:
    """The declared accounts as ``state`` has them."""
    return {
        "users": [_user(user.name, state) for user in desired.users],
        "groups": [_group(group.name, state) for group in desired.groups],
    }


def _user(name: str, state: State) -> dict[str, t.Any]:
    account = state.users.get(name)
    if account is None:
        return {"name": name, "state": "absent"}
    locked = account.expires == accounts_leave.LONG_AGO
    keys, rules = state.keys.get(name), state.sudoers.get(name)
    return {
        "name": name,
        "state": "locked" if locked else "present",
        "uid": account.uid,
        "gid": account.gid,
        "groups": list(state.groups_of(name)),
        "comment": account.comment,
        "shell": account.shell,
        "home": account.home,
        "authorized_keys": [] if keys is None else [entry.to_result() for entry in authorized_keys.read(keys.text)],
        "sudo": [] if rules is None else accounts_plan.rule_lines(rules.text),
    }


def _group(name: str, state: State) -> dict[str, t.Any]:
    group = state.groups.get(name)
    if group is None:
        return {"name": name, "state": "absent"}
    return {"name": name, "state": "present", "gid": group.gid, "members": sorted(group.members)}
