# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The price list by boto3 against the simulator: filters, pages, terms, Regions and settings."""

from __future__ import annotations

import json
import typing as t

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ConnectionClosedError
from refusals import code

ON_DEMAND = {"operatingSystem": "Linux", "preInstalledSw": "NA", "tenancy": "Shared", "capacitystatus": "Used", "marketoption": "OnDemand"}
Entry = dict[str, t.Any]


def client(account: t.Any, region: str = "us-east-1") -> t.Any:
    once = Config(retries={"mode": "standard", "total_max_attempts": 1})
    names = {"aws_access_key_id": f"AKIA{account.number}", "aws_secret_access_key": "x", "region_name": region, "endpoint_url": account.url}
    return boto3.client("pricing", config=once, **names)


@pytest.fixture
def prices(account: t.Any) -> t.Any:
    account.control.settings(price_list=True)
    return client(account)


def filters(**wanted: str) -> list[dict[str, str]]:
    return [{"Type": "TERM_MATCH", "Field": field, "Value": value} for field, value in wanted.items()]


def pages(api: t.Any, service: str, **wanted: str) -> list[list[Entry]]:
    found = api.get_paginator("get_products").paginate(ServiceCode=service, Filters=filters(**wanted))
    return [[json.loads(entry) for entry in page["PriceList"]] for page in found]


def listed(api: t.Any, service: str, **wanted: str) -> list[Entry]:
    return [entry for page in pages(api, service, **wanted) for entry in page]


def usage(entries: t.Iterable[Entry]) -> list[str]:
    return [entry["product"]["attributes"]["usagetype"] for entry in entries]


def rates(entry: Entry, term: str = "OnDemand") -> list[tuple[str, str]]:
    """Units and prices of the dimensions of the only term."""
    (offer,) = entry["terms"][term].values()
    return [(each["unit"], each["pricePerUnit"]["USD"]) for each in offer["priceDimensions"].values()]


def test_an_entry_has_the_shape_of_aws(prices: t.Any) -> None:
    answer = prices.get_products(ServiceCode="AmazonEC2", Filters=filters(regionCode="us-west-2", instanceType="p4d.24xlarge", **ON_DEMAND))
    (entry,) = map(json.loads, answer["PriceList"])
    sku = entry["product"]["sku"]
    assert answer["FormatVersion"] == "aws_v1" and "NextToken" not in answer and entry["serviceCode"] == "AmazonEC2"
    assert (entry["product"]["productFamily"], usage([entry])) == ("Compute Instance", ["USW2-BoxUsage:p4d.24xlarge"])
    assert list(entry["terms"]["OnDemand"]) == [f"{sku}.JRTCKXETXF"] and rates(entry) == [("Hrs", "21.9576420000")]
    assert rates(entry, "Reserved")[0] == ("Hrs", "0.0000000000") and float(rates(entry, "Reserved")[1][1]) > 10000


def test_products_match_all_filters_exactly(prices: t.Any) -> None:
    west = {"regionCode": "us-west-2", "instanceType": "m5.large"}
    assert len(listed(prices, "AmazonEC2", **west)) == 7 and len(listed(prices, "AmazonEC2", instanceType="m5.large")) == 21
    assert usage(listed(prices, "AmazonEC2", **west, tenancy="Dedicated")) == ["USW2-DedicatedUsage:m5.large"]
    assert listed(prices, "AmazonEC2", regionCode="us-west-2", instanceType="M5.large") == []
    assert listed(prices, "AmazonEC2", **west, nosuch="x") == [] == listed(prices, "AmazonEC2", InstanceType="m5.large")
    assert listed(prices, "AmazonSageMaker", regionCode="us-west-2", instanceType="m5.large-Cluster") == []


def test_a_page_has_two_entries(prices: t.Any) -> None:
    found = pages(prices, "AmazonEKS", regionCode="us-west-2")
    assert [len(page) for page in found] == [2, 2] and usage(found[1])[1] == "USW2-AmazonEKS-Hours:perCluster"
    assert [len(page["PriceList"]) for page in prices.get_paginator("get_products").paginate(ServiceCode="AmazonVPC", MaxResults=1)] == [1] * 9


def test_usage_types_have_a_prefix_of_the_region(prices: t.Any) -> None:
    gateways = {region: usage(listed(prices, "AmazonEC2", regionCode=region, productFamily="NAT Gateway"))[3] for region in ("us-east-1", "eu-west-1")}
    assert gateways == {"us-east-1": "NatGateway-Hours", "eu-west-1": "EU-NatGateway-Hours"}
    assert usage(listed(prices, "AmazonSageMaker", regionCode="us-east-1", instanceType="ml.g5.8xlarge-Cluster")) == [
        "USE1-ReservedCluster:ml.g5.8xlarge",
        "USE1-Cluster:ml.g5.8xlarge",
    ]


