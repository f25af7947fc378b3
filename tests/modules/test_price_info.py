# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""price_info with the Price List API of the simulated AWS, and without it."""

from __future__ import annotations

import typing as t

import pytest
from simulated import Simulated
from simulated.shape import reads

CLUSTER = [
    {"kind": "eks_cluster", "count": 1},
    {"kind": "eks_extended_support", "count": 1},
    {"kind": "ec2_instance", "instance_type": "p4d.24xlarge", "count": 2},
    {"kind": "ec2_instance", "instance_type": "c5.2xlarge", "count": 1},
    {"kind": "nat_gateway", "count": 1},
    {"kind": "public_ipv4_address", "count": 1},
    {"kind": "gp3_volume", "gib": 80, "count": 3},
    {"kind": "lustre_file_system", "gib": 1200, "count": 1},
    {"kind": "hyperpod_node", "instance_type": "ml.g5.8xlarge", "count": 2},
]
"""All kinds."""
PRICES = [0.1, 0.5, 21.957642, 0.34, 0.045, 0.005, 80 * 0.08 / 730, 1200 * 0.6 / 730, 3.06]
TOTALS = [price * item["count"] for price, item in zip(PRICES, t.cast("list[dict[str, t.Any]]", CLUSTER))]


@pytest.fixture
def price_list(simulator: Simulated) -> t.Iterator[t.Callable[[dict[str, float | None]], None]]:
    """Prices of the API, which differ from its table if the test sets some."""
    simulator.control("settings", {"price_list": True})
    yield lambda prices: simulator.control("settings", {"prices": prices})
    simulator.control("settings", {"price_list": False, "prices": {}})


@pytest.mark.usefixtures("price_list")
def test_each_kind_has_its_list_price(simulator):
    found = reads(simulator, "price_info", planned=CLUSTER)
    assert [each["price_per_hour"] for each in found["prices"]] == pytest.approx(PRICES)
    assert [each["total_per_hour"] for each in found["prices"]] == pytest.approx(TOTALS, abs=0.0001)
    assert found["total_per_hour"] == pytest.approx(sum(TOTALS), abs=0.0001)
    assert ({each["source"] for each in found["prices"]}, found["unknown"], found["notes"]) == ({"price list"}, [], [])
    assert found["told"].startswith(f"about {sum(TOTALS):.2f} USD an hour (1 x eks_cluster 0.10; 1 x eks_extended_support 0.50; ")


@pytest.mark.usefixtures("price_list")
def test_later_pages_are_read_from_the_region_of_the_api(simulator):
    reads(simulator, "price_info", planned=[{"kind": "eks_cluster", "count": 1}])
    pages = simulator.control("calls")
    assert [(each["region"], each["arguments"].get("NextToken")) for each in pages] == [("us-east-1", None), ("us-east-1", "2")]


@pytest.mark.usefixtures("price_list")
@pytest.mark.parametrize(("region", "price"), [("us-east-1", 0.096), ("eu-west-1", 0.1056), ("eu-central-1", None)])
def test_each_region_has_its_prices(simulator, region, price):
    found = reads(simulator, "price_info", region=region, planned=[{"kind": "ec2_instance", "instance_type": "m5.large", "count": 1}])
    assert found["prices"][0]["price_per_hour"] == price


def test_unknown_prices_are_not_in_the_sum(simulator, price_list):
    price_list({"AmazonEKS-Hours:extendedSupport": None, "p4d.24xlarge": None, "Lustre-Storage.SSD:1000": 0.0, "c5.2xlarge": 0.4})
    found = reads(simulator, "price_info", planned=CLUSTER)
    assert found["unknown"] == ["eks_extended_support", "p4d.24xlarge"]
    assert [each["total_per_hour"] for each in found["prices"][1:4]] == [None, None, 0.4]
    assert found["prices"][7]["price_per_hour"] == pytest.approx(1200 * 0.145 / 730), "a price of zero does not count"
    assert found["total_per_hour"] == pytest.approx(0.1 + 0.4 + 0.045 + 0.005 + 3 * PRICES[6] + 1200 * 0.145 / 730 + 6.12, abs=0.0001)
    assert "2 x p4d.24xlarge: price unknown" in found["told"]


def test_a_node_without_list_price_has_that_of_the_table(simulator, price_list):
    price_list({"ml.p5.48xlarge": None, "ml.g5.8xlarge": 3.5})
    nodes = [{"instance_type": name, "count": 1} for name in ("ml.p5.48xlarge", "ml.g5.8xlarge", "ml.p9.metal")]
    found = reads(simulator, "price_info", planned=nodes)
    assert [each["source"] for each in found["prices"]] == ["table of 2026-10", "price list", "unknown"]
    assert [each["price_per_hour"] for each in found["prices"]] == [66.048, 3.5, None] and found["notes"] == []


@pytest.mark.usefixtures("price_list")
def test_a_failure_of_a_later_page_makes_the_price_unknown(simulator, faults):
    faults(kind="fail_page", operation="GetProducts", page=2)
    found = reads(simulator, "price_info", planned=[{"kind": "eks_cluster", "count": 1}])
    assert found["unknown"] == ["eks_cluster"] and found["total_per_hour"] is None
    assert found["notes"][0].startswith("The Price List API could not be queried")


def test_prices_of_the_table_with_its_date_and_unknown_ones(simulator, faults):
    faults(kind="deny", operation="GetProducts")
    nodes = [{"instance_type": "ml.p4d.24xlarge", "count": 2}, {"instance_type": "ml.m5.large", "count": 1}]
    found = reads(simulator, "price_info", planned=nodes)
    assert [(each["total_per_hour"], each["source"]) for each in found["prices"]] == [(51.82, "table of 2026-10"), (None, "unknown")]
    assert found["unknown"] == ["ml.m5.large"] and "The Price List API could not be queried" in found["notes"][0]
    assert found["told"] == "about 51.82 USD an hour (2 x ml.p4d.24xlarge 51.82; 1 x ml.m5.large: price unknown)"


def test_bad_input_is_refused(simulator):
    assert "planned.count: 0" in simulator.run("price_info", planned=[{"instance_type": "ml.m5.large", "count": 0}])["msg"]
