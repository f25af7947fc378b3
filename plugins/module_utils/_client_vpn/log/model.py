# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""A query of the connection log of a Client VPN endpoint."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Desired:
    """The log to read, and the number of days to read."""

    log_group: str
    days: int
