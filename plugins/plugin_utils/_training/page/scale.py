# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Axes: the positions of values, and round numbers for ticks."""

from __future__ import annotations

import math
import typing as t
from dataclasses import dataclass

STEPS = (1, 2, 5, 10)
"""Distances between ticks, to be multiplied by a power of ten."""


@dataclass(frozen=True)
class Scale:
    """Maps values from ``low`` to ``high`` to positions from ``begin`` to ``end``."""

    low: float
    high: float
    begin: float
    end: float

    def at(self, value: float) -> float:
        span = self.high - self.low
        share = (value - self.low) / span if span else 0.5
        return self.begin + share * (self.end - self.begin)


def ticks(low: float, high: float, most: int, *, whole: bool = False) -> list[float]:
    """Round values between ``low`` and ``high``.

    :param most: the maximum number of ticks, at least two.
    :param whole: whether ticks must be integers.
    """
    rough = (high - low) / most
    if rough <= 0:
        return [low]
    power = 10.0 ** math.floor(math.log10(rough))
    distance = next(each * power for each in STEPS if each * power * (most + 1e-9) >= high - low)
    distance = max(distance, 1.0) if whole else distance
    first, last = math.ceil(low / distance - 1e-9), math.floor(high / distance + 1e-9)
    return [number * distance for number in range(first, last + 1)]


def span(values: t.Iterable[float]) -> tuple[float, float]:
    """The range of the values, extended to zero."""
    found = list(values)
    return min(0.0, *found), max(0.0, *found) or 1.0
