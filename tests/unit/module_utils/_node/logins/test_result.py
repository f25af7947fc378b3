# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The result of login_info."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts.model import Account
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.logins.history import Login
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.logins.model import LoginAccount, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.logins.result import result

ALICE = Account("alice", 20001, 20002, "Alice", "/fsx/alice", "/bin/bash", "hash")
KEY = {"type": "ssh-ed25519", "fingerprint": "SHA256:x"}


def test_an_account_has_its_keys_and_its_last_login() -> None:
    seen = LoginAccount(ALICE, (KEY,), Login(1_700_000_000, "publickey", "SHA256:x"), closed=True, password_login=False)
    assert result(State((seen,), 1_600_000_000, ("It hangs.",)))["login_info"] == {
        "accounts": [
            {
                "name": "alice",
                "uid": 20001,
                "home": "/fsx/alice",
                "shell": "/bin/bash",
                "closed": True,
                "password_login": False,
                "authorized_keys": [KEY],
                "last_login": {
                    "time": "2023-11-14T22:13:20Z",
                    "method": "publickey",
                    "fingerprint": "SHA256:x",
                    "source": "journal",
                },
            }
        ],
        "history_since": "2020-09-13T12:26:40Z",
        "unread": ["It hangs."],
    }


def test_unknown_values_are_null() -> None:
    seen = LoginAccount(ALICE, (), None, closed=False, password_login=True)
    (found,) = result(State((seen,), None, ()))["login_info"]["accounts"]
    assert (found["last_login"], found["closed"], found["password_login"], found["authorized_keys"]) == (None, False, True, [])
    assert result(State((), None, ()))["login_info"]["history_since"] is None
