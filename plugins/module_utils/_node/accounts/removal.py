# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Removal of accounts and groups: first the account is locked, then its leftovers are removed, then its records."""

from __future__ import annotations

import dataclasses
import typing as t

from ..._core.finding import Finding, note, pending
from ..._core.plan import Change, Step
from ..._core.text import printable
from ..gate import expectation as gate_expectation
from . import rights
from .effects import without_leftovers
from .model import LONG_AGO, Account, Desired, Leftovers, State, User
from .record_edits import edit_step
from .records import Edit

_SHOWN = 5


def lock(desired: Desired, state: State) -> tuple[list[Edit], list[Change]]:
    """The edits that prevent new logins, even if later steps fail."""
    edits, changes = [], []
    for account in _leaving(desired, state):
        if not _is_locked(account):
            edits.append(Edit("shadow", account.name, {"password": "!", "expire": LONG_AGO}))
            changes.append(Change("update", f"user {account.name}", "locked", False, True))
    return edits, changes


def steps(desired: Desired, state: State) -> list[Step]:
    """The steps after the accounts are locked. A step that names a user as ``after`` is postponed while the user has processes."""
    found = _expect_no_more(desired, state)
    found += [step for user in desired.absent_users for step in _clear(user.name, desired, state)]
    groups = _gone_groups(desired, state)
    for account in _going(desired, state):
        edits, changes = _records(account, state, with_group=account.name in groups)
        step = edit_step(edits, changes, state)
        found.append(dataclasses.replace(step, arguments={**step.arguments, "after": account.name}))
        groups.discard(account.name)
    found += [step for user in desired.absent_users for step in _subordinate(user, state)]
    if groups:
        edits, changes = _group_records(sorted(groups), state)
        found.append(edit_step(edits, changes, state))
    for account in _going(desired, state):
        home = state.leaving_homes.get(account.name)
        if home is not None and account.name not in state.leaving_mounts:
            # By then the account is removed, and the state no longer contains its home.
            change = Change("delete", f"home {home}", None, {"owner": account.uid}, None)
            found.append(Step("remove_home", {"path": home, "after": account.name}, (change,)))
    return found


def _expect_no_more(desired: Desired, state: State) -> list[Step]:
    """The first step, because the readiness gate would close if an expected account is missing."""
    names = [user.name for user in desired.absent_users if user.name in state.gate_expects]
    if not names:
        return []
    before = list(state.gate_expects)
    after = [name for name in before if name not in names]
    change = Change("update", gate_expectation.RESOURCE, "users", before, after)

    def expecting(state: State) -> State:
        return dataclasses.replace(state, gate_expects=tuple(after))

    return [Step("expect_no_more", {"names": names}, (change,), effect=expecting)]


def notes(desired: Desired, state: State) -> list[Finding]:
    """Accounts and homes that stay for now, and former UIDs that now belong to different accounts."""
    others = {account.uid: account.name for account in state.users.values()}
    taken = [
        note(
            "uid-taken",
            f"{other} has UID {uid} here, which {user.name} had before. The UID's processes were not ended.",
            subject=user.name,
        )
        for user in desired.absent_users
        for uid in user.former_uids
        for other in [others.get(uid) or state.elsewhere.uids.get(uid)]
        if other not in (None, user.name)
    ]
    locked = [
        note(
            "account-locked",
            f"The account {account.name} is locked. A later run removes the account after its Slurm jobs on this node have ended "
            f"(remaining processes: {len(state.leftovers[account.name].jobs)}).",
            subject=account.name,
        )
        for account in _leaving(desired, state)
        if state.held_by_jobs(account.name)
    ]
    return taken + locked + [
        note(
            "home-stays",
            f"The home {state.leaving_homes[name]} of {name} was not removed, because {printable(path)} is mounted in it.",
            subject=name,
        )
        for name, path in state.leaving_mounts.items()
    ]


