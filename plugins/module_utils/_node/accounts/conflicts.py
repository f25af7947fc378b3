# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Conflicts between the declaration and the node."""

from __future__ import annotations

import typing as t

from ..._core.failure import not_allowed
from . import home_nesting
from .model import Account, Desired, Group, State, User

_ADMIN_GROUPS = ("sudo", "wheel", "admin")
_IMAGE_LAST = 999


def conflicts(desired: Desired, state: State) -> list[str]:
    """All conflicts between ``desired`` and the node, one sentence each."""
    problems: list[str] = []
    if state.authorized_keys_dir is not None and state.authorized_keys_dir[0] != "folder":
        problems.append(
            not_allowed(
                "authorized_keys_dir",
                desired.authorized_keys_dir,
                "a folder, or a new path",
                "the path exists on this node and is not a folder",
            )
        )
    for group in desired.groups:
        problems += _present_group(group, state) if group.present else _absent_group(group, desired, state)
    for user in desired.present_users:
        problems += _identity(user, state)
        problems += _primary_group(user, desired, state)
        problems += _memberships(user, desired, state)
        problems += _environment(user, state)
        problems += _listed(user, state)
        problems += _sudo(user, state)
        if user.name == desired.connecting_user:
            problems += _connecting(user, state)
    for user in desired.absent_users:
        problems += _absent_user(user, state)
    return problems + _nested_homes(desired, state)


def _present_group(group: Group, state: State) -> list[str]:
    label, gid = f"groups[{group.name}]", t.cast(int, group.gid)
    here = state.groups.get(group.name)
    if here is not None:
        if here.gid == group.gid:
            return []
        why = f"this node has the group {group.name} with GID {here.gid}, and an existing GID is never changed"
        return [not_allowed(f"{label}.gid", gid, str(here.gid), why)]
    if group.name in state.elsewhere.groups:
        return [_served(f"{label}.name", group.name, "group", state.elsewhere.groups[group.name])]
    owner = state.group_of(gid)
    name = owner.name if owner is not None else state.elsewhere.gids.get(gid)
    if name is not None and name != group.name:
        return [not_allowed(f"{label}.gid", gid, "an unused GID", f"this node has the group {name} with this GID")]
    return []


def _absent_group(group: Group, desired: Desired, state: State) -> list[str]:
    label, here = f"groups[{group.name}]", state.groups.get(group.name)
    if here is None:
        return []
    if here.gid <= _IMAGE_LAST:
        return [
            not_allowed(
                f"{label}.state", "absent", "present", f"its GID here is {here.gid}, and GIDs below 1000 belong to the image"
            )
        ]
    if group.gid is not None and group.gid != here.gid:
        why = f"this node has the group {group.name} with GID {here.gid}"
        return [not_allowed(f"{label}.gid", group.gid, str(here.gid), why)]
    leaving = {user.name for user in desired.absent_users}
    users = [
        account.name for account in state.users.values() if account.gid == here.gid and account.name not in leaving
    ]
    users += [user.name for user in desired.present_users if user.gid == here.gid and user.name not in users]
    if users:
        names = ", ".join(sorted(users))
        return [not_allowed(f"{label}.state", "absent", "present", f"it is the primary group of {names}")]
    return []


def _identity(user: User, state: State) -> list[str]:
    """Name and UID must match, because files on shared storage have only the UID."""
    label, uid = f"users[{user.name}]", t.cast(int, user.uid)
    here = state.users.get(user.name)
    if here is not None:
        if here.uid == uid:
            return []
        why = f"this node has the account {user.name} with UID {here.uid}, and an existing UID is never changed"
        return [not_allowed(f"{label}.uid", uid, str(here.uid), why)]
    if user.name in state.elsewhere.users:
        return [_served(f"{label}.name", user.name, "user", state.elsewhere.users[user.name])]
    owner = state.account_of(uid)
    name = owner.name if owner is not None else state.elsewhere.uids.get(uid)
    if name is not None and name != user.name:
        return [not_allowed(f"{label}.uid", uid, "an unused UID", f"this node has the account {name} with this UID")]
    return []


def _primary_group(user: User, desired: Desired, state: State) -> list[str]:
    label, gid = f"users[{user.name}].gid", t.cast(int, user.gid)
    here = state.users.get(user.name)
    if here is not None and here.uid == user.uid and here.gid != gid:
        why = f"this node has the account {user.name} with primary GID {here.gid}, and an existing primary GID is never changed"
        return [not_allowed(label, gid, str(here.gid), why)]
    declared = next((group.name for group in desired.groups if group.present and group.gid == gid), None)
    local = state.group_of(gid)
    owner = declared or (local.name if local is not None else state.elsewhere.gids.get(gid))
    if not user.private_group:
        return [] if owner else [not_allowed(label, gid, "the GID of a declared or existing group, or no value")]
    if owner not in (None, user.name):
        why = f"the user's own group needs this GID, but the group {owner} already has it"
        return [not_allowed(label, gid, "the GID of a different group, or a different UID", why)]
    other = next((group.gid for group in desired.groups if group.present and group.name == user.name), None)
    same_name = state.groups.get(user.name)
    other = other if same_name is None else same_name.gid
    if other not in (None, gid):
        return [not_allowed(label, gid, f"{other}, or a different UID", f"the group {user.name} has GID {other}")]
    return []


def _memberships(user: User, desired: Desired, state: State) -> list[str]:
    known = {group.name for group in desired.groups if group.present} | set(state.groups)
    known |= {other.name for other in desired.present_users if other.private_group}
    known -= {group.name for group in desired.groups if not group.present}
    allowed = "a group declared in groups, or a group in /etc/group of this node"
    return [not_allowed(f"users[{user.name}].groups", name, allowed) for name in user.groups or () if name not in known]


