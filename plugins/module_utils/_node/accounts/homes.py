# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads and creates home folders, in a child process with a timeout."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import typing as t

from .. import child, mounts
from .model import Account, Desired, Home, User

_LOOK_SECONDS = 20.0
_MAKE_SECONDS = 20.0
_SKELETON = "/etc/skel"


def look(users: t.Sequence[User], desired: Desired) -> dict[str, Home]:
    """The homes of the users, keyed by user name. A home on shared storage is read only if the storage is mounted and this run
    creates homes."""
    table = mounts.read()
    homes: dict[str, Home] = {}
    on_storage: dict[str, list[User]] = {}
    for user in users:
        root = shared_root(user.home, desired, table)
        if root is None:
            on_storage.setdefault("", []).append(user)
        elif desired.create_homes:
            if mounted(root, table):
                on_storage.setdefault(root, []).append(user)
            else:
                homes[user.name] = Home("unmounted")
    for group in on_storage.values():
        homes.update(_look_at(group))
    return homes


def shared_root(home: str, desired: Desired, table: t.Sequence[mounts.Mount]) -> str | None:
    """The root of the shared storage that contains ``home``, as declared or from the mount table. None if the home is local."""
    declared = desired.shared_root(home)
    if declared is not None:
        return declared
    mount = mounts.covering(table, home)
    return mount.path if mount is not None and mount.network else None


def mounted(root: str, table: t.Sequence[mounts.Mount]) -> bool:
    """Whether a file system other than the root file system is mounted at ``root`` or above it."""
    mount = mounts.covering(table, root)
    return mount is not None and mount.path != "/"


def make(
    *, home: str, identity: child.Identity, mode: int, skeleton: str = _SKELETON, seconds: float = _MAKE_SECONDS
) -> str | None:
    """Create ``home`` with the files of ``skeleton``. Existing contents stay. Returns the obstacle, or None.

    The user creates the folder, because root has no rights on storage with root squash. If only root may write to the parent
    folder, root creates the folder and changes its owner.
    """
    try:
        reason = child.run(lambda: _make_own(home, mode, skeleton), timeout=seconds, identity=identity)
        if reason is not None:
            reason = child.run(lambda: _make_for(home, identity, mode, skeleton), timeout=seconds)
    except child.ChildFailed as error:
        return str(error)
    return reason


def leaving(desired: Desired, accounts: t.Mapping[str, Account]) -> dict[str, str]:
    """The homes to remove with their accounts, keyed by account name. Such a home is local, belongs to the account's UID, and
    contains no home of a different account."""
    table = mounts.read()
    candidates = {
        user.name: accounts[user.name].home
        for user in desired.absent_users
        if user.name in accounts and shared_root(accounts[user.name].home, desired, table) is None
    }

    def own() -> dict[str, str]:
        return {name: home for name, home in candidates.items() if _removable(accounts[name], accounts)}

    try:
        return child.run(own, timeout=_LOOK_SECONDS) if candidates else {}
    except child.Hung:
        return {}


def _removable(account: Account, accounts: t.Mapping[str, Account]) -> bool:
    home = account.home
    others = [other.home for other in accounts.values() if other.name != account.name]
    return (
        home.count("/") >= 2
        and os.path.realpath(home) == home
        and os.path.isdir(home)
        and not os.path.ismount(home)
        and os.lstat(home).st_uid == account.uid
        and not any(mounts.below(other, home) for other in others)
    )


def _look_at(users: t.Sequence[User]) -> dict[str, Home]:
    def probe() -> dict[str, list[t.Any]]:
        return {user.name: _probe(user) for user in users}

    try:
        answer = child.run(probe, timeout=_LOOK_SECONDS)
    except child.Hung:
        return {user.name: Home("silent") for user in users}
    return {name: Home(*fields) for name, fields in answer.items()}


def _probe(user: User) -> list[t.Any]:
    parent = os.path.dirname(user.home)
    try:
        status = os.stat(user.home)
    except FileNotFoundError:
        return ["missing", None, parent, _writer(user, parent)]
    except OSError:
        return ["other", None, parent, None]
    return ["folder" if stat.S_ISDIR(status.st_mode) else "other", status.st_uid, parent, None]


def _writer(user: User, parent: str) -> str | None:
    """Who may create a folder in ``parent`` according to its mode. The storage may still refuse it."""
    try:
        status = os.stat(parent)
    except OSError:
        # A missing local parent is created as well. On storage, the first existing folder above decides.
        above = os.path.dirname(parent)
        return None if above == parent else ("root" if _writer(user, above) == "root" else None)
    if not stat.S_ISDIR(status.st_mode):
        return None
    if status.st_uid == user.uid:
        allowed = status.st_mode & 0o300 == 0o300
    elif status.st_gid == user.gid:
        allowed = status.st_mode & 0o030 == 0o030
    else:
        allowed = status.st_mode & 0o003 == 0o003
    if allowed:
        return "user"
    return "root" if os.access(parent, os.W_OK | os.X_OK) else None


def _make_own(home: str, mode: int, skeleton: str) -> str | None:
    reason = _mkdir(home)
    if reason is None:
        _furnish(home, mode, skeleton)
    return reason


def _make_for(home: str, identity: child.Identity, mode: int, skeleton: str) -> str | None:
    reason = _mkdir_for(home, identity)
    if reason is None:
        child.become(identity)
        _furnish(home, mode, skeleton)
    return reason


def _mkdir(home: str) -> str | None:
    try:
        os.mkdir(home, 0o700)
    except FileExistsError:
        return None
    except OSError as error:
        return error.strerror
    return None


def _mkdir_for(home: str, identity: child.Identity) -> str | None:
    os.umask(0o022)
    try:
        os.makedirs(os.path.dirname(home), mode=0o755, exist_ok=True)
        os.mkdir(home, 0o700)
    except FileExistsError:
        return None
    except OSError as error:
        return error.strerror
    try:
        folder = os.open(home, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        status = os.fstat(folder)
        if status.st_mode & 0o777 != 0o700 or os.listdir(folder):  # the parent folder may pass on its setgid bit
            return f"another process created this folder at the same time. Check {os.path.dirname(home)}"
        if status.st_uid != os.geteuid():  # storage squashes root
            raise PermissionError(errno.EPERM, "root cannot create a folder for another owner on this storage")
        os.fchown(folder, identity.uid, identity.gid)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.rmdir(home)
        return error.strerror
    return None


def _furnish(home: str, mode: int, skeleton: str) -> None:
    """Copy the skeleton's plain files and links, as the owner. Existing files stay."""
    for folder, subfolders, names in os.walk(skeleton):
        target = os.path.normpath(os.path.join(home, os.path.relpath(folder, skeleton)))
        for name in subfolders:
            if not os.path.lexists(os.path.join(target, name)):
                os.mkdir(os.path.join(target, name), 0o755)
        for name in names:
            _copy(os.path.join(folder, name), os.path.join(target, name))
    os.chmod(home, mode)


def _copy(source: str, target: str) -> None:
    if os.path.lexists(target):
        return
    if os.path.islink(source):
        os.symlink(os.readlink(source), target)
        return
    with open(source, "rb") as reader, open(target, "xb") as writer:
        writer.write(reader.read())
        os.fchmod(writer.fileno(), stat.S_IMODE(os.fstat(reader.fileno()).st_mode))
