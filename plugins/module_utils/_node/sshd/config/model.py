# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Our drop-in for sshd: desired and observed. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

from ..files import Effective

REFUSAL = "/etc/ssh/mlfleet-hyperpod-refused"
"""What people read whose login is refused. In a file, so that no character of it means anything to sshd."""


@dataclass(frozen=True)
class Desired:
    """The module's options, checked."""

    present: bool
    client_alive_interval: int
    client_alive_count_max: int
    max_startups: str
    authorized_keys_dir: str
    deny_user_keys: bool
    operations_user: str
    host_key_types: tuple[str, ...]
    next_host_key_types: tuple[str, ...]
    host_certificates: t.Mapping[str, str]
    """Type of the host key to the line of its certificate."""
    password_authentication: bool | None
    source_penalties: bool | None
    refuse_logins: str
    """The message for users, ending with a newline; empty if logins are allowed."""
    people_port: int | None = None
    """The login port for people, if not only that of sshd itself."""
    operations_algorithm: str = ""
    """Of the key that ``operations_user`` gets before this change; empty without a key."""

    @property
    def refusal(self) -> str | None:
        return self.refuse_logins if self.present and self.refuse_logins else None


@dataclass(frozen=True)
class State:
    """The drop-in as found, and what sshd does without it."""

    text: str | None
    attributes: str
    main: str
    without_ours: Effective
    refusal: str | None = None
    """The message for refused users, if present."""
    certificates: t.Mapping[str, str] = field(default_factory=dict)
    """Type of the host key to the text of its certificate's file."""
