# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cost of the plan, and whether the user has accepted it."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from .plan import Row

Prices = t.Mapping[str, t.Any]
"""The result of ``price_info``."""
PriceOfOne = t.Mapping["tuple[str, str, int]", "float | None"]
"""The price of one resource for an hour, keyed by ``Priced.key``. None means unknown."""


@dataclass(frozen=True)
class Cost:
    """The cost of all resources in the plan, including those that exist."""

    total: float
    """The sum of the known prices of an hour."""
    currency: str
    unknown: tuple[str, ...]
    """Resources whose price is unknown, with their names in ``price_info``."""
    of_rows: tuple[str, ...]
    """A text for each row; empty for a row without a price."""

    def refused(self, unknown_accepted: t.Collection[str]) -> tuple[str, ...]:
        """The resources whose unknown price the user has not accepted."""
        return tuple(name for name in self.unknown if name not in unknown_accepted)


def cost(rows: t.Sequence[Row], prices: Prices) -> Cost:
    each = {(row["kind"], row["instance_type"], row["gib"]): row["price_per_hour"] for row in prices["prices"]}
    currency = str(prices["currency"])
    return Cost(
        total=round(sum(price for row in rows for price in _known(row, each)), 4),
        currency=currency,
        unknown=tuple(prices["unknown"]),
        of_rows=tuple(_text(row, each, currency) for row in rows),
    )


def _known(row: Row, each: PriceOfOne) -> list[float]:
    """The known prices of the parts of a row."""
    parts = [(each[priced.key], priced.count) for priced in row.priced]
    return [price * count for price, count in parts if price is not None]


def _text(row: Row, each: PriceOfOne, currency: str) -> str:
    known = _known(row, each)
    if not row.priced:
        return ""
    return f"{sum(known):.2f} {currency} an hour" if len(known) == len(row.priced) else "price unknown"
