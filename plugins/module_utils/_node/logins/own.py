# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The login of this process. Standard library only, Python 3.9 syntax.

sudo removes ``SSH_CONNECTION``, so this variable is read from the environments of all ancestors of this process.
"""

from __future__ import annotations

import os
import typing as t
from dataclasses import dataclass


@dataclass(frozen=True)
class Login:
    """The TCP connection and the user of the SSH session that this process runs in."""

    user: str
    client_address: str
    client_port: str
    server_address: str
    server_port: str

    @property
    def connection(self) -> str:
        """A text that differs between any two open logins, because two connections cannot have the same client port."""
        return f"{self.client_address} {self.client_port} {self.server_address} {self.server_port}"


def current_login() -> Login | None:
    """The login of the outermost SSH session above this process; None if the process was not started through sshd."""
    found = None
    for environment in _ancestors():
        found = login_from(environment) or found
    return found


def login_from(environment: t.Mapping[str, str]) -> Login | None:
    parts = environment.get("SSH_CONNECTION", "").split()
    user = environment.get("LOGNAME") or environment.get("USER") or ""
    return Login(user, *parts) if len(parts) == 4 and user else None


def _ancestors() -> t.Iterator[dict[str, str]]:
    pid = os.getpid()
    while pid > 1:
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                pairs = (entry.partition("=") for entry in file.read().decode(errors="replace").split("\0"))
                yield {name: value for name, _equals, value in pairs if name}
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
                # The command name may contain spaces and parentheses; the parent is the second field after it.
                pid = int(file.read().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            return
