# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Enumerations of AWS, each value sorted by what it means. The unit test compares every table with the model of the service."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Statuses:
    """``service`` and ``shape`` name the enumeration in botocore."""

    service: str
    shape: str
    settled: tuple[str, ...] = ()
    busy: tuple[str, ...] = ()
    """AWS moves the resource on from these by itself."""
    failed: tuple[str, ...] = ()

    @property
    def values(self) -> tuple[str, ...]:
        return (*self.settled, *self.busy, *self.failed)

    def is_busy(self, status: str) -> bool:
        """Also for a value that AWS introduced after this table. An empty status was not reported, and is not busy."""
        return bool(status) and status not in self.settled and status not in self.failed
