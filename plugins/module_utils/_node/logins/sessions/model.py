# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""A user's session on a node. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

from dataclasses import dataclass

CLOSING = "closing"
"""State of a session whose user has logged out and whose processes continue."""


@dataclass(frozen=True)
class Desired:
    end: bool
    notice: str
    operations_user: str


@dataclass(frozen=True)
class Session:
    """``id`` is the login manager's session ID, or ``pid-N`` for a login that is not in the login manager's list."""

    id: str
    user: str
    uid: int
    state: str
    since: str
    tty: str
    """The terminals, separated by commas. sshd opens several for a multiplexed connection."""
    remote: str
    commands: tuple[str, ...]
    pids: tuple[int, ...]


State = tuple[Session, ...]
