# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads durations in Karpenter's notation."""

from __future__ import annotations

import re

_UNITS = {"h": 3600, "m": 60, "s": 1}
DURATION = re.compile(r"([0-9]+[hms])+")
NEVER = "Never"


def seconds(duration: str) -> int | None:
    """The number of seconds in a duration such as ``1h30m``; None for ``Never`` and for an invalid duration."""
    if not DURATION.fullmatch(duration):
        return None
    return sum(int(number) * _UNITS[unit] for number, unit in re.findall(r"([0-9]+)([hms])", duration))
