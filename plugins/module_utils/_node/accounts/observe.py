# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads the node. Local files are read directly; whatever could hang is read in a child process with a timeout."""

from __future__ import annotations

import grp
import os
import pwd
import stat
import time
import typing as t

from ..._core.failure import Failure
from .. import child, files, mounts
from ..gate import expectation as gate_expectation
from . import (
    home_removal,
    homes,
    leftovers,
    operations,
    operations_access,
    sudo_check,
)
from .local import local_accounts, local_groups
from .model import Account, Desired, LocalGroup, NameService, State, sudoers_text

_NAME_SERVICE_SECONDS = 20.0


class NodeSilent(Failure):
    """The name service does not respond, so conflicts cannot be checked."""


class Observer:
    """Reads the node. Later reads use UIDs from the first read, because the records of removed accounts then no longer exist."""

    def __init__(self, desired: Desired) -> None:
        self._desired = desired

    def __call__(self) -> State:
        state = observe(self._desired)
        self._desired = self._desired.remembering(state)
        return state


def observe(desired: Desired) -> State:
    users, groups = local_accounts(), local_groups()
    # Former access is removed only if this run connects as the new account. A wrong name in the option must not lock anyone out.
    proven = desired.connecting_user == desired.operations_user
    leaving_homes = homes.leaving(desired, users) if desired.remove_home else {}
    present = desired.present_users
    keys = {user.name: files.look(desired.keys_path(user.name)) for user in desired.users}
    sudoers = {user.name: files.look(desired.sudoers_path(user.name)) for user in desired.users}
    unproven = {
        user.name: sudoers_text(user.name, user.sudo)
        for user in present
        if user.sudo and _text(sudoers[user.name]) != sudoers_text(user.name, user.sudo)
    }
    elsewhere = _elsewhere(desired, users, groups)
    remains = leftovers.look(
        desired.absent_users, users, spare_jobs=desired.spare_jobs, elsewhere=elsewhere.uids
    )
    return State(
        now=int(time.time()),
        users=users,
        groups=groups,
        elsewhere=elsewhere,
        has_shadow=os.path.exists("/etc/shadow"),
        has_gshadow=os.path.exists("/etc/gshadow"),
        authorized_keys_dir=_folder(desired.authorized_keys_dir),
        key_files=_names(desired.authorized_keys_dir),
        keys={name: state for name, state in keys.items() if state is not None},
        sudoers={name: state for name, state in sudoers.items() if state is not None},
        homes=homes.look(present, desired),
        shells={
            shell: os.path.isfile(shell) and os.access(shell, os.X_OK) for shell in {user.shell for user in present}
        },
        leftovers=remains,
        leaving_homes=leaving_homes,
        leaving_mounts=home_removal.mounted_in(leaving_homes, mounts.read()) if leaving_homes else {},
        earlier_operations=operations.look(desired.authorized_keys_dir, users, spare=desired.operations_user) if proven else (),
        operations=operations_access.look(desired, users),
        sudo_installed=sudo_check.installed(),
        sudo_errors=sudo_check.errors(unproven),
        gate_expects=gate_expectation.expected_users(),
    )


def _text(state: files.FileState | None) -> str:
    return "" if state is None else state.text


def _folder(path: str) -> tuple[str, int, int] | None:
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return None
    return "folder" if stat.S_ISDIR(status.st_mode) else "other", status.st_uid, stat.S_IMODE(status.st_mode)


def _names(path: str) -> tuple[str, ...]:
    """Names in the folder of keys. No account's name begins with a dot."""
    try:
        return tuple(sorted(name for name in os.listdir(path) if not name.startswith(".")))
    except (FileNotFoundError, NotADirectoryError):
        return ()


def _elsewhere(desired: Desired, users: t.Mapping[str, Account], groups: t.Mapping[str, LocalGroup]) -> NameService:
    """Query the name service for records that the local files lack. Records in both are taken from the files."""
    uids, gids = {account.uid for account in users.values()}, {group.gid for group in groups.values()}
    present = desired.present_users
    wanted_groups = [group for group in desired.groups if group.present]
    names = [user.name for user in desired.users if user.name not in users]
    numbers = [user.uid for user in desired.users if user.uid is not None]
    numbers += [uid for user in desired.absent_users for uid in user.former_uids]
    numbers = [uid for uid in dict.fromkeys(numbers) if uid not in uids]
    group_names = [group.name for group in wanted_groups if group.name not in groups]
    group_numbers = {
        gid for gid in [group.gid for group in wanted_groups] + [user.gid for user in present] if gid is not None
    }
    group_numbers -= gids
    if not (names or numbers or group_names or group_numbers):
        return NameService()

    def ask() -> dict[str, list[list[t.Any]]]:
        return {
            "users": _found(pwd.getpwnam, names, lambda entry: entry.pw_uid),
            "uids": _found(pwd.getpwuid, numbers, lambda entry: entry.pw_name),
            "groups": _found(grp.getgrnam, group_names, lambda entry: entry.gr_gid),
            "gids": _found(grp.getgrgid, sorted(group_numbers), lambda entry: entry.gr_name),
        }

    try:
        answer = child.run(ask, timeout=_NAME_SERVICE_SECONDS)
    except child.Hung:
        raise NodeSilent(
            f"The name service of this node did not respond within {_NAME_SERVICE_SECONDS:.0f} s. Check the services in "
            "/etc/nsswitch.conf, then run again."
        ) from None
    return NameService(**{kind: dict(t.cast(t.Any, pairs)) for kind, pairs in answer.items()})


def _found(
    ask: t.Callable[[t.Any], t.Any], keys: t.Iterable[t.Any], value: t.Callable[[t.Any], t.Any]
) -> list[list[t.Any]]:
    found = []
    for key in keys:
        try:
            found.append([key, value(ask(key))])
        except (KeyError, OverflowError):
            continue
    return found
