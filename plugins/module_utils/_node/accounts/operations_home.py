# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The home of the operations account and the key file in it, as ``node_access`` installed them.

The account may run everything with sudo. So files that other accounts could have put there (``.bashrc``, ``.ssh/rc``) are
set aside.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import stat
import typing as t

from ..._core.failure import Failure
from ..._core.plan import Change, Step
from .. import child, files
from . import operations
from .model import Account, OperationsAccess, State

_OWN_MODE, _FOLDER_MODE, _HOME_MODE = 0o600, 0o700, 0o750
_OTHERS_WRITE = 0o022
_HOME_SECONDS = 10.0

Became = t.Callable[..., t.Callable[[State], State]]


def look(account: Account) -> tuple[files.FileState | None, files.FileState | None]:
    """The folder of the key file in the home, and the key file, as the account sees them. None if missing or not readable."""
    path = own_path(account)

    def read() -> list[t.Any]:
        folder = files.look(os.path.dirname(path))
        own: files.FileState | None = None
        with contextlib.suppress(OSError):
            own = files.look(path)
        return [None if each is None else dataclasses.asdict(each) for each in (folder, own)]

    try:
        found = child.run(read, timeout=_HOME_SECONDS, identity=_identity(account))
    except (child.Hung, child.ChildFailed):
        return None, None
    folder, own = (None if each is None else files.FileState(**each) for each in found)
    return folder, own


def steps(access: OperationsAccess, key: str, became: Became) -> list[Step]:
    """
    :param became: returns the effect that replaces the named fields of the state's ``operations``.
    """
    return [*_home(access, became), *_own_key(access, key, became)]


def restore_home(account: Account) -> None:
    """Create the home, or correct its owner and mode.

    :raises Failure: if root does not own the parent folder, or if others may write to it.
    """
    parent = os.path.dirname(account.home)
    above = os.stat(parent)
    if above.st_uid != 0 or above.st_mode & _OTHERS_WRITE:
        raise Failure(f"root does not own {parent}, or other accounts may write to it")
    if not os.path.lexists(account.home):
        os.mkdir(account.home, _HOME_MODE)
    if _close(account.home, account, _HOME_MODE):
        files.set_aside(account.home, _of_others(account.uid))


def restore_own_key(account: Account, text: str) -> None:
    """Write the key file as the account, so that a link in the home can only lead to files that the account may write.

    :raises child.ChildFailed: if this fails; the file is then unchanged.
    """
    path = own_path(account)
    folder = os.path.dirname(path)

    def write() -> None:
        with contextlib.suppress(FileNotFoundError):
            if not _is_own_folder(os.lstat(folder), account.uid):
                files.set_aside(account.home, lambda name, _status: name == os.path.basename(folder))
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder, _FOLDER_MODE)
        if _close(folder, account, _FOLDER_MODE):
            files.set_aside(folder, _of_others(account.uid))
        files.remove_folder(path)
        files.replace_text(path, text, mode=_OWN_MODE, uid=account.uid, gid=account.gid, durable=False)

    try:
        child.run(write, timeout=_HOME_SECONDS, identity=_identity(account))
    except child.Hung:
        raise child.ChildFailed(f"{path}: its file system does not respond") from None


def own_path(account: Account) -> str:
    return f"{account.home}/.ssh/authorized_keys"


def _home(access: OperationsAccess, became: Became) -> list[Step]:
    account, here = access.account, access.home
    if here is not None and here.is_folder and here.only_written_by(account.uid):
        return []
    known = here is not None and here.is_folder
    change = Change("update" if known else "create", f"home of {account.name}", None, None, account.home)
    effect = became(home=files.FileState("", account.uid, account.gid, _HOME_MODE, files.FOLDER))
    return [Step("restore_operations_home", {"account": account}, (change,), effect=effect)]


def _own_key(access: OperationsAccess, key: str, became: Became) -> list[Step]:
    account, here, folder = access.account, access.own, access.own_folder
    trusted = all(each is not None and each.only_written_by(0, account.uid) for each in (access.home, folder, here))
    text = operations.with_key(here.text if here is not None and trusted else "", key)
    if here is not None and trusted and here.text == text:
        return []
    changes: list[Change] = []
    resource = f"operations key of {account.name}"
    if folder is not None and not (folder.is_folder and folder.only_written_by(0, account.uid)):
        after = f"{account.uid}:{account.gid} {_FOLDER_MODE:04o}"
        changes.append(Change("update", f"folder {os.path.dirname(own_path(account))}", "access", folder.access, after))
    changes.append(Change("create" if here is None else "update", resource, None, None, own_path(account)))
    if here is not None and not trusted:
        changes += operations.not_kept(resource, operations.foreign_lines(here.text))
    effect = became(
        own_folder=files.FileState("", account.uid, account.gid, _FOLDER_MODE, files.FOLDER),
        own=files.FileState(text, account.uid, account.gid, _OWN_MODE),
    )
    arguments = {"account": account, "text": text, "after": account.home}
    return [Step("restore_operations_key", arguments, tuple(changes), effect=effect)]


def _close(path: str, account: Account, mode: int) -> bool:
    """Make the account the only one that may write to the folder. Returns whether others could write to it before."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        status = os.fstat(descriptor)
        if _is_own_folder(status, account.uid) and not status.st_mode & _OTHERS_WRITE:
            return False
        os.fchown(descriptor, account.uid, account.gid)
        os.fchmod(descriptor, mode)
    finally:
        os.close(descriptor)
    return status.st_uid not in (0, account.uid) or bool(status.st_mode & _OTHERS_WRITE)


def _is_own_folder(status: os.stat_result, uid: int) -> bool:
    return stat.S_ISDIR(status.st_mode) and status.st_uid == uid


def _of_others(uid: int) -> t.Callable[[str, os.stat_result], bool]:
    def chosen(_name: str, status: os.stat_result) -> bool:
        writable = stat.S_ISREG(status.st_mode) and bool(status.st_mode & _OTHERS_WRITE)
        return status.st_uid not in (0, uid) or writable

    return chosen


def _identity(account: Account) -> child.Identity:
    return child.Identity(account.name, account.uid, account.gid)
