# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Networks that the user gives, from the results of modules of amazon.aws."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.existing_network import (
    REQUIRED,
    Existing,
    Use,
    control_plane_problems,
    existing,
    node_problems,
)

VPC = {"vpc_id": "vpc-1", "cidr_block": "10.0.0.0/16", "enable_dns_support": True, "enable_dns_hostnames": True}
NAT = {"destination_cidr_block": "0.0.0.0/0", "nat_gateway_id": "nat-1", "state": "active"}
TRANSIT = {"destination_cidr_block": "0.0.0.0/0", "transit_gateway_id": "tgw-1", "state": "active"}
PEER = {"destination_cidr_block": "0.0.0.0/0", "vpc_peering_connection_id": "pcx-1", "state": "active"}
HALF = {"destination_cidr_block": "128.0.0.0/1", "network_interface_id": "eni-1", "state": "active"}
INTERNET = {"destination_cidr_block": "0.0.0.0/0", "gateway_id": "igw-1", "state": "active"}
LOCAL = {"destination_cidr_block": "10.0.0.0/16", "gateway_id": "local", "state": "active"}
GONE = {**NAT, "state": "blackhole"}
OPTION = "training_cluster_node_subnet_id"
CLUSTER_SUBNETS = "training_cluster_subnet_ids"


def subnet(name: str, zone: str = "a", **more: t.Any) -> dict[str, t.Any]:
    given = {"availability_zone": f"us-west-2{zone}", "availability_zone_id": f"usw2-{zone}", "available_ip_address_count": 200}
    return {"subnet_id": name, "vpc_id": "vpc-1", "map_public_ip_on_launch": False, **given, **more}


def table(*routes: dict[str, t.Any], subnets: tuple[str, ...] = (), main: bool = False, name: str = "rtb-1") -> dict[str, t.Any]:
    associations = [*({"subnet_id": each, "main": False} for each in subnets), *([{"main": True, "subnet_id": None}] if main else [])]
    return {"route_table_id": name, "vpc_id": "vpc-1", "associations": associations, "routes": [LOCAL, *routes]}


def endpoint(service: str, kind: str = "Interface", **more: t.Any) -> dict[str, t.Any]:
    name = f"com.amazonaws.us-west-2.{service}"
    return {"service_name": name, "state": "available", "vpc_endpoint_type": kind, "private_dns_enabled": True, **more}


def there(
    *subnets: dict[str, t.Any],
    tables: t.Sequence[dict[str, t.Any]] = (),
    endpoints: t.Sequence[dict[str, t.Any]] = (),
    vpc: dict[str, t.Any] | None = VPC,
) -> Existing:
    return existing(
        "vpc-1",
        vpcs=[vpc] if vpc else [],
        subnets=subnets or [subnet("s-a"), subnet("s-b", "b")],
        tables=tables or [table(NAT, main=True)],
        endpoints=endpoints,
    )


def control_plane(found: Existing, *wanted: str) -> list[str]:
    return list(control_plane_problems(found, CLUSTER_SUBNETS, wanted or ("s-a", "s-b"), without_eks=("use1-az3",)))


def nodes(found: Existing, *uses: Use) -> list[str]:
    given = uses or (Use(OPTION, "s-a", "p5.48xlarge", ("us-west-2a",), 2),)
    return list(node_problems(found, "s-a", (Use(OPTION, "s-a"), *given)))


def test_a_private_network_in_two_zones_is_accepted() -> None:
    assert control_plane(there()) == [] and nodes(there()) == []
    assert control_plane(there(vpc={"vpc_id": "vpc-1", "cidr_block": "10.0.0.0/16"})) == [], "attributes that could not be read"


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (there(vpc=None), "training_cluster_vpc_id: 'vpc-1' is not allowed: EC2 does not have it."),
        (there(vpc={**VPC, "enable_dns_hostnames": False}), "EKS requires enableDnsSupport and enableDnsHostnames"),
        (there(subnet("s-a")), "'s-b' is not allowed: EC2 does not have it in this Region. Allowed: a subnet of vpc-1."),
        (there(subnet("s-a"), subnet("s-b", "b", vpc_id="vpc-2")), "'s-b' is not allowed: it is in vpc-2."),
        (there(subnet("s-a"), subnet("s-b")), "'s-a, s-b' is not allowed: all are in us-west-2a."),
        (there(subnet("s-a"), subnet("s-b", "b", availability_zone_id="use1-az3")), "EKS has no control plane in zone us-west-2b"),
        (there(subnet("s-a"), subnet("s-b", "b", available_ip_address_count=5)), "'s-b' is not allowed: it has 5."),
    ],
)
def test_a_network_in_which_eks_creates_no_control_plane(found: Existing, text: str) -> None:
    assert [text in each for each in control_plane(found)] == [True]


