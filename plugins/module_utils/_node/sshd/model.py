# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""A change of sshd's files, and its status. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

UNCHANGED, PENDING, CONFIRMED, ROLLED_BACK, ROLLING_BACK, UNKNOWN = (
    "unchanged",
    "pending",
    "confirmed",
    "rolled_back",
    "rolling_back",
    "unknown",
)


@dataclass(frozen=True)
class FileWrite:
    """The desired content of one file. Without content, the file is removed."""

    path: str
    content: bytes | None = field(repr=False)
    mode: int = 0o644
    uid: int = 0
    gid: int = 0


@dataclass(frozen=True)
class ChangeStatus:
    status: str
    token: str = ""
    subject: str = ""
    files: tuple[str, ...] = ()
    note: str = ""

    def to_result(self) -> dict[str, t.Any]:
        return {
            "status": self.status,
            "token": self.token,
            "subject": self.subject,
            "files": list(self.files),
            "note": self.note,
        }
