# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Who can log in to a node: options and result."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ..accounts.model import Account
from .history import Login


@dataclass(frozen=True)
class Desired:
    shared_roots: tuple[str, ...]
    shared_homes: bool
    """Whether keys in homes on shared storage are also read."""
    days: int


@dataclass(frozen=True)
class LoginAccount:
    """An account that allows logins."""

    account: Account
    keys: tuple[t.Mapping[str, t.Any], ...]
    last: Login | None
    closed: bool
    password_login: bool


@dataclass(frozen=True)
class State:
    accounts: tuple[LoginAccount, ...]
    history_since: int | None
    unread: tuple[str, ...]
    """One sentence for each source that could not be read."""
