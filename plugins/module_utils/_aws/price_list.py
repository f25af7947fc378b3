# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Rates in the Price List API for each kind of resource.

The names of the attributes come from the price lists of AmazonSageMaker, AmazonEC2, AmazonEKS and AmazonVPC. Those of AmazonFSx are
not verified, so the price of a file system may be unknown. A usage type begins with a code of the Region that can't be derived from
the Region's name, so the Region is a filter, and only the end of the usage type is compared.
"""

from __future__ import annotations

import json
import typing as t
from dataclasses import dataclass

from .client import Api

HOURS, GIB_MONTHS = ("hrs", "hours", "hour"), ("gb-mo", "gb-month")
HOURS_OF_MONTH = 730
"""AWS calculates the monthly rates of storage with this number of hours."""


@dataclass(frozen=True)
class Rate:
    """The filters and the unit of a rate."""

    service: str
    attributes: t.Mapping[str, str]
    """The values of product attributes. ``{instance_type}`` is replaced."""
    usage: str = ""
    """The end of the usage type."""
    per_gib: bool = False
    """Whether the rate is for each GiB and month of storage. Otherwise it is for each hour."""


NODE = "hyperpod_node"
RATES: t.Mapping[str, Rate] = {
    NODE: Rate("AmazonSageMaker", {"instanceType": "{instance_type}-Cluster", "component": "Cluster"}),
    "ec2_instance": Rate(
        "AmazonEC2",
        {
            "instanceType": "{instance_type}",
            "operatingSystem": "Linux",
            "preInstalledSw": "NA",
            "tenancy": "Shared",
            "capacitystatus": "Used",
            "marketoption": "OnDemand",
        },
    ),
    "eks_cluster": Rate("AmazonEKS", {}, "AmazonEKS-Hours:perCluster"),
    "eks_extended_support": Rate("AmazonEKS", {}, "AmazonEKS-Hours:extendedSupport"),
    "nat_gateway": Rate("AmazonEC2", {"productFamily": "NAT Gateway"}, "NatGateway-Hours"),
    "public_ipv4_address": Rate("AmazonVPC", {"group": "VPCPublicIPv4Address"}, "PublicIPv4:InUseAddress"),
    "gp3_volume": Rate("AmazonEC2", {"productFamily": "Storage", "volumeApiName": "gp3"}, "EBS:VolumeUsage.gp3", per_gib=True),
    "lustre_file_system": Rate("AmazonFSx", {"productFamily": "Storage", "fileSystemType": "Lustre"}, per_gib=True),
}
"""The rates, keyed by kind of resource. A kind whose attributes contain ``{instance_type}`` is a kind of instance."""
OF_INSTANCES = tuple(kind for kind, rate in RATES.items() if any("{instance_type}" in each for each in rate.attributes.values()))
OF_STORAGE = tuple(kind for kind, rate in RATES.items() if rate.per_gib)


def hourly(api: Api, kind: str, *, instance_type: str, region: str, currency: str) -> float | None:
    """The list price for an hour: of one resource, or of one GiB of storage. None without a list price.

    If several prices are listed, this is the highest, so that the cost is not underestimated.

    :raises AwsError:
    """
    rate = RATES[kind]
    wanted = {"regionCode": region, **{name: value.format(instance_type=instance_type) for name, value in rate.attributes.items()}}
    filters = [{"Type": "TERM_MATCH", "Field": field, "Value": value} for field, value in wanted.items()]
    about = f"price of {instance_type or kind}"
    entries = api.pages("GetProducts", "PriceList", about=about, ServiceCode=rate.service, Filters=filters)
    prices = [price for entry in entries for price in _prices(json.loads(entry), rate, currency)]
    highest = max((price for price in prices if price > 0), default=None)
    return highest / HOURS_OF_MONTH if highest is not None and rate.per_gib else highest


def _prices(entry: t.Mapping[str, t.Any], rate: Rate, currency: str) -> t.Iterator[float]:
    usage = entry["product"]["attributes"].get("usagetype", "")
    if "Reserved" in usage or not usage.endswith(rate.usage):
        return
    units = GIB_MONTHS if rate.per_gib else HOURS
    for term in entry.get("terms", {}).get("OnDemand", {}).values():
        for dimension in term["priceDimensions"].values():
            if dimension.get("unit", "").lower() in units and currency in dimension["pricePerUnit"]:
                yield float(dimension["pricePerUnit"][currency])
