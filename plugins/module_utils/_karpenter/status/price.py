# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The hourly price of Karpenter's nodes. An unknown price is not zero."""

from __future__ import annotations

import collections
import typing as t

from ..._aws.client import Api
from ..._hyperpod import prices
from ..model import Inside

NO_TYPE = "unknown type"


def nodes(inside: Inside) -> dict[str, int]:
    """The number of nodes, keyed by instance type. A node counts from its launch until its NodeClaim is removed."""
    there = [claim for claim in inside.claims if claim.node or claim.status.holds("Launched")]
    return dict(sorted(collections.Counter(claim.instance_type or NO_TYPE for claim in there).items()))


def price(api: Api | None, inside: Inside, *, region: str, partition: str) -> dict[str, t.Any]:
    """
    :param api: None in a partition without the Price List API.
    """
    there = nodes(inside)
    of_no_type = there.pop(NO_TYPE, 0)
    found = prices.read(api, prices.of_nodes(there), region=region, partition=partition)
    if not there and not of_no_type:
        return {**found, "total_per_hour": 0.0, "told": "nothing: Karpenter has no nodes"}
    if not of_no_type:
        return found
    also = prices.Price(prices.Item(of_no_type, instance_type=NO_TYPE), None, "unknown")
    return {
        **found,
        "prices": [*found["prices"], also.to_result()],
        "unknown": [*found["unknown"], NO_TYPE],
        "told": "; ".join(filter(None, (found["told"], also.described))),
    }
