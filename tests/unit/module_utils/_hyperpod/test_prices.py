# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How answers of the Price List API are read; missing prices stay unknown."""

from __future__ import annotations

import json
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.prices import Item, of_nodes, planned, planned_nodes, read

P5 = "ml.p5.48xlarge"


def entry(price: str, *, usage: str = "USW2-Cluster:ml.p5.48xlarge", unit: str = "Hrs", currency: str = "USD") -> str:
    rate = {"unit": unit, "pricePerUnit": {currency: price}}
    return json.dumps({"product": {"attributes": {"usagetype": usage}}, "terms": {"OnDemand": {"a": {"priceDimensions": {"b": rate}}}}})


@pytest.mark.parametrize(
    ("entries", "price"),
    [
        ([entry("66.0480000000")], 66.048),
        ([entry("0.0000000000"), entry("66.048")], 66.048),
        ([entry("66.048"), entry("70")], 70.0),
        ([entry("40", usage="USW2-ReservedCluster:ml.p5.48xlarge"), entry("66.048")], 66.048),
        ([entry("0.1", unit="GB-Mo"), entry("66.048")], 66.048),
        ([entry("470", currency="CNY"), entry("66.048")], 66.048),
    ],
)
def test_the_hourly_price_without_a_reservation_is_read(stubbed: t.Any, entries: list[str], price: float) -> None:
    client, stub = stubbed("pricing")
    wanted = {"regionCode": "us-west-2", "instanceType": f"{P5}-Cluster", "component": "Cluster"}
    filters = [{"Type": "TERM_MATCH", "Field": field, "Value": value} for field, value in wanted.items()]
    stub.add_response("get_products", {"PriceList": entries}, {"ServiceCode": "AmazonSageMaker", "Filters": filters})
    found = read(Api(client), of_nodes({P5: 8}), region="us-west-2", partition="aws")
    of_item = {"kind": "hyperpod_node", "instance_type": P5, "gib": 0, "count": 8}
    expected = {**of_item, "price_per_hour": price, "total_per_hour": 8 * price, "source": "price list"}
    assert found["prices"] == [expected] and found["total_per_hour"] == 8 * price
    assert found["told"] == f"about {8 * price:.2f} USD an hour (8 x {P5} {8 * price:.2f})"


def test_an_unknown_price_is_not_zero(stubbed: t.Any) -> None:
    client, stub = stubbed("pricing")
    stub.add_response("get_products", {"PriceList": []})
    stub.add_response("get_products", {"PriceList": [entry("1.5")]})
    found = read(Api(client), of_nodes({"ml.x9.large": 2, "ml.m5.large": 2}), region="us-west-2", partition="aws")
    assert found["prices"][0]["price_per_hour"] is None and found["unknown"] == ["ml.x9.large"]
    assert (found["total_per_hour"], found["notes"]) == (3.0, [])
    assert found["told"] == "about 3.00 USD an hour (2 x ml.x9.large: price unknown; 2 x ml.m5.large 3.00)"


@pytest.mark.parametrize(("region", "price"), [("us-west-2", 66.048), ("eu-west-1", None)])
def test_without_the_price_list_a_dated_table_is_used_for_its_region(stubbed: t.Any, region: str, price: float | None) -> None:
    client, stub = stubbed("pricing")
    stub.add_client_error("get_products", "AccessDeniedException")
    found = read(Api(client), of_nodes({P5: 1}), region=region, partition="aws")
    assert found["prices"][0]["price_per_hour"] == price == found["total_per_hour"]
    assert found["prices"][0]["source"] == ("table of 2026-10" if price else "unknown")
    assert "GetProducts" in found["notes"][0]


def test_partitions_may_have_no_price_list_or_another_currency(stubbed: t.Any) -> None:
    assert read(None, of_nodes({P5: 1}), region="us-gov-west-1", partition="aws-us-gov")["unknown"] == [P5]
    client, stub = stubbed("pricing")
    stub.add_response("get_products", {"PriceList": [entry("470", currency="CNY")]})
    found = read(Api(client), of_nodes({P5: 1}), region="cn-north-1", partition="aws-cn")
    assert (found["currency"], found["total_per_hour"]) == ("CNY", 470.0)


@pytest.mark.parametrize(
    ("nodes", "words"),
    [
        ([{"instance_type": "p5", "count": 1}], "planned.instance_type: 'p5'"),
        ([{"instance_type": P5, "count": 0}], "planned.count: 0"),
        ([{"instance_type": P5, "count": 1}] * 2, "planned"),
        ([{"instance_type": None, "count": 1}], "planned.instance_type: missing; kind hyperpod_node requires it."),
        ([{"kind": "ec2_instance", "instance_type": "p5", "count": 1}], "planned.instance_type: 'p5'"),
        ([{"kind": "nat_gateway", "instance_type": "p5.48xlarge", "count": 1}], "planned.instance_type: kind nat_gateway does not have"),
        ([{"kind": "gp3_volume", "instance_type": None, "count": 1}], "planned.gib: missing; kind gp3_volume requires it."),
        ([{"kind": "gp3_volume", "instance_type": None, "gib": 2**25, "count": 1}], "planned.gib: 33554432"),
        ([{"kind": "eks_cluster", "instance_type": None, "gib": 1, "count": 1}], "planned.gib: kind eks_cluster does not have"),
    ],
)
def test_bad_input_is_refused(nodes: list[dict[str, t.Any]], words: str) -> None:
    with pytest.raises(Refused, match=words):
        planned({"planned": nodes})


def test_a_price_of_zero_is_unknown(stubbed: t.Any) -> None:
    client, stub = stubbed("pricing")
    stub.add_response("get_products", {"PriceList": [entry("0.0000000000")]})
    found = read(Api(client), of_nodes({"ml.m5.large": 2}), region="us-west-2", partition="aws")
    assert (found["prices"][0]["price_per_hour"], found["total_per_hour"], found["unknown"]) == (None, None, ["ml.m5.large"])


def test_the_price_of_storage_depends_on_its_size(stubbed: t.Any) -> None:
    client, stub = stubbed("pricing")
    stub.add_response("get_products", {"PriceList": [entry("0.08", unit="GB-Mo", usage="USW2-EBS:VolumeUsage.gp3")]})
    found = read(Api(client), [Item(2, "gp3_volume", gib=7300)], region="us-west-2", partition="aws")
    assert found["prices"][0]["price_per_hour"] == pytest.approx(0.8) and found["total_per_hour"] == pytest.approx(1.6)
    assert found["told"] == "about 1.60 USD an hour (2 x gp3_volume of 7300 GiB 1.60)"


def test_only_nodes_of_hyperpod_are_in_the_table(stubbed: t.Any) -> None:
    found = read(None, [Item(1, "ec2_instance", "p5.48xlarge"), Item(3, "gp3_volume", gib=80)], region="us-west-2", partition="aws")
    assert found["unknown"] == ["p5.48xlarge", "gp3_volume of 80 GiB"] and found["total_per_hour"] is None
    assert found["told"] == "1 x p5.48xlarge: price unknown; 3 x gp3_volume of 80 GiB: price unknown"


def test_items_are_read_from_options() -> None:
    given = {"planned": [{"instance_type": P5, "count": 2}, {"kind": "gp3_volume", "instance_type": None, "gib": 80, "count": 3}]}
    assert planned(given) == [Item(2, instance_type=P5), Item(3, "gp3_volume", gib=80)]
    assert planned_nodes({"planned": given["planned"][:1]}) == {P5: 2}
