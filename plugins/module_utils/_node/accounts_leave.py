# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""How accounts and groups go: locked out first, then cleared away, their records last; pure."""

from __future__ import annotations

import dataclasses
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node import authorized_keys
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.account_files import Edit
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts_model import Account, Desired, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._plan import Change, Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._text import printable

LONG_AGO = "1"
"""The expiry date that ``usermod --expiredate 1`` sets: 2 January 1970."""


def edit_step(edits: t.Sequence[Edit], changes: t.Sequence[Change], state: State) -> Step:
    """One rewrite of the account files; a system without shadow files gets no edits of them."""
    lacking = {"shadow": not state.has_shadow, "gshadow": not state.has_gshadow}
    kept = tuple(edit for edit in edits if not lacking.get(edit.file, False))
    return Step("edit_accounts", {"edits": kept}, tuple(changes))


def lock(desired: Desired, state: State) -> tuple[list[Edit], list[Change]]:
    """No new login from here on, whatever else happens."""
    edits, changes = [], []
    for account in _leaving(desired, state):
        if (account.password, account.expires) != ("locked", LONG_AGO):
            edits.append(Edit("shadow", account.name, {"password": "!", "expire": LONG_AGO}))
            changes.append(Change("update", f"user {account.name}", "locked", False, True))
    return edits, changes


def steps(desired: Desired, state: State) -> list[Step]:
    """What is done after the lock."""
    found = [step for user in desired.absent_users for step in _clear(user.name, desired, state)]
    edits, changes = _records(desired, state)
    if edits:
        found.append(edit_step(edits, changes, state))
    for account in _going(desired, state):
        home = state.leaving_homes.get(account.name)
        if home is not None and account.name not in state.leaving_mounts:
            change = Change("delete", f"home {home}", None, {"owner": account.uid}, None)
            found.append(Step("remove_home", {"path": home}, (change,)))
    return found


def notes(desired: Desired, state: State) -> list[str]:
    """Accounts that stay for now."""
    return [
        f"{account.name} is locked out; the account goes when {len(state.traces[account.name].jobs)} processes of "
        "Slurm jobs here have ended."
        for account in _leaving(desired, state)
        if state.held_by_jobs(account.name)
    ] + [
        f"The home {state.leaving_homes[name]} of {name} stays: {printable(path)} is mounted in it."
        for name, path in state.leaving_mounts.items()
    ]


def predict(desired: Desired, state: State) -> State:
    absent = {user.name for user in desired.absent_users}
    held = {name for name in absent if state.held_by_jobs(name)}
    gone = absent - held
    gone_groups = _gone_groups(desired, state)
    groups = {
        name: dataclasses.replace(group, members=tuple(member for member in group.members if member not in gone))
        for name, group in state.groups.items()
        if name not in gone_groups
    }

    def without(table: t.Mapping[str, t.Any], names: t.AbstractSet[str]) -> dict[str, t.Any]:
        return {name: value for name, value in table.items() if name not in names}

    locked = {
        name: dataclasses.replace(state.users[name], password="locked", expires=LONG_AGO)
        for name in held & set(state.users)
    }
    return dataclasses.replace(
        state,
        users={**without(state.users, gone), **locked},
        groups=groups,
        keys=without(state.keys, absent),
        sudoers=without(state.sudoers, absent),
        traces={},
        leaving_homes={},
        leaving_mounts={},
    )


def _leaving(desired: Desired, state: State) -> list[Account]:
    return [state.users[user.name] for user in desired.absent_users if user.name in state.users]


def _going(desired: Desired, state: State) -> list[Account]:
    """Those whose records are removed now: without them, what a job starts next would fail."""
    return [account for account in _leaving(desired, state) if not state.held_by_jobs(account.name)]


def _clear(name: str, desired: Desired, state: State) -> list[Step]:
    """Keys, rules, sessions and scheduled work of one account."""
    found = []
    if name in state.keys:
        shown = [entry.summary() for entry in authorized_keys.read(state.keys[name].text)]
        change = Change("delete", f"keys of {name}", None, shown, None)
        found.append(Step("remove_file", {"path": desired.keys_path(name)}, (change,)))
    if name in state.sudoers:
        change = Change("delete", f"sudo rules of {name}", None, desired.sudoers_path(name), None)
        found.append(Step("remove_file", {"path": desired.sudoers_path(name)}, (change,)))
    traces = state.traces.get(name)
    if traces is None:
        return found
    for path in traces.files:
        change = Change("delete", f"scheduled work of {name}", None, path, None)
        found.append(Step("remove_file", {"path": path}, (change,)))
    if traces.processes:
        change = Change("delete", f"sessions of {name}", None, f"{len(traces.processes)} processes", None)
        arguments = {"name": name, "uid": state.users[name].uid, "spare_jobs": desired.spare_jobs}
        found.append(Step("end_processes", arguments, (change,)))
    return found


def _records(desired: Desired, state: State) -> tuple[list[Edit], list[Change]]:
    edits: list[Edit] = []
    changes: list[Change] = []
    for account in _going(desired, state):
        for group in state.groups_of(account.name):
            edits += [Edit(file, group, {}, remove_members=(account.name,)) for file in ("gshadow", "group")]
        edits += [Edit("shadow", account.name), Edit("passwd", account.name)]
        before = {"uid": account.uid, "gid": account.gid, "home": account.home}
        changes.append(Change("delete", f"user {account.name}", None, before, None))
    for name in sorted(_gone_groups(desired, state)):
        edits += [Edit("gshadow", name), Edit("group", name)]
        changes.append(Change("delete", f"group {name}", None, {"gid": state.groups[name].gid}, None))
    return edits, changes


def _gone_groups(desired: Desired, state: State) -> set[str]:
    """Groups declared absent, and the own groups of accounts that go, if nobody else is in them."""
    going = _going(desired, state)
    held = {account.gid for account in _leaving(desired, state) if account not in going}
    gone = {group.name for group in desired.groups if not group.present and group.name in state.groups}
    gone -= {name for name in gone if state.groups[name].gid in held}
    leaving = {user.name for user in desired.absent_users if not state.held_by_jobs(user.name)}
    kept = {group.name for group in desired.groups if group.present}
    kept_gids = {user.gid for user in desired.present_users}
    for account in going:
        own = state.groups.get(account.name)
        if own is None or own.gid != account.gid or own.name in kept or own.gid in kept_gids:
            continue
        others = {other.name for other in state.users.values() if other.gid == own.gid} | set(own.members)
        if not others - leaving:
            gone.add(own.name)
    return gone