def waiting(desired: Desired, state: State) -> list[Finding]:
    """Leftovers of removed users that the last read found."""
    found = []
    for user in desired.absent_users:
        left = state.leftovers.get(user.name, Leftovers())
        if left.shown:
            uids, shown = ", ".join(str(uid) for uid in left.uids), ", ".join(left.shown[:_SHOWN])
            more = f" and {len(left.shown) - _SHOWN} more" if len(left.shown) > _SHOWN else ""
            text = f"Processes of {user.name} (UID {uids}) could not be ended on this node: {shown}{more}."
            found.append(pending("processes-left", text, subject=user.name))
        if left.files:
            text = f"Scheduled work of {user.name} reappeared: {', '.join(left.files)}."
            found.append(pending("scheduled-work-left", text, subject=user.name))
    return found


def _is_locked(account: Account) -> bool:
    return (account.password, account.expires) == ("locked", LONG_AGO)


def _leaving(desired: Desired, state: State) -> list[Account]:
    return [state.users[user.name] for user in desired.absent_users if user.name in state.users]


def _going(desired: Desired, state: State) -> list[Account]:
    """Users whose records are removed in this run. Users with Slurm jobs keep their records, which new processes of a job need."""
    return [account for account in _leaving(desired, state) if not state.held_by_jobs(account.name)]


def _clear(name: str, desired: Desired, state: State) -> list[Step]:
    """Steps that remove keys, rules and scheduled work of one account and end its sessions."""
    found = rights.removal_steps(name, desired, state)
    left = state.leftovers.get(name, Leftovers())
    for path in left.files:
        change = Change("delete", f"scheduled work of {name}", None, path, None)
        found.append(Step("remove_file", {"path": path}, (change,), effect=without_leftovers(name, "files")))
    return found + _end(name, left, desired, state)


def _end(name: str, left: Leftovers, desired: Desired, state: State) -> list[Step]:
    """Steps that end processes. They exist even if no process was found, because a process can hide, and a session can be empty."""
    account = state.users.get(name)
    idle = account is None or (state.held_by_jobs(name) and _is_locked(account))
    uids = dict.fromkeys([*([] if account is None or (idle and not left.processes) else [account.uid]), *left.uids])
    changes: tuple[Change, ...] = ()
    if left.processes:
        changes = (Change("delete", f"sessions of {name}", None, f"{len(left.processes)} processes", None),)
    steps = []
    for uid in uids:
        arguments = {"name": name, "uid": uid, "spare_jobs": desired.spare_jobs}
        steps.append(Step("end_processes", arguments, changes, effect=without_leftovers(name, "processes", "shown", "uids")))
        changes = ()
    return steps


def _subordinate(user: User, state: State) -> list[Step]:
    lines = state.leftovers.get(user.name, Leftovers()).subordinate
    if not lines or state.held_by_jobs(user.name):
        return []
    account = state.users.get(user.name)
    uids = tuple(dict.fromkeys([*([] if account is None else [account.uid]), *user.former_uids]))
    change = Change("delete", f"subordinate IDs of {user.name}", None, list(lines), None)
    arguments = {"name": user.name, "uids": uids, "after": user.name}
    return [Step("remove_subordinate", arguments, (change,), effect=without_leftovers(user.name, "subordinate"))]


def _records(account: Account, state: State, *, with_group: bool) -> tuple[list[Edit], list[Change]]:
    edits: list[Edit] = []
    for group in state.groups_of(account.name):
        edits += [Edit(file, group, {}, remove_members=(account.name,)) for file in ("gshadow", "group")]
    edits += [Edit("shadow", account.name), Edit("passwd", account.name)]
    before = {"uid": account.uid, "gid": account.gid, "home": account.home}
    changes = [Change("delete", f"user {account.name}", None, before, None)]
    if with_group:
        more = _group_records([account.name], state)
        edits, changes = edits + more[0], changes + more[1]
    return edits, changes


def _group_records(names: t.Sequence[str], state: State) -> tuple[list[Edit], list[Change]]:
    edits = [Edit(file, name) for name in names for file in ("gshadow", "group")]
    return edits, [Change("delete", f"group {name}", None, {"gid": state.groups[name].gid}, None) for name in names]


def _gone_groups(desired: Desired, state: State) -> set[str]:
    """Groups that are declared absent, and the own groups of removed accounts if they have no other members."""
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
