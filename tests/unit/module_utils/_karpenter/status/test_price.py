# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The price of nodes: absent nodes cost nothing, and an unknown price is not zero."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.status.price import nodes, price
from karpenter_objects import G5, LATE, P5, claim, inside

ODD = "ml.odd.large"


def cost(*claims: t.Any) -> dict[str, t.Any]:
    """From the built-in table only."""
    return price(None, inside(claims=claims), region="us-west-2", partition="aws")


def test_nodes_count_from_the_launch_until_they_are_gone() -> None:
    claims = (
        claim("a", Launched=True),
        claim("b", Launched=True, Registered=True, Initialized=True),
        claim("c"),
        claim("d", meta={"deletionTimestamp": LATE}, node="n"),
        claim("e", kind=P5, Launched=True, meta={"deletionTimestamp": LATE}),
        claim("f", kind="", Launched=True),
    )
    assert nodes(inside(claims=claims)) == {G5: 3, P5: 1, "unknown type": 1}


def test_the_hourly_price_is_summed() -> None:
    found = cost(claim("a", Launched=True), claim("b", Launched=True))
    assert (found["total_per_hour"], found["unknown"], found["told"]) == (6.12, [], "about 6.12 USD an hour (2 x ml.g5.8xlarge 6.12)")


def test_no_nodes_cost_nothing() -> None:
    found = cost(claim("a"))
    assert (found["total_per_hour"], found["prices"], found["told"]) == (0.0, [], "nothing: Karpenter has no nodes")


def test_an_unknown_price_is_not_zero() -> None:
    found = cost(claim("a", kind=ODD, Launched=True))
    assert (found["total_per_hour"], found["unknown"], found["told"]) == (None, [ODD], f"1 x {ODD}: price unknown")
    found = cost(claim("a", kind="", Launched=True))
    assert (found["total_per_hour"], found["unknown"], found["told"]) == (None, ["unknown type"], "1 x unknown type: price unknown")
    both = cost(claim("a", Launched=True), claim("b", kind="", Launched=True))
    assert both["told"] == "about 3.06 USD an hour (1 x ml.g5.8xlarge 3.06); 1 x unknown type: price unknown"
    assert [each["price_per_hour"] for each in both["prices"]] == [3.06, None]
