# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Who can log in to this node and when they last did. Reads only."""

from __future__ import annotations

import os
import pwd
import time
import typing as t

from ..._core.failure import refuse_option
from ..._ssh import authorized_keys
from .. import child, mounts
from ..accounts import observe as accounts_observe
from ..accounts.model import Account
from ..sshd import files as sshd_files
from ..sshd import service as sshd_service
from . import history as login_history
from . import keys as login_keys

_FIRST_PERSON = 1000
_NOBODY = (65534, 65535)
_NO_SHELLS = ("nologin", "false", "sync", "shutdown", "halt")
_NAME_SERVICE_SECONDS = 20.0


def observe(params: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    if not 1 <= params["days"] <= 3650:
        refuse_option("days", params["days"], "a number from 1 to 3650 is allowed")
    now = int(time.time())
    nobody = sshd_files.Connection("nobody").specification
    effective = sshd_files.parse_effective(sshd_service.sshd(["-T", "-C", nobody]).stdout)
    local = accounts_observe.local_accounts()
    history = login_history.read({name: one.uid for name, one in local.items()}, days=params["days"], now=now)
    keys = login_keys.KeyFiles(
        effective,
        shared_roots=params["shared_home_roots"],
        shared_homes=params["shared_homes"],
        table=mounts.read(),
    )
    unread = list(history.unread)
    candidates = {**local, **_elsewhere(_named(effective, history) - set(local), unread)}
    accounts = []
    for name, account in sorted(candidates.items()):
        found = keys.of(account) if has_shell(account) else []
        if counts(account, found, local=name in local):
            accounts.append(_result(account, found, history.last.get(name), effective, now=now))
    command = effective.get("authorizedkeyscommand", ("none",))[0]
    if command != "none":
        unread.append(f"sshd takes keys from the command {command} too, which were not read.")
    since = None if history.since is None else authorized_keys.iso(history.since)
    return {"accounts": accounts, "history_since": since, "unread": unread + keys.unread}


def has_shell(account: Account) -> bool:
    return os.path.basename(account.shell) not in _NO_SHELLS


def counts(account: Account, keys: t.Sequence[t.Any], *, local: bool) -> bool:
    """Whether somebody could log in to the account, or could once it is given a key."""
    if not has_shell(account):
        return False
    person = account.uid >= _FIRST_PERSON and account.uid not in _NOBODY
    return person or not local or bool(keys) or account.password == "hash"


def closed(account: Account, *, now: int) -> bool:
    """Whether the account's expiry date, in days since 1970, is over: then no key opens it."""
    return account.expires.isdigit() and int(account.expires) * 86400 <= now


def _named(effective: sshd_files.Effective, history: login_history.History) -> set[str]:
    """Names that a file of keys or a login tells of."""
    names = set(history.last)
    for pattern in " ".join(effective.get("authorizedkeysfile", ())).split():
        folder, name = os.path.split(pattern)
        if name == "%u" and os.path.isabs(folder) and os.path.isdir(folder):
            names.update(name for name in os.listdir(folder) if "." not in name)
    return names


def _elsewhere(names: t.Collection[str], unread: list[str]) -> dict[str, Account]:
    """The accounts of these names that a directory service has. Names without an account open nothing."""

    def ask() -> list[list[t.Any]]:
        found = []
        for name in sorted(names):
            try:
                entry = pwd.getpwnam(name)
            except KeyError:
                continue
            found.append([entry.pw_name, entry.pw_uid, entry.pw_gid, entry.pw_gecos, entry.pw_dir, entry.pw_shell, "elsewhere"])
        return found

    if not names:
        return {}
    try:
        found = child.run(ask, timeout=_NAME_SERVICE_SECONDS)
    except child.Hung:
        unread.append("Accounts of the directory service were not read: it gave no answer.")
        return {}
    return {row[0]: Account(*row) for row in found}


def _result(
    account: Account,
    keys: t.Sequence[t.Any],
    login: login_history.Login | None,
    effective: sshd_files.Effective,
    *,
    now: int,
) -> dict[str, t.Any]:
    asks = [effective.get(word, ("no",))[0] for word in ("passwordauthentication", "kbdinteractiveauthentication")]
    return {
        "name": account.name,
        "uid": account.uid,
        "home": account.home,
        "shell": account.shell,
        "closed": closed(account, now=now),
        "password_login": account.password == "hash" and "yes" in asks,
        "authorized_keys": list(keys),
        "last_login": None
        if login is None
        else {
            "time": authorized_keys.iso(login.time),
            "method": login.method,
            "fingerprint": login.fingerprint,
            "source": login.source,
        },
    }
