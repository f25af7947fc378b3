# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The products of the price list with their attributes and prices in US dollars.

Prices are list prices of 2026; those of Region eu-west-1 are approximate. The attributes have the names of the price lists of AmazonEC2,
AmazonEKS, AmazonSageMaker and AmazonVPC. Attributes and usage types of AmazonFSx are not verified, except ``fileSystemType``.
"""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import re
import typing as t

Attributes = t.Mapping[str, str]
Overrides = t.Mapping[str, "float | None"]
INSTANCES: t.Mapping[str, float] = {
    "c5.2xlarge": 0.34,
    "g5.4xlarge": 1.624,
    "g5.8xlarge": 2.448,
    "m5.large": 0.096,
    "m7i.xlarge": 0.2016,
    "p4d.24xlarge": 21.957642,
    "p5.48xlarge": 55.04,
}
NODES: t.Mapping[str, float] = {"ml.g5.8xlarge": 3.06, "ml.m5.large": 0.115, "ml.p4d.24xlarge": 25.91001756, "ml.p5.48xlarge": 66.048}
"""HyperPod nodes, whose prices differ from those of the instances of EC2."""
INSTANCE_TYPE = re.compile(r"(ml\.)?[a-z][a-z0-9-]*\.[a-z0-9-]+")
FREE_HOURS = 750


@dataclasses.dataclass(frozen=True)
class Region:
    prefix: str
    """Of usage types. It is not derived from the Region's name, and usage types of AmazonEC2 in us-east-1 have none."""
    location: str
    factor: float


REGIONS: t.Mapping[str, Region] = {
    "us-east-1": Region("USE1-", "US East (N. Virginia)", 1.0),
    "us-west-2": Region("USW2-", "US West (Oregon)", 1.0),
    "eu-west-1": Region("EU-", "EU (Ireland)", 1.1),
}
SERVICES = {
    "AmazonEC2": "Amazon Elastic Compute Cloud",
    "AmazonEKS": "Amazon Elastic Container Service for Kubernetes",
    "AmazonFSx": "Amazon FSx",
    "AmazonSageMaker": "Amazon SageMaker",
    "AmazonVPC": "Amazon Virtual Private Cloud",
}


@dataclasses.dataclass(frozen=True)
class Product:
    """A product, first without Region. Prices have the lower bounds of their ranges as keys."""

    service: str
    usage: str
    unit: str
    prices: t.Mapping[int, float]
    attributes: Attributes
    family: str = ""
    """Products of AmazonVPC and AmazonEKS may have no family."""
    reserved: bool = False
    region: str = ""

    def priced(self, price: float) -> Product:
        return dataclasses.replace(self, prices={0: price})

    def fields(self) -> dict[str, str]:
        """The fields that a filter can name."""
        family = {"productFamily": self.family} if self.family else {}
        return {**family, **self._attributes()}

    def entry(self) -> dict[str, t.Any]:
        """The entry in the price list."""
        family = {"productFamily": self.family} if self.family else {}
        reserved = {"Reserved": self._reserved()} if self.reserved else {}
        return {
            "product": {**family, "attributes": self._attributes(), "sku": self.sku},
            "serviceCode": self.service,
            "terms": {"OnDemand": self._term("JRTCKXETXF", self._dimensions("JRTCKXETXF")), **reserved},
            "version": "20260720190000",
            "publicationDate": "2026-07-20T19:00:00Z",
        }

    @property
    def sku(self) -> str:
        named = "/".join([self.region, self.service, self.usage, *self.attributes.values()])
        return base64.b32encode(hashlib.sha256(named.encode()).digest()).decode()[:16]

    def _attributes(self) -> dict[str, str]:
        here = REGIONS[self.region]
        bare = (self.service, self.region) == ("AmazonEC2", "us-east-1")
        common = {"servicecode": self.service, "servicename": SERVICES[self.service], "regionCode": self.region, "location": here.location}
        return {**self.attributes, **common, "locationType": "AWS Region", "usagetype": f"{'' if bare else here.prefix}{self.usage}"}

    def _dimensions(self, term: str) -> dict[str, t.Any]:
        ends = [*[str(each) for each in self.prices][1:], "Inf"]
        rates = enumerate(zip(self.prices.items(), ends))
        return dict(self._dimension(term, f"6YS6EN2CT{number}", self.unit, *bounds, end) for number, (bounds, end) in rates)

    def _dimension(self, term: str, rate: str, unit: str, start: int, price: float, end: str) -> tuple[str, dict[str, t.Any]]:
        code = f"{self.sku}.{term}.{rate}"
        amount = f"{price * REGIONS[self.region].factor:.10f}"
        about = {"rateCode": code, "description": f"${amount} per {unit} ({self.usage})", "appliesTo": []}
        return code, {**about, "unit": unit, "beginRange": str(start), "endRange": end, "pricePerUnit": {"USD": amount}}

    def _term(self, term: str, dimensions: dict[str, t.Any], **attributes: str) -> dict[str, t.Any]:
        about = {"sku": self.sku, "offerTermCode": term, "effectiveDate": "2026-07-01T00:00:00Z", "termAttributes": attributes}
        return {f"{self.sku}.{term}": {**about, "priceDimensions": dimensions}}

    def _reserved(self) -> dict[str, t.Any]:
        """One term of a year that is paid in advance: an hour costs nothing."""
        hour, year = (self._dimension("6QCMYABX3D", rate, unit, 0, price, "Inf") for rate, unit, price in self._advance())
        return self._term("6QCMYABX3D", dict([hour, year]), LeaseContractLength="1yr", OfferingClass="standard", PurchaseOption="All Upfront")

    def _advance(self) -> tuple[tuple[str, str, float], tuple[str, str, float]]:
        return ("6YS6EN2CT7", "Hrs", 0.0), ("2TG2D8R56U", "Quantity", 0.6 * 8760 * self.prices[0])


