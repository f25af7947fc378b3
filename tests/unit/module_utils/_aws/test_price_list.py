# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The filters, usage types and units of each rate in the Price List API."""

from __future__ import annotations

import json
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.price_list import hourly

EC2 = {"operatingSystem": "Linux", "preInstalledSw": "NA", "tenancy": "Shared", "capacitystatus": "Used", "marketoption": "OnDemand"}
LUSTRE = {"productFamily": "Storage", "fileSystemType": "Lustre"}


def entry(price: str, unit: str, usage: str) -> str:
    rate = {"unit": unit, "pricePerUnit": {"USD": price}}
    return json.dumps({"product": {"attributes": {"usagetype": usage}}, "terms": {"OnDemand": {"a": {"priceDimensions": {"b": rate}}}}})


EKS = [entry("0.1", "hours", "USW2-AmazonEKS-Hours:perCluster"), entry("0.5", "hours", "USW2-AmazonEKS-Hours:extendedSupport")]

ADDRESSES = [entry("0.005", "Hrs", "USW2-PublicIPv4:InUseAddress"), entry("0.008", "Hrs", "USW2-PublicIPv4:ContiguousBlock")]


@pytest.mark.parametrize(
    ("kind", "service", "attributes", "entries", "price"),
    [
        ("ec2_instance", "AmazonEC2", {"instanceType": "g5.8xlarge", **EC2}, [entry("2.448", "Hrs", "USW2-BoxUsage:g5.8xlarge")], 2.448),
        ("eks_cluster", "AmazonEKS", {}, EKS, 0.1),
        ("eks_extended_support", "AmazonEKS", {}, EKS, 0.5),
        (
            "nat_gateway", "AmazonEC2", {"productFamily": "NAT Gateway"},
            [entry("0.045", "Hrs", "USW2-NatGateway-Hours"), entry("9", "GB", "USW2-NatGateway-Bytes")], 0.045,
        ),
        ("public_ipv4_address", "AmazonVPC", {"group": "VPCPublicIPv4Address"}, ADDRESSES, 0.005),
        (
            "gp3_volume", "AmazonEC2", {"productFamily": "Storage", "volumeApiName": "gp3"},
            [entry("0.08", "GB-Mo", "USW2-EBS:VolumeUsage.gp3"), entry("9", "GB-Mo", "USW2-EBS:VolumeUsage.piops")], 0.08 / 730,
        ),
        (
            "lustre_file_system", "AmazonFSx", LUSTRE,
            [entry("0.145", "GB-Mo", "USW2-Storage.1"), entry("0.6", "GB-Mo", "USW2-Storage.2"), entry("9", "Hrs", "USW2-Other")], 0.6 / 730,
        ),
        ("lustre_file_system", "AmazonFSx", LUSTRE, [], None),
        ("eks_cluster", "AmazonEKS", {}, [entry("0.0000000000", "hours", "USW2-AmazonEKS-Hours:perCluster")], None),
    ],
)  # fmt: skip
def test_each_kind_has_its_entry_and_unit(
    stubbed: t.Any, kind: str, service: str, attributes: dict[str, str], entries: list[str], price: float | None
) -> None:
    client, stub = stubbed("pricing")
    filters = [{"Type": "TERM_MATCH", "Field": field, "Value": value} for field, value in {"regionCode": "us-west-2", **attributes}.items()]
    stub.add_response("get_products", {"PriceList": entries}, {"ServiceCode": service, "Filters": filters})
    instance_type = attributes.get("instanceType", "")
    found = hourly(Api(client), kind, instance_type=instance_type, region="us-west-2", currency="USD")
    assert found == (pytest.approx(price) if price else None)