def _environment(user: User, state: State) -> list[str]:
    problems = []
    if not state.shells.get(user.shell, True):
        allowed = "an executable file on the node"
        problems.append(not_allowed(f"users[{user.name}].shell", user.shell, allowed))
    home = state.homes.get(user.name)
    if home is not None and home.kind == "other":
        problems.append(
            not_allowed(f"users[{user.name}].home", user.home, "a folder", "the path exists on this node and is not a folder")
        )
    return problems


def _listed(user: User, state: State) -> list[str]:
    """Conflicts of a user from a users file with an existing account. The file may only add users, because its authors must not
    take over an account that has rights, or change an account's home.
    """
    here = state.users.get(user.name)
    if not user.source or here is None:
        return []
    problems = []
    if home_nesting.normal(here.home) != home_nesting.normal(user.home):
        why = f"this node has the account {user.name} with the home {here.home}, and {user.source} may not change the home"
        allowed = f"{here.home}, or a different home that is declared in hyperpod_users"
        problems.append(not_allowed(f"users[{user.name}].home", user.home, allowed, why))
    primary = state.group_of(here.gid)
    groups = {*state.groups_of(user.name), *([primary.name] if primary is not None else [])}
    rights = sorted(groups & set(_ADMIN_GROUPS) - set(user.groups or ()))
    if rights:
        why = (
            f"this node has the account {user.name} in the group {', '.join(rights)}, and {user.source} may not declare "
            "accounts with such groups"
        )
        allowed = "an account whose groups or home is declared in hyperpod_users"
        problems.append(not_allowed(f"users[{user.name}].name", user.name, allowed, why))
    return problems


def _nested_homes(desired: Desired, state: State) -> list[str]:
    """Homes that are inside the homes of undeclared accounts, or contain them."""
    declared = {user.name for user in desired.users}
    homes = {user.name: user.home for user in desired.present_users}
    others = {name: account.home for name, account in state.users.items() if name not in declared}
    owners = {name: home for name, home in others.items() if _owns(state.users[name])}
    clashes = [
        *home_nesting.within(homes, owners),
        *(
            (name, other)
            for other, name in home_nesting.within(others, homes)
            if home_nesting.normal(others[other]) != home_nesting.normal(homes[name])
        ),
    ]
    why = "the owner of the outer home could replace the inner home"
    return [
        not_allowed(
            f"users[{name}].home",
            homes[name],
            "a home that is neither inside another home nor contains one",
            f"this node has {other} with the home {others[other]}, and {why}",
        )
        for name, other in clashes
    ]


def _owns(account: Account) -> bool:
    """Whether the account can write to its home. False for system accounts, whose homes are folders such as /bin."""
    return account.uid > _IMAGE_LAST or home_nesting.normal(account.home).count("/") > 1


def _sudo(user: User, state: State) -> list[str]:
    label = f"users[{user.name}].sudo"
    if user.sudo and not state.sudo_installed:
        return [not_allowed(label, list(user.sudo), "no rules", "sudo is not installed on this node")]
    if user.name in state.sudo_errors:
        why = f"visudo reports: {state.sudo_errors[user.name]}"
        return [not_allowed(label, list(user.sudo or ()), "rules that visudo accepts", why)]
    return []


def _connecting(user: User, state: State) -> list[str]:
    reason = "it is the account that this run connects with, and it must keep its access"
    problems = []
    keys = user.authorized_keys
    if keys and all(entry.expired(state.now) for entry in keys):
        shown = [entry.key.fingerprint for entry in keys]
        problems.append(not_allowed(f"users[{user.name}].authorized_keys", shown, "a key that has not expired", reason))
    lost = (
        set(state.groups_of(user.name)) & set(_ADMIN_GROUPS) - set(user.groups or ()) if user.groups is not None else ()
    )
    if lost:
        allowed = f"groups that include {', '.join(sorted(lost))}"
        problems.append(not_allowed(f"users[{user.name}].groups", list(user.groups or ()), allowed, reason))
    return problems


def _absent_user(user: User, state: State) -> list[str]:
    here = state.users.get(user.name)
    if here is None:
        if user.name in state.elsewhere.users:
            return [_served(f"users[{user.name}].state", "absent", "user", state.elsewhere.users[user.name])]
        return []
    if here.uid <= _IMAGE_LAST or here.uid == 65534:
        why = f"its UID here is {here.uid}, and UIDs below 1000 and UID 65534 belong to the image"
        return [not_allowed(f"users[{user.name}].state", "absent", "present", why)]
    if user.uid is not None and user.uid != here.uid:
        why = f"this node has the account {user.name} with UID {here.uid}, which may be a different user"
        return [not_allowed(f"users[{user.name}].uid", user.uid, str(here.uid), why)]
    sharing = sorted(other.name for other in state.users.values() if other.uid == here.uid and other.name != user.name)
    if sharing:
        why = f"UID {here.uid} also belongs to {', '.join(sharing)}, so the processes of the accounts cannot be distinguished"
        return [not_allowed(f"users[{user.name}].state", "absent", "present", why)]
    return []


def _served(option: str, value: str, kind: str, number: int) -> str:
    why = (
        f"the name service of this node (SSSD, LDAP) has this {kind} with ID {number}, and a local {kind} would hide it. "
        f"Manage the {kind} in the name service"
    )
    return not_allowed(option, value, f"a {kind} that the name service does not have", why)
