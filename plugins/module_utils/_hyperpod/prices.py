# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Hourly prices of nodes, from HyperPod's entries in the Price List API or else from a dated table."""

from __future__ import annotations

import json
import re
import typing as t
from dataclasses import dataclass

from .._aws.client import Api, AwsError
from .._core.checks import check_number, check_unique
from .._core.failure import refuse_option
from .cluster.parts import INSTANCE_TYPE, INSTANCE_TYPE_ALLOWED, MOST_NODES

PRICE_LIST_REGIONS = {"aws": "us-east-1", "aws-cn": "cn-northwest-1"}
"""The Region of the Price List API by partition; other partitions have none."""
CURRENCIES = {"aws-cn": "CNY"}
"""Currency by partition; US dollars elsewhere."""

TABLE_DATE = "2026-10"
TABLE = {
    ("us-west-2", "ml.p4d.24xlarge"): 25.91001756,
    ("us-west-2", "ml.p5.48xlarge"): 66.048,
    ("us-west-2", "ml.g5.8xlarge"): 3.06,
}
"""US dollars per hour in one Region."""


@dataclass(frozen=True)
class Price:
    """The hourly price of one node. None means unknown, which is not zero."""

    instance_type: str
    count: int
    each: float | None
    source: str

    def to_result(self) -> dict[str, t.Any]:
        total = None if self.each is None else round(self.each * self.count, 4)
        return {
            "instance_type": self.instance_type,
            "count": self.count,
            "price_per_hour": self.each,
            "total_per_hour": total,
            "source": self.source,
        }

    @property
    def described(self) -> str:
        if self.each is None:
            return f"{self.count} x {self.instance_type}: price unknown"
        return f"{self.count} x {self.instance_type} {self.each * self.count:.2f}"


def planned(params: t.Mapping[str, t.Any]) -> dict[str, int]:
    """:raises Refused: for the first invalid option."""
    check_unique("planned", [each["instance_type"] for each in params["planned"]])
    for each in params["planned"]:
        if not re.fullmatch(INSTANCE_TYPE, each["instance_type"]):
            refuse_option("planned.instance_type", each["instance_type"], INSTANCE_TYPE_ALLOWED)
        check_number("planned.count", each["count"], 1, MOST_NODES)
    return {each["instance_type"]: each["count"] for each in params["planned"]}


def read(api: Api | None, nodes: t.Mapping[str, int], *, region: str, partition: str) -> dict[str, t.Any]:
    """``api``: None in a partition without the Price List API."""
    currency = CURRENCIES.get(partition, "USD")
    notes: list[str] = []
    prices = [_price(api, name, count, region, currency, notes) for name, count in nodes.items()]
    known = [price for price in prices if price.each is not None]
    total = round(sum((price.each or 0.0) * price.count for price in known), 4)
    return {
        "prices": [price.to_result() for price in prices],
        "currency": currency,
        "total_per_hour": total if known else None,
        "unknown": [price.instance_type for price in prices if price.each is None],
        "told": _line(prices, total, currency),
        "notes": list(dict.fromkeys(notes)),
    }


def _price(api: Api | None, name: str, count: int, region: str, currency: str, notes: list[str]) -> Price:
    try:
        listed = _listed(api, name, region, currency) if api is not None else None
    except AwsError as error:
        notes.append(f"The Price List API could not be queried: {error}")
        listed = None
    if listed is not None:
        return Price(name, count, listed, "price list")
    table = TABLE.get((region, name)) if currency == "USD" else None
    return Price(name, count, table, f"table of {TABLE_DATE}" if table is not None else "unknown")


def _listed(api: Api, name: str, region: str, currency: str) -> float | None:
    """The price without a reservation. Of several prices, the highest one, so that the cost is not underestimated."""
    wanted = {"regionCode": region, "instanceType": f"{name}-Cluster", "component": "Cluster"}
    filters = [{"Type": "TERM_MATCH", "Field": field, "Value": value} for field, value in wanted.items()]
    entries = api.pages("GetProducts", "PriceList", about=f"price of {name}", ServiceCode="AmazonSageMaker", Filters=filters)
    prices = [price for entry in entries for price in _hourly(json.loads(entry), currency)]
    return max((price for price in prices if price > 0), default=None)


def _hourly(entry: t.Mapping[str, t.Any], currency: str) -> t.Iterator[float]:
    if "Reserved" in entry["product"]["attributes"].get("usagetype", ""):
        return
    for term in entry.get("terms", {}).get("OnDemand", {}).values():
        for rate in term["priceDimensions"].values():
            if rate.get("unit", "").lower() in ("hrs", "hours", "hour") and currency in rate["pricePerUnit"]:
                yield float(rate["pricePerUnit"][currency])


def _line(prices: t.Sequence[Price], total: float, currency: str) -> str:
    """One line for the report."""
    parts = "; ".join(price.described for price in prices)
    known = any(price.each is not None for price in prices)
    return f"about {total:.2f} {currency} an hour ({parts})" if known else parts
