# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""A requirement of an operation, and the current state."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass


@dataclass(frozen=True)
class Requirement:
    name: str
    met: bool | None
    """None if it is unknown whether the requirement is met."""
    found: str
    needed: str

    def to_result(self) -> dict[str, t.Any]:
        return {"name": self.name, "met": self.met, "found": self.found, "needed": self.needed}