def test_a_price_can_have_ranges(prices: t.Any) -> None:
    found = listed(prices, "AmazonVPC", regionCode="us-west-2", usagetype="USW2-PublicIPv4:InUseAddress")
    assert rates(found[0]) == [("Hrs", "0.0000000000"), ("Hrs", "0.0050000000")]
    (offer,) = found[0]["terms"]["OnDemand"].values()
    ranges = [(each["beginRange"], each["endRange"]) for each in offer["priceDimensions"].values()]
    assert ranges == [("0", "750"), ("750", "Inf")]


def test_settings_change_add_and_remove_prices(account: t.Any, prices: t.Any) -> None:
    account.control.settings(prices={"m5.large": None, "p9.metal": 7, "ml.p9.metal": 9, "NatGateway-Hours": 0.05, "EBS:VolumeUsage.gp3": None})
    west = {"regionCode": "us-west-2"}
    assert listed(prices, "AmazonEC2", **west, instanceType="m5.large") == [] == listed(prices, "AmazonEC2", usagetype="EBS:VolumeUsage.gp3")
    assert rates(listed(prices, "AmazonEC2", **west, instanceType="p9.metal", **ON_DEMAND)[0]) == [("Hrs", "7.0000000000")]
    assert rates(listed(prices, "AmazonSageMaker", **west, usagetype="USW2-Cluster:ml.p9.metal")[0]) == [("Hrs", "9.0000000000")]
    assert rates(listed(prices, "AmazonEC2", usagetype="USW2-NatGateway-Hours")[0]) == [("Hrs", "0.0500000000")]
    account.control.settings(prices={"NatGateway": 1})
    assert code(prices.get_products, ServiceCode="AmazonEC2") == "SimulatorFault"


def test_the_list_is_empty_by_default(account: t.Any) -> None:
    for region in ("us-east-1", "us-west-2"):
        answer = client(account, region).get_products(ServiceCode="AmazonEC2")
        assert (answer["PriceList"], answer["FormatVersion"]) == ([], "aws_v1")


@pytest.mark.usefixtures("prices")
def test_other_regions_have_no_endpoint(account: t.Any) -> None:
    assert len(client(account, "eu-central-1").get_products(ServiceCode="AmazonEKS")["PriceList"]) == 2
    assert client(account, "cn-northwest-1").get_products(ServiceCode="AmazonEKS")["PriceList"] == []
    with pytest.raises(ConnectionClosedError):
        client(account, "us-west-2").get_products(ServiceCode="AmazonEKS")
    assert account.control.calls()[-1]["status"] == "refused"


def test_invalid_requests_are_refused(prices: t.Any) -> None:
    get = prices.get_products
    assert code(get, ServiceCode="AmazonNoSuch") == "NotFoundException"
    assert code(get, ServiceCode="AmazonEC2", FormatVersion="aws_v2") == "InvalidParameterException"
    assert code(get, ServiceCode="AmazonEC2", NextToken="x") == "InvalidNextTokenException"
    assert code(get, ServiceCode="AmazonEC2", Filters=[{"Type": "LIKE", "Field": "a", "Value": "b"}]) == "ValidationException"
    assert code(get, ServiceCode="AmazonEC2", Filters=filters(regionCode="us-west-2") * 51) == "ValidationException"


def test_other_operations_and_filters_are_not_implemented(prices: t.Any) -> None:
    assert code(prices.describe_services) == "NotImplemented"
    contains = [{"Type": "CONTAINS", "Field": "usagetype", "Value": "NatGateway"}]
    assert code(prices.get_products, ServiceCode="AmazonEC2", Filters=contains) == "NotImplemented"


@pytest.mark.usefixtures("prices")
def test_a_caller_needs_the_permission(account: t.Any) -> None:
    allowed = {"Statement": [{"Effect": "Allow", "Action": "pricing:DescribeServices", "Resource": "*"}]}
    account.control.settings(policies=[allowed])
    assert code(client(account).get_products, ServiceCode="AmazonEKS") == "AccessDeniedException"
    allowed["Statement"][0]["Action"] = "pricing:GetProducts"
    account.control.settings(policies=[allowed])
    assert code(client(account).get_products, ServiceCode="AmazonEKS") == ""
