# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""AWS's enumerations of statuses, sorted by meaning. A unit test compares each table with the service's model in botocore."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Statuses:
    """An enumeration; ``service`` and ``shape`` are its names in botocore."""

    service: str
    shape: str
    settled: tuple[str, ...] = ()
    busy: tuple[str, ...] = ()
    """Statuses that AWS changes by itself."""
    failed: tuple[str, ...] = ()

    @property
    def values(self) -> tuple[str, ...]:
        return (*self.settled, *self.busy, *self.failed)

    def is_busy(self, status: str) -> bool:
        """True also for a status that is not in the table, because AWS may have added it, but not for an empty one."""
        return bool(status) and status not in self.settled and status not in self.failed
