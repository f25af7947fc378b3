# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The return values of ``login_info``."""

from __future__ import annotations

import typing as t

from ..._core.times import iso_epoch
from .history import Login
from .model import LoginAccount, State


def result(state: State) -> dict[str, t.Any]:
    since = None if state.history_since is None else iso_epoch(state.history_since)
    accounts = [_account(each) for each in state.accounts]
    return {"login_info": {"accounts": accounts, "history_since": since, "unread": list(state.unread)}}


def _account(found: LoginAccount) -> dict[str, t.Any]:
    return {
        "name": found.account.name,
        "uid": found.account.uid,
        "home": found.account.home,
        "shell": found.account.shell,
        "closed": found.closed,
        "password_login": found.password_login,
        "authorized_keys": list(found.keys),
        "last_login": None if found.last is None else _login(found.last),
    }


def _login(login: Login) -> dict[str, t.Any]:
    return {"time": iso_epoch(login.time), "method": login.method, "fingerprint": login.fingerprint, "source": login.source}