@pytest.mark.parametrize("route", [NAT, TRANSIT, PEER, HALF])
def test_other_targets_of_the_default_route_may_lead_to_the_internet(route: dict[str, t.Any]) -> None:
    assert nodes(there(tables=[table(route, main=True)])) == []


@pytest.mark.parametrize(
    ("tables", "more", "text"),
    [
        ([table(main=True)], {}, "nodes cannot reach these services: the default route in rtb-1 has no target"),
        ([table(GONE, main=True)], {}, "has a target that no longer exists, and there are no endpoints for ec2, ecr.api"),
        ([table(NAT, main=True), table(INTERNET, subnets=("s-a",), name="rtb-2")], {}, "its default route in rtb-2 leads to an internet gateway"),
        ([table(INTERNET, main=True)], {"interfaces": True}, "but nodes have no public addresses, so they cannot reach ECR and EC2"),
    ],
)
def test_nodes_reach_the_registry(tables: list[dict[str, t.Any]], more: dict[str, t.Any], text: str) -> None:
    public = subnet("s-a", map_public_ip_on_launch=bool(more))
    (found,) = nodes(there(public, tables=tables), Use(OPTION, "s-a", "p5.48xlarge", ("us-west-2a",), 2, **more))
    assert text in found
    assert nodes(there(public, tables=tables), Use(OPTION, "s-a", "p5.48xlarge", ("us-west-2a",), 0)) == [], "no new node needs the route"


def test_nodes_with_public_addresses_use_an_internet_gateway() -> None:
    assert nodes(there(subnet("s-a", map_public_ip_on_launch=True), tables=[table(INTERNET, main=True)])) == []


def test_endpoints_replace_a_default_route() -> None:
    closed = [table(subnets=("s-a",))]
    interfaces = [endpoint(each) for each in REQUIRED if each != "s3"]
    gateway = endpoint("s3", "Gateway", route_table_ids=["rtb-1"])
    assert nodes(there(tables=closed, endpoints=[*interfaces, gateway])) == []
    for endpoints, missing in (
        ([*interfaces, {**gateway, "route_table_ids": ["rtb-9"]}], "s3"),
        ([*interfaces[1:], gateway], "ec2"),
        ([{**interfaces[0], "state": "pending"}, *interfaces[1:], gateway], "ec2"),
        ([{**interfaces[0], "private_dns_enabled": False}, *interfaces[1:], gateway], "ec2"),
    ):
        (found,) = nodes(there(tables=closed, endpoints=endpoints))
        assert f"there are no endpoints for {missing}." in found


OWN = "training_cluster_groups[0].subnet_id"


@pytest.mark.parametrize(
    ("use", "text"),
    [
        (Use(OPTION, "s-a", "p5.48xlarge", ("us-west-2b",), 2), "where EC2 does not offer p5.48xlarge. Allowed: a subnet in us-west-2b."),
        (Use(OWN, "s-b", "p5.48xlarge", ("us-west-2a",), 2), f"{OWN}: 's-b' is not allowed: it is in us-west-2b, and the nodes are in one zone"),
        (Use(OWN, "s-c", "p5.48xlarge", ("us-west-2b",), 2), f"{OWN}: 's-c' is not allowed: EC2 does not have it"),
        (Use(OPTION, "s-a", "p5.48xlarge", ("us-west-2a",), 51), "each new node needs at least 4. Allowed: a subnet with 204 free addresses"),
    ],
)
def test_the_subnet_of_a_group_has_its_zone_its_type_and_addresses(use: Use, text: str) -> None:
    assert [text in each for each in nodes(there(), use)] == [True]
