# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Our drop-in for sshd, desired and observed. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

from ..files import Effective

REFUSAL = "/etc/ssh/mlfleet-hyperpod-refused"
"""The file with the message for users whose logins are refused. sshd does not interpret the characters of this file."""


@dataclass(frozen=True)
class Desired:
    """The module's options, after validation."""

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
    """The certificate's line, keyed by type of host key."""
    password_authentication: bool | None
    source_penalties: bool | None
    refuse_logins: str
    """The message for users, ending with a newline; empty if logins are allowed."""
    people_port: int | None = None
    """The readiness gate's port for logins; None if users log in to sshd's own port only."""
    operations_algorithm: str = ""
    """The algorithm of the key that an earlier task installs for ``operations_user``; empty if there is no key."""

    @property
    def refusal(self) -> str | None:
        return self.refuse_logins if self.present and self.refuse_logins else None


@dataclass(frozen=True)
class State:
    """The drop-in on the node, and sshd's settings without it."""

    text: str | None
    attributes: str
    main: str
    without_ours: Effective
    refusal: str | None = None
    """The message for refused users, if present."""
    certificates: t.Mapping[str, str] = field(default_factory=dict)
    """The text of the certificate's file, keyed by type of host key."""