def products(overrides: Overrides) -> list[Product]:
    """All products in all Regions.

    :param overrides: Prices of the setting ``prices``. A number for an instance type that the table lacks adds the type; None removes
        a product.
    :raises LookupError: for a key that is no instance type and no usage type.
    """
    made = list(_made(overrides))
    unknown = sorted(set(overrides) - {each.usage for each in _others()} - {key for key in overrides if INSTANCE_TYPE.fullmatch(key)})
    if unknown:
        raise LookupError(f"setting prices: {unknown[0]} is no instance type and no usage type of the table")
    return [dataclasses.replace(each, region=region) for region in REGIONS for each in made]


def _made(overrides: Overrides) -> t.Iterator[Product]:
    types = {**INSTANCES, **NODES, **{key: price for key, price in overrides.items() if INSTANCE_TYPE.fullmatch(key)}}
    for name, price in types.items():
        if price is not None:
            yield from _node(name, price) if name.startswith("ml.") else _instance(name, price)
    for each in _others():
        price = overrides.get(each.usage, each.prices[0])
        if price is not None:
            yield each.priced(price) if each.usage in overrides else each


def _instance(name: str, price: float) -> t.Iterator[Product]:
    """Rows of EC2 for an instance type; a capacity block is paid in advance, and an instance in a reservation costs nothing more."""
    usual = {"operatingSystem": "Linux", "tenancy": "Shared", "capacitystatus": "Used", "marketoption": "OnDemand"}
    for usage, rate, differing in (
        (f"Reservation:{name}", 0.0, {"capacitystatus": "AllocatedCapacityReservation"}),
        (f"UnusedBox:{name}", price, {"capacitystatus": "UnusedCapacityReservation"}),
        (f"BoxUsage:{name}", 0.0, {"marketoption": "CapacityBlock"}),
        (f"DedicatedUsage:{name}", 1.1 * price, {"tenancy": "Dedicated"}),
        (f"BoxUsage:{name}", 2 * price, {"operatingSystem": "Windows"}),
        (f"BoxUsage:{name}", 3 * price, {"preInstalledSw": "SQL Std"}),
        (f"BoxUsage:{name}", price, {}),
    ):
        attributes = {"instanceType": name, "preInstalledSw": "NA", **usual, **differing}
        yield Product("AmazonEC2", usage, "Hrs", {0: rate}, attributes, "Compute Instance", reserved=not differing)


