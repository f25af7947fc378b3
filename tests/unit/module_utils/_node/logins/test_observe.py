# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Accounts that allow a login."""

from __future__ import annotations

import os
import pwd

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts.model import Account
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.logins import observe as logins


def account(name="alice", uid=20001, shell="/bin/bash", password="none", expires="", home="/fsx/alice"):
    return Account(name, uid, uid, "", home, shell, password, expires)


@pytest.mark.parametrize(
    ("entry", "keys", "local", "expected"),
    [
        (account(), [], True, True),
        (account(shell="/usr/sbin/nologin"), ["key"], True, False),
        (account("postgres", 111), [], True, False),
        (account("hyperpod-ops", 998), ["key"], True, True),
        (account("root", 0, password="hash"), [], True, True),
        (account("root", 0, password="locked"), [], True, False),
        (account("nobody", 65534), [], True, False),
        (account("carol", 700), [], False, True),
        (account(uid=3_000_000), [], True, True),
    ],
)
def test_accounts_that_allow_a_login_count(entry, keys, local, expected):
    assert logins.counts(entry, keys, local=local) is expected


@pytest.mark.parametrize(("expires", "closed"), [("", False), ("1", True), ("20000", True), ("30000", False)])
def test_an_expired_account_is_closed(expires, closed):
    assert logins.closed(account(expires=expires), now=20000 * 86400) is closed


def test_accounts_of_a_directory_service_are_found_by_key_files_named_after_them(tmp_path):
    me, other = pwd.getpwuid(os.getuid()), pwd.getpwnam("daemon")
    for folder, name in (("names", other.pw_name), ("numbers", str(me.pw_uid)), ("numbers", "4000000"), ("numbers", "notes")):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / name).write_text("")
    effective = {"authorizedkeysfile": (f"{tmp_path}/names/%u {tmp_path}/numbers/%U %h/.ssh/authorized_keys",)}
    found = logins.elsewhere(logins.names_of_files(effective, "%u"), logins.names_of_files(effective, "%U"), [])
    assert sorted(found) == sorted({me.pw_name, other.pw_name})
