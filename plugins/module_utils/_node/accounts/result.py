# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The return values of ``accounts``."""

from __future__ import annotations

import time
import typing as t

from ..._core.finding import Finding, pending, to_result
from ..._core.plan import Plan
from ..._ssh import authorized_keys
from ..problems import Problems
from . import options, removal
from .model import LONG_AGO, Desired, Home, State, User
from .rights import rule_lines


class Report:
    """Findings of a run: notes of its plan, pending items, and the reason for a failure."""

    def __init__(self, desired: Desired, postponed: t.Sequence[Finding]) -> None:
        self._desired = desired
        self._postponed = postponed
        self._notes: t.Sequence[Finding] = options.notes(desired, now=int(time.time()))

    def noted(self, plan: Plan) -> Plan:
        self._notes = [each for each in plan.notes if isinstance(each, Finding)]
        return plan

    def result(self, state: State) -> dict[str, t.Any]:
        waits = [*waiting(self._desired, state), *self._postponed]
        return {"accounts": accounts_of(self._desired, state), **to_result([*waits, *self._notes])}

    def failed(self, error: Exception) -> dict[str, t.Any]:
        problems = {"problems": list(error.sentences)} if isinstance(error, Problems) else {}
        return {**problems, **to_result([*self._postponed, *self._notes])}


def waiting(desired: Desired, state: State) -> list[Finding]:
    """Pending items: homes that are not ready, and leftovers of removed users."""
    found = []
    for user in desired.present_users:
        home = state.homes.get(user.name)
        reason = None if home is None else _home_waits(user, home)
        if reason is not None:
            text = f"The home {user.home} of {user.name} is not ready: {reason}."
            found.append(pending("home-waits", text, subject=user.name))
    return found + removal.waiting(desired, state)


def _home_waits(user: User, home: Home) -> str | None:
    if home.kind == "unmounted":
        return "its shared storage is not mounted on this node"
    if home.kind == "silent":
        return "its file system does not respond"
    if home.kind == "folder" and home.owner != user.uid:
        return f"the folder belongs to UID {home.owner} instead of {user.uid}, and runs never change its owner"
    if home.kind == "missing" and home.writer is None:
        return f"neither the user nor root may write to {home.parent}. Create the home there with UID {user.uid} as its owner"
    return None


def accounts_of(desired: Desired, state: State) -> dict[str, t.Any]:
    """The declared accounts, as they are in ``state``."""
    return {
        "users": [_user(user.name, state) for user in desired.users],
        "groups": [_group(group.name, state) for group in desired.groups],
    }


def _user(name: str, state: State) -> dict[str, t.Any]:
    account = state.users.get(name)
    if account is None:
        return {"name": name, "state": "absent"}
    locked = account.expires == LONG_AGO
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
        "sudo": [] if rules is None else rule_lines(rules.text),
    }


def _group(name: str, state: State) -> dict[str, t.Any]:
    group = state.groups.get(name)
    if group is None:
        return {"name": name, "state": "absent"}
    return {"name": name, "state": "present", "gid": group.gid, "members": sorted(group.members)}
