# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A VPC and subnets that the user gives, and whether a cluster and its nodes work in them. No I/O.

Source: EKS user guide, pages network-reqs and private-clusters.
"""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import not_allowed

Answer = t.Mapping[str, t.Any]
FEWEST_ZONES = 2
OF_CONTROL_PLANE, OF_NODE = 6, 4
"""Free addresses that EKS requires in each subnet of the control plane, and that a node and its first Pods use."""
DEFAULT = ("0.0.0.0/0", "0.0.0.0/1", "128.0.0.0/1")
INTERNET, BLACKHOLE, NONE, OTHER = "an internet gateway", "a target that no longer exists", "no target", "another target"
REQUIRED = ("ec2", "ecr.api", "ecr.dkr", "eks-auth", "s3")
"""Services that nodes use. Without a default route, they need VPC endpoints."""


@dataclass(frozen=True)
class Subnet:
    id: str
    vpc_id: str
    zone: str
    zone_id: str = ""
    free: int = 0
    """Free IPv4 addresses."""
    public_addresses: bool = False
    """Whether new network interfaces get a public address."""
    table: str = ""
    default: str = OTHER
    """The target of the default route. Only targets that certainly do not work are distinguished."""
    endpoints: frozenset[str] = frozenset()
    """Services with a VPC endpoint that the subnet can use."""


@dataclass(frozen=True)
class Existing:
    vpc_id: str
    found: bool
    dns: bool
    """Whether the VPC has DNS resolution and DNS host names. Attributes that could not be read count as enabled."""
    cidr: str = ""
    subnets: t.Mapping[str, Subnet] = field(default_factory=dict)


@dataclass(frozen=True)
class Use:
    """A subnet with the new nodes of a group in it."""

    option: str
    subnet: str
    instance_type: str = ""
    zones: t.Collection[str] = ()
    """Zones that offer the type."""
    added: int = 0
    interfaces: bool = False
    """Whether the nodes have several network interfaces, so that they cannot have public addresses."""


def existing(
    vpc_id: str, *, vpcs: t.Iterable[Answer], subnets: t.Iterable[Answer], tables: t.Sequence[Answer], endpoints: t.Sequence[Answer]
) -> Existing:
    """The network, from the results of modules of ``amazon.aws``."""
    vpc = next((each for each in vpcs if each["vpc_id"] == vpc_id), None)
    dns = vpc is not None and False not in (vpc.get("enable_dns_support"), vpc.get("enable_dns_hostnames"))
    known = {each["subnet_id"]: _subnet(each, tables, endpoints) for each in subnets}
    return Existing(vpc_id, vpc is not None, dns, str(vpc["cidr_block"]) if vpc else "", known)


def _subnet(found: Answer, tables: t.Sequence[Answer], endpoints: t.Sequence[Answer]) -> Subnet:
    table = _table(found["subnet_id"], tables)
    services = {_service(each) for each in endpoints if _is_usable(each, table)}
    return Subnet(
        id=found["subnet_id"],
        vpc_id=found["vpc_id"],
        zone=found["availability_zone"],
        zone_id=found.get("availability_zone_id") or "",
        free=found["available_ip_address_count"],
        public_addresses=bool(found.get("map_public_ip_on_launch")),
        table=str(table.get("route_table_id") or table.get("id") or ""),
        default=_default(table),
        endpoints=frozenset(services),
    )


def _table(subnet: str, tables: t.Iterable[Answer]) -> Answer:
    """The route table of a subnet: its own, or else the main one of the VPC."""
    main: Answer = {}
    for table in tables:
        for each in table.get("associations") or ():
            if each.get("subnet_id") == subnet:
                return table
            if each.get("main"):
                main = table
    return main


def _default(table: Answer) -> str:
    if not table:
        return OTHER
    routes = [each for each in table.get("routes") or () if each.get("destination_cidr_block") in DEFAULT]
    if not routes:
        return NONE
    if all(each.get("state") == "blackhole" for each in routes):
        return BLACKHOLE
    return INTERNET if any(str(each.get("gateway_id") or "").startswith("igw-") for each in routes) else OTHER


def _service(endpoint: Answer) -> str:
    """The end of a name such as ``com.amazonaws.us-west-2.ecr.api``."""
    return ".".join(str(endpoint["service_name"]).split(".")[3:])


def _is_usable(endpoint: Answer, table: Answer) -> bool:
    if str(endpoint.get("state") or "").lower() != "available":
        return False
    if str(endpoint.get("vpc_endpoint_type") or "").lower() == "gateway":
        return (table.get("route_table_id") or table.get("id")) in (endpoint.get("route_table_ids") or ())
    return endpoint.get("private_dns_enabled") is not False


def control_plane_problems(
    there: Existing, option: str, wanted: t.Sequence[str], *, without_eks: t.Collection[str]
) -> t.Iterator[str]:
    """Refusals of the VPC and the subnets for a new control plane.

    :param without_eks: IDs of zones in which EKS has no control plane.
    """
    if not there.found:
        yield not_allowed("training_cluster_vpc_id", there.vpc_id, "a VPC in the Region", "EC2 does not have it")
        return
    if not there.dns:
        why = "EKS requires enableDnsSupport and enableDnsHostnames"
        yield not_allowed("training_cluster_vpc_id", there.vpc_id, "a VPC with DNS resolution and DNS host names", why)
    outside = [*_outside(there, [(option, each) for each in wanted])]
    yield from outside
    if outside:
        return
    found = [there.subnets[each] for each in wanted]
    if len({each.zone for each in found}) < FEWEST_ZONES:
        yield not_allowed(option, ", ".join(wanted), "subnets in two or more Availability Zones", f"all are in {found[0].zone}")
    for each in found:
        if each.zone_id in without_eks:
            yield not_allowed(option, each.id, "subnets in zones with EKS", f"EKS has no control plane in zone {each.zone}")
        if each.free < OF_CONTROL_PLANE:
            allowed = f"a subnet with {OF_CONTROL_PLANE} free addresses for the control plane"
            yield not_allowed(option, each.id, allowed, f"it has {each.free}")


def node_problems(there: Existing, home: str, uses: t.Sequence[Use]) -> t.Iterator[str]:
    """Refusals of the subnets of nodes. If a group adds no nodes, only the existence and the zone of its subnet are checked.

    :param home: the subnet for all nodes without one of their own.
    """
    outside = [*_outside(there, [(each.option, each.subnet) for each in uses])]
    yield from outside
    if outside:
        return
    zone = there.subnets[home].zone
    for each in uses:
        subnet = there.subnets[each.subnet]
        if subnet.zone != zone:
            why = f"it is in {subnet.zone}, and the nodes are in one zone"
            yield not_allowed(each.option, subnet.id, f"a subnet in {zone}, the zone of training_cluster_node_subnet_id", why)
        elif each.added and subnet.zone not in each.zones:
            zones = ", ".join(sorted(each.zones)) or "no zone of this Region"
            why = f"it is in {subnet.zone}, where EC2 does not offer {each.instance_type}"
            yield not_allowed(each.option, subnet.id, f"a subnet in {zones}", why)
    for name in dict.fromkeys(each.subnet for each in uses if each.added):
        added = [each for each in uses if each.subnet == name]
        yield from _of_subnet(there.subnets[name], added)


def _of_subnet(subnet: Subnet, uses: t.Sequence[Use]) -> t.Iterator[str]:
    option, needed = uses[0].option, OF_NODE * sum(each.added for each in uses)
    if subnet.free < needed:
        why = f"it has {subnet.free}, and each new node needs at least {OF_NODE}"
        yield not_allowed(option, subnet.id, f"a subnet with {needed} free addresses for the new nodes and their Pods", why)
    allowed = "a subnet with a default route to a NAT gateway or a transit gateway, or with VPC endpoints"
    if subnet.default == INTERNET and not (subnet.public_addresses and not any(each.interfaces for each in uses)):
        why = f"its default route in {subnet.table} leads to {INTERNET}, but nodes have no public addresses"
        yield not_allowed(option, subnet.id, allowed, f"{why}, so they cannot reach ECR and EC2")
    missing = [each for each in REQUIRED if each not in subnet.endpoints]
    if subnet.default in (NONE, BLACKHOLE) and missing:
        why = f"the default route in {subnet.table} has {subnet.default}, and there are no endpoints for {', '.join(missing)}"
        yield not_allowed(option, subnet.id, allowed, f"nodes cannot reach these services: {why}")


def _outside(there: Existing, wanted: t.Iterable[tuple[str, str]]) -> t.Iterator[str]:
    """Refusals of subnets that do not exist, or are in another VPC."""
    for option, name in dict.fromkeys(wanted):
        subnet = there.subnets.get(name)
        if subnet is None:
            yield not_allowed(option, name, f"a subnet of {there.vpc_id}", "EC2 does not have it in this Region")
        elif subnet.vpc_id != there.vpc_id:
            yield not_allowed(option, name, f"a subnet of {there.vpc_id}", f"it is in {subnet.vpc_id}")
