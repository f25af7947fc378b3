# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The access of the operations account: its key, home and sudo rule, as ``node_access`` installed them.

An open SSH connection continues to work without them, but the next one would fail. Other lines of the files stay, unless
other accounts could have written them.
"""

from __future__ import annotations

import dataclasses
import posixpath
import typing as t

from ..._core.failure import not_allowed
from ..._core.finding import Finding
from ..._core.plan import Change, Step
from ..._ssh.public_key import HOST_KEY_ALGORITHMS, BadKey, PublicKey
from .. import files
from . import operations_home, rights
from .model import SUDOERS_FOLDER, Account, Desired, OperationsAccess, State
from .operations import foreign_lines, not_kept, with_key
from .record_edits import edit_step
from .records import Edit

NO_SHELLS = ("nologin", "false")
_SHELL = "/bin/bash"
_KEYS_MODE, _RULE_MODE = 0o644, 0o440
_DAY = 86400


def key_of(line: str | None, problems: list[str]) -> str:
    """The key without its comment; empty if the option is omitted."""
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
    """The access as it is on the node. None if no key is declared, or if the account does not exist, because only node_access
    creates the account.
    """
    account = accounts.get(desired.operations_user)
    if account is None or not desired.operations_key:
        return None
    try:
        home = files.look(account.home)
    except OSError:
        home = None
    own_folder, own = operations_home.look(account)
    return OperationsAccess(
        account=account,
        home=home,
        own_folder=own_folder,
        own=own,
        managed=files.look(desired.keys_path(account.name)),
        rule=files.look(_rule_path(account.name)),
    )


def steps(desired: Desired, state: State) -> list[Step]:
    """The managed key is the first step, because it is sufficient for a connection."""
    access = state.operations
    if access is None:
        return []
    return [
        *_managed_key(desired, access, state),
        *_rule(access),
        *_record(access.account, state),
        *operations_home.steps(access, desired.operations_key, _became),
    ]


def notes(desired: Desired, state: State) -> list[Finding]:
    access = state.operations
    if access is None:
        return []
    name = access.account.name
    return rights.folders_in_the_way({desired.keys_path(name): access.managed, _rule_path(name): access.rule})


def _managed_key(desired: Desired, access: OperationsAccess, state: State) -> list[Step]:
    name, here = access.account.name, access.managed
    trusted = here is not None and here.only_written_by(0) and not state.keys_dir_open
    text = with_key(here.text if here is not None and trusted else "", desired.operations_key)
    wanted = files.FileState(text, 0, 0, _KEYS_MODE)
    if (here == wanted and trusted) or rights.is_in_the_way(here):
        return []
    change = _change(f"operations key of {name}", here)
    lost = not_kept(change.resource, foreign_lines(here.text)) if here is not None and not trusted else ()
    arguments = {"path": desired.keys_path(name), "text": text, "mode": _KEYS_MODE}
    return [Step("write_file", arguments, (change, *lost), effect=_became(managed=wanted))]


def _rule(access: OperationsAccess) -> list[Step]:
    name, here = access.account.name, access.rule
    wanted = files.FileState(rule(name), 0, 0, _RULE_MODE)
    if here == wanted or rights.is_in_the_way(here):
        return []
    arguments = {"path": _rule_path(name), "text": wanted.text, "mode": _RULE_MODE}
    return [Step("write_file", arguments, (_change(f"sudo rule of {name}", here),), effect=_became(rule=wanted))]


def _record(account: Account, state: State) -> list[Step]:
    """The step that replaces a shell that runs nothing and removes the expiry of an expired account. Both would prevent logins."""
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


def _change(resource: str, here: files.FileState | None) -> Change:
    if here is None:
        return Change("create", resource)
    if here.kind != files.PLAIN:
        return Change("update", resource, "kind", here.kind, files.PLAIN)
    return Change("update", resource, "access", here.access, "as node_access installed it")


def _became(**fields: t.Any) -> t.Callable[[State], State]:
    def effect(state: State) -> State:
        access = t.cast(OperationsAccess, state.operations)
        return dataclasses.replace(state, operations=dataclasses.replace(access, **fields))

    return effect


def _key_of(name: str) -> str:
    return f"operations key of {name}"


def _rule_path(name: str) -> str:
    return f"{SUDOERS_FOLDER}/{name}"