def _node(name: str, price: float) -> t.Iterator[Product]:
    """Rows of SageMaker for an instance type; only that of a HyperPod node has its price."""
    for usage, kind, component, rate in (
        (f"Studio:JupyterLab-{name}", name, "Studio-JupyterLab", 0.8 * price),
        (f"ReservedCluster:{name}", f"{name}-Cluster", "Cluster", 1.5 * price),
        (f"Training:{name}", f"{name}-Training", "Training", 2 * price),
        (f"Cluster:{name}", f"{name}-Cluster", "Cluster", price),
    ):
        yield Product("AmazonSageMaker", usage, "Hrs", {0: rate}, {"instanceType": kind, "component": component}, "ML Instance")


def _others() -> t.Iterator[Product]:
    """All rows that are not for an instance type."""
    gateway, volume, address = {"group": "NGW:NatGateway"}, {"volumeApiName": "gp3"}, {"group": "VPCPublicIPv4Address"}
    lustre: Attributes = {"fileSystemType": "Lustre", "deploymentOption": "Single-AZ"}
    for service, family, usage, unit, price, attributes in (
        ("AmazonEC2", "NAT Gateway", "NatGateway-Prvd-Bytes", "GB", 0.0, gateway),
        ("AmazonEC2", "NAT Gateway", "NatGateway-Prvd-Gbps", "Gbps-hrs", 1.076, gateway),
        ("AmazonEC2", "NAT Gateway", "NatGateway-Bytes", "GB", 0.045, gateway),
        ("AmazonEC2", "NAT Gateway", "NatGateway-Hours", "Hrs", 0.045, gateway),
        ("AmazonEC2", "NAT Gateway", "RegionalNatGateway-Hours", "Hrs", 0.045, gateway),
        ("AmazonEC2", "System Operation", "EBS:VolumeP-IOPS.gp3", "IOPS-Mo", 0.005, volume),
        ("AmazonEC2", "Provisioned Throughput", "EBS:VolumeP-Throughput.gp3", "GiBps-mo", 40.96, volume),
        ("AmazonEC2", "Storage", "EBS:VolumeUsage.gp2", "GB-Mo", 0.1, {"volumeApiName": "gp2"}),
        ("AmazonEC2", "Storage", "EBS:VolumeUsage.gp3", "GB-Mo", 0.08, volume),
        ("AmazonEKS", "Compute", "Fargate-vCPU-Hours:perCPU", "hours", 0.04048, {}),
        ("AmazonEKS", "Compute", "Fargate-GB-Hours", "hours", 0.004445, {}),
        ("AmazonEKS", "Compute", "AmazonEKS-Hours:extendedSupport", "Hours", 0.5, {"operation": "ExtendedSupport"}),
        ("AmazonEKS", "Compute", "AmazonEKS-Hours:perCluster", "Hours", 0.1, {"operation": "CreateOperation"}),
        ("AmazonFSx", "Storage", "BackupUsage", "GB-Mo", 0.05, {"fileSystemType": "Windows"}),
        ("AmazonFSx", "Storage", "Lustre-Storage.SSD:125", "GB-Mo", 0.145, {**lustre, "throughputCapacity": "125"}),
        ("AmazonFSx", "Storage", "Lustre-Storage.SSD:Scratch", "GB-Mo", 0.14, lustre),
        ("AmazonFSx", "Storage", "Lustre-Storage.SSD:1000", "GB-Mo", 0.6, {**lustre, "throughputCapacity": "1000"}),
        ("AmazonFSx", "Provisioned Throughput", "Lustre-Metadata", "IOPS-Mo", 0.055, lustre),
        ("AmazonVPC", "", "PublicIPv4:ContiguousBlock", "Hrs", 0.008, address),
        ("AmazonVPC", "", "PublicIPv4:IdleAddress", "Hrs", 0.005, address),
        ("AmazonVPC", "", "PublicIPv4:InUseAddress", "Hrs", 0.005, address),
    ):
        free = usage == "PublicIPv4:InUseAddress"
        yield Product(service, usage, unit, {0: 0.0, FREE_HOURS: price} if free else {0: price}, attributes, family)
