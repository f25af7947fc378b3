# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads who can log in to this node, and when each account last logged in."""

from __future__ import annotations

import functools
import os
import pwd
import re
import time
import typing as t

from .. import child, mounts
from ..accounts.local import local_accounts
from ..accounts.model import Account
from ..sshd import files as sshd_files, service as sshd_service
from . import history as login_history
from .keys import KeyFiles
from .model import Desired, LoginAccount, State

_FIRST_PERSON = 1000
_RESERVED = (65534, 65535)
_NO_SHELLS = ("nologin", "false", "sync", "shutdown", "halt")
_NAME_SERVICE_SECONDS = 20.0
_PASSWORD_KEYWORDS = ("passwordauthentication", "kbdinteractiveauthentication")


def observe(desired: Desired) -> State:
    now = int(time.time())
    effective = _effective()
    local = local_accounts()
    history = login_history.read({name: one.uid for name, one in local.items()}, days=desired.days, now=now)
    keys = KeyFiles(
        effective, shared_roots=desired.shared_roots, shared_homes=desired.shared_homes, table=mounts.read()
    )
    unread = list(history.unread)
    uids = names_of_files(effective, "%U") - {str(account.uid) for account in local.values()}
    names = (names_of_files(effective, "%u") | set(history.last)) - set(local)
    candidates = {**local, **elsewhere(names, uids, unread)}
    found = []
    for name, account in sorted(candidates.items()):
        own = keys.of(account) if has_shell(account) else []
        if counts(account, own, local=name in local):
            password = account.password == "hash" and _takes_passwords(effective)
            found.append(LoginAccount(account, tuple(own), history.last.get(name), closed(account, now=now), password))
    command = effective.get("authorizedkeyscommand", ("none",))[0]
    if command != "none":
        unread.append(f"sshd also gets keys from the command {command}. These keys are unknown.")
    return State(tuple(found), history.since, (*unread, *keys.unread))


def _effective() -> sshd_files.Effective:
    return sshd_files.parse_effective(sshd_service.sshd(["-T", "-C", sshd_files.Connection("nobody").specification]).stdout)


def _takes_passwords(effective: sshd_files.Effective) -> bool:
    return any(effective.get(word, ("no",))[0] == "yes" for word in _PASSWORD_KEYWORDS)


def has_shell(account: Account) -> bool:
    return os.path.basename(account.shell) not in _NO_SHELLS


def counts(account: Account, keys: t.Sequence[t.Any], *, local: bool) -> bool:
    """Whether the account allows logins, with its current keys or with a key that is added later."""
    if not has_shell(account):
        return False
    person = account.uid >= _FIRST_PERSON and account.uid not in _RESERVED
    return person or not local or bool(keys) or account.password == "hash"


def closed(account: Account, *, now: int) -> bool:
    """Whether the account has expired, so that no key allows a login. The expiry date is in days since 1970."""
    return account.expires.isdigit() and int(account.expires) * 86400 <= now


def names_of_files(effective: sshd_files.Effective, token: str) -> set[str]:
    """Names of key files, from folders in which ``token`` (``%u`` or ``%U``) names each file after an account."""
    names: set[str] = set()
    for pattern in " ".join(effective.get("authorizedkeysfile", ())).split():
        folder, name = os.path.split(pattern)
        if name == token and os.path.isabs(folder) and os.path.isdir(folder):
            names.update(name for name in os.listdir(folder) if "." not in name)
    return names


def elsewhere(names: t.Collection[str], uids: t.Collection[str], unread: list[str]) -> dict[str, Account]:
    """The accounts of a directory service with these names and UIDs. Names and UIDs without an account are ignored."""
    lookups = [functools.partial(pwd.getpwnam, name) for name in sorted(names)]
    lookups += [functools.partial(pwd.getpwuid, int(uid)) for uid in sorted(uids) if re.fullmatch("[0-9]{1,10}", uid)]

    def ask() -> list[list[t.Any]]:
        found = []
        for lookup in lookups:
            try:
                entry = lookup()
            except (KeyError, OverflowError):
                continue
            found.append([entry.pw_name, entry.pw_uid, entry.pw_gid, entry.pw_gecos, entry.pw_dir, entry.pw_shell, "elsewhere"])
        return found

    if not lookups:
        return {}
    try:
        found = child.run(ask, timeout=_NAME_SERVICE_SECONDS)
    except child.Hung:
        unread.append("Accounts of the directory service could not be read: it did not respond.")
        return {}
    return {row[0]: Account(*row) for row in found}
