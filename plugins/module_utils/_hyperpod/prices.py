# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Hourly prices of planned resources, from the Price List API or, for some nodes, from a dated table."""

from __future__ import annotations

import re
import typing as t
from dataclasses import dataclass

from .._aws.client import Api, AwsError
from .._aws.price_list import NODE, OF_INSTANCES, OF_STORAGE, hourly
from .._core.checks import check_number, check_unique
from .._core.failure import Refused, refuse_option
from .cluster.parts import INSTANCE_TYPE, INSTANCE_TYPE_ALLOWED, MOST_NODES

PRICE_LIST_REGIONS = {"aws": "us-east-1", "aws-cn": "cn-northwest-1"}
"""The Region of the Price List API, keyed by partition. Other partitions do not have this API."""
CURRENCIES = {"aws-cn": "CNY"}
"""The currency of prices, keyed by partition. Prices in other partitions are in US dollars."""

TABLE_DATE = "2026-10"
TABLE = {
    ("us-west-2", "ml.p4d.24xlarge"): 25.91001756,
    ("us-west-2", "ml.p5.48xlarge"): 66.048,
    ("us-west-2", "ml.g5.8xlarge"): 3.06,
}
"""US dollars per hour of a HyperPod node, keyed by Region and instance type."""
EC2_TYPE, EC2_TYPE_ALLOWED = r"[a-z0-9-]+\.[a-z0-9-]+", "an instance type of EC2 such as p5.48xlarge"
LARGEST_GIB = 16 * 1024 * 1024


@dataclass(frozen=True)
class Item:
    """Planned resources of one kind and size."""

    count: int
    kind: str = NODE
    instance_type: str = ""
    """Empty for a kind that is not an instance."""
    gib: int = 0
    """The size of each resource; 0 for a kind that is not storage."""

    @property
    def name(self) -> str:
        return self.instance_type or (f"{self.kind} of {self.gib} GiB" if self.gib else self.kind)


@dataclass(frozen=True)
class Price:
    """The hourly price of one resource. None means unknown, which is not zero."""

    item: Item
    each: float | None
    source: str

    def to_result(self) -> dict[str, t.Any]:
        item = self.item
        return {
            "kind": item.kind,
            "instance_type": item.instance_type,
            "gib": item.gib,
            "count": item.count,
            "price_per_hour": self.each,
            "total_per_hour": None if self.each is None else round(self.each * item.count, 4),
            "source": self.source,
        }

    @property
    def described(self) -> str:
        if self.each is None:
            return f"{self.item.count} x {self.item.name}: price unknown"
        return f"{self.item.count} x {self.item.name} {self.each * self.item.count:.2f}"


def of_nodes(nodes: t.Mapping[str, int]) -> list[Item]:
    """HyperPod nodes, from their numbers keyed by instance type."""
    return [Item(count, instance_type=name) for name, count in nodes.items()]


def planned_nodes(params: t.Mapping[str, t.Any]) -> dict[str, int]:
    """The number of HyperPod nodes, keyed by instance type.

    :raises Refused: for the first invalid option.
    """
    return {item.instance_type: item.count for item in planned(params)}


def planned(params: t.Mapping[str, t.Any]) -> list[Item]:
    """:raises Refused: for the first invalid option."""
    items = [_item(each) for each in params["planned"]]
    check_unique("planned", [item.name for item in items])
    return items


def _item(each: t.Mapping[str, t.Any]) -> Item:
    kind, name, gib = each.get("kind", NODE), each["instance_type"] or "", each.get("gib") or 0
    for option, given, kinds in (("instance_type", name, OF_INSTANCES), ("gib", gib, OF_STORAGE)):
        if bool(given) != (kind in kinds):
            text = f"missing; kind {kind} requires it" if kind in kinds else f"kind {kind} does not have this option"
            raise Refused(f"planned.{option}: {text}.", option=f"planned.{option}")
    pattern, allowed = (INSTANCE_TYPE, INSTANCE_TYPE_ALLOWED) if kind == NODE else (EC2_TYPE, EC2_TYPE_ALLOWED)
    if name and not re.fullmatch(pattern, name):
        refuse_option("planned.instance_type", name, allowed)
    if kind in OF_STORAGE:
        check_number("planned.gib", gib, 1, LARGEST_GIB)
    return Item(check_number("planned.count", each["count"], 1, MOST_NODES), kind, name, gib)


def read(api: Api | None, items: t.Sequence[Item], *, region: str, partition: str) -> dict[str, t.Any]:
    """The module's result. ``api`` is None in a partition without the Price List API."""
    currency = CURRENCIES.get(partition, "USD")
    notes: list[str] = []
    prices = [_price(api, item, region, currency, notes) for item in items]
    known = [price for price in prices if price.each is not None]
    total = round(sum((price.each or 0.0) * price.item.count for price in known), 4)
    return {
        "prices": [price.to_result() for price in prices],
        "currency": currency,
        "total_per_hour": total if known else None,
        "unknown": [price.item.name for price in prices if price.each is None],
        "told": _line(prices, total, currency),
        "notes": list(dict.fromkeys(notes)),
    }


def _price(api: Api | None, item: Item, region: str, currency: str, notes: list[str]) -> Price:
    listed = None
    try:
        if api is not None:
            listed = hourly(api, item.kind, instance_type=item.instance_type, region=region, currency=currency)
    except AwsError as error:
        notes.append(f"The Price List API could not be queried: {error}")
    if listed is not None:
        return Price(item, listed * (item.gib or 1), "price list")
    table = TABLE.get((region, item.instance_type)) if (currency, item.kind) == ("USD", NODE) else None
    return Price(item, table, f"table of {TABLE_DATE}" if table is not None else "unknown")


def _line(prices: t.Sequence[Price], total: float, currency: str) -> str:
    """One line for the report."""
    parts = "; ".join(price.described for price in prices)
    known = any(price.each is not None for price in prices)
    return f"about {total:.2f} {currency} an hour ({parts})" if known else parts
