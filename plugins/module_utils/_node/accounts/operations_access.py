# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The access of the operations account: its key, home and sudo rule, as first access installed them.

An SSH connection that is still open works without any of them, and the next one fails. What else is in the files stays.
"""

from __future__ import annotations

import dataclasses
import os
import posixpath
import stat
import typing as t

from ..._core.failure import Failure, not_allowed
from ..._core.plan import Change, Step
from ..._core.text import lines_of
from ..._ssh.public_key import HOST_KEY_ALGORITHMS, BadKey, PublicKey
from .. import child, files
from .model import SUDOERS_FOLDER, Account, Desired, OperationsAccess, State
from .operations import MARK, is_marked
from .record_edits import edit_step
from .records import Edit

NO_SHELLS = ("nologin", "false")
_SHELL = "/bin/bash"
_KEYS_MODE, _OWN_MODE, _RULE_MODE, _HOME_MODE = 0o644, 0o600, 0o440, 0o750
_OTHERS_WRITE = 0o022
_HOME_SECONDS = 10.0
_DAY = 86400


def key_of(line: str | None, problems: list[str]) -> str:
    """The key without its comment; empty where none is given."""
    if not line:
        return ""
    try:
        key = PublicKey.parse(line)
    except BadKey as error:
        problems.append(not_allowed("operations_key", error.shown, "one line with a public key", str(error)))
        return ""
    if key.algorithm not in HOST_KEY_ALGORITHMS:
        problems.append(not_allowed("operations_key", key.algorithm, f"a key of type {', '.join(HOST_KEY_ALGORITHMS)}"))
    return str(key)


def rule(name: str) -> str:
    return f"{name} ALL=(ALL:ALL) NOPASSWD: ALL\n"


def look(desired: Desired, accounts: t.Mapping[str, Account]) -> OperationsAccess | None:
    """None where no key is given, or where the account does not exist: first access creates it."""
    account = accounts.get(desired.operations_user)
    if account is None or not desired.operations_key:
        return None
    try:
        home = os.lstat(account.home)
    except OSError:
        home = None
    return OperationsAccess(
        account=account,
        home=home is not None and stat.S_ISDIR(home.st_mode),
        home_fits=home is not None and home.st_uid == account.uid and not home.st_mode & _OTHERS_WRITE,
        own=_own(account),
        managed=files.read(desired.keys_path(account.name)),
        rule=files.read(_rule_path(account.name)),
    )


def steps(desired: Desired, state: State) -> list[Step]:
    """The managed key first: a connection needs no more than that."""
    access = state.operations
    if access is None:
        return []
    return [
        *_managed_key(desired, access),
        *_rule(access),
        *_record(access.account, state),
        *_home(access),
        *_own_key(desired, access),
    ]


def restore_home(account: Account) -> None:
    """
    :raises Failure: a folder in which somebody else than root may create it.
    """
    parent = os.path.dirname(account.home)
    above = os.stat(parent)
    if above.st_uid != 0 or above.st_mode & _OTHERS_WRITE:
        raise Failure(f"root does not own {parent}, or others may write to it")
    if not os.path.lexists(account.home):
        os.mkdir(account.home, _HOME_MODE)
    descriptor = os.open(account.home, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        os.fchown(descriptor, account.uid, account.gid)
        os.fchmod(descriptor, _HOME_MODE)
    finally:
        os.close(descriptor)


def restore_own_key(account: Account, text: str) -> None:
    """As the account: a link in its home leads nowhere else than it may write itself.

    :raises child.ChildFailed: the file stays as it was.
    """
    path = _own_path(account)

    def write() -> None:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        files.replace_text(path, text, mode=_OWN_MODE, uid=account.uid, gid=account.gid, durable=False)

    try:
        child.run(write, timeout=_HOME_SECONDS, identity=_identity(account))
    except child.Hung:
        raise child.ChildFailed(f"{path}: its file system does not answer") from None


def _managed_key(desired: Desired, access: OperationsAccess) -> list[Step]:
    name, here = access.account.name, access.managed
    text = _with_key("" if here is None else here.text, desired.operations_key)
    wanted = files.FileState(text, 0, 0, _KEYS_MODE)
    if here == wanted:
        return []
    arguments = {"path": desired.keys_path(name), "text": text, "mode": _KEYS_MODE}
    return [Step("write_file", arguments, (_change(_key_of(name), here),), effect=_became(managed=wanted))]


def _rule(access: OperationsAccess) -> list[Step]:
    name, here = access.account.name, access.rule
    wanted = files.FileState(rule(name), 0, 0, _RULE_MODE)
    if here == wanted:
        return []
    arguments = {"path": _rule_path(name), "text": wanted.text, "mode": _RULE_MODE}
    return [Step("write_file", arguments, (_change(f"sudo rule of {name}", here),), effect=_became(rule=wanted))]


def _record(account: Account, state: State) -> list[Step]:
    """A shell that runs nothing, or a date on which the account has expired, lets nobody in."""
    edits, changes, fixed = [], [], account
    if posixpath.basename(account.shell) in NO_SHELLS:
        edits.append(Edit("passwd", account.name, {"shell": _SHELL}))
        changes.append(Change("update", f"user {account.name}", "shell", account.shell, _SHELL))
        fixed = dataclasses.replace(fixed, shell=_SHELL)
    if account.expires.isdigit() and int(account.expires) * _DAY <= state.now:
        edits.append(Edit("shadow", account.name, {"expire": ""}))
        changes.append(Change("update", f"user {account.name}", "expired", True, False))
        fixed = dataclasses.replace(fixed, expires="")
    if not edits:
        return []
    step = edit_step(edits, changes, state)
    became = _became(account=fixed)
    return [dataclasses.replace(step, effect=lambda state: became(step.effect(state)))]


def _home(access: OperationsAccess) -> list[Step]:
    if access.home and access.home_fits:
        return []
    account = access.account
    change = Change("update" if access.home else "create", f"home of {account.name}", None, None, account.home)
    effect = _became(home=True, home_fits=True)
    return [Step("restore_operations_home", {"account": account}, (change,), effect=effect)]


def _own_key(desired: Desired, access: OperationsAccess) -> list[Step]:
    account, here = access.account, access.own
    text = _with_key(here or "", desired.operations_key)
    if here == text:
        return []
    change = Change("create" if here is None else "update", _key_of(account.name), None, None, _own_path(account))
    arguments = {"account": account, "text": text, "after": account.home}
    return [Step("restore_operations_key", arguments, (change,), effect=_became(own=text))]


def _own(account: Account) -> str | None:
    """None where there is no plain file, or the account may not read it."""

    def read() -> str | None:
        state = files.read(_own_path(account))
        return None if state is None else state.text

    try:
        text: str | None = child.run(read, timeout=_HOME_SECONDS, identity=_identity(account))
    except (child.Hung, child.ChildFailed):
        return None
    return text


def _with_key(text: str, key: str) -> str:
    """One line with our mark, the last one; other lines stay."""
    ours = f"{key} {MARK}"
    lines = lines_of(text)
    if lines.count(ours) == len([line for line in lines if is_marked(line)]) == 1:
        return text
    return "".join(f"{line}\n" for line in [*(line for line in lines if line and not is_marked(line)), ours])


def _change(resource: str, here: files.FileState | None) -> Change:
    if here is None:
        return Change("create", resource)
    return Change("update", resource, "access", f"{here.uid}:{here.gid} {here.mode:04o}", "as first access installed it")


def _became(**fields: t.Any) -> t.Callable[[State], State]:
    def effect(state: State) -> State:
        access = t.cast(OperationsAccess, state.operations)
        return dataclasses.replace(state, operations=dataclasses.replace(access, **fields))

    return effect


def _key_of(name: str) -> str:
    return f"operations key of {name}"


def _own_path(account: Account) -> str:
    return f"{account.home}/.ssh/authorized_keys"


def _rule_path(name: str) -> str:
    return f"{SUDOERS_FOLDER}/{name}"


def _identity(account: Account) -> child.Identity:
    return child.Identity(account.name, account.uid, account.gid)
