# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The network of an eksctl file, and the place of a group in it."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.gathering import refusals
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.eksctl_network import (
    Network,
    Subnet,
    place,
    read_network,
)

Values = dict[str, t.Any]
VPC = "vpc-0123456789abcdef0"
ONE, TWO, THREE = (f"subnet-0000000000000000{number}" for number in (1, 2, 3))
SUBNETS = {"private": {"one": {"id": ONE, "az": "us-west-2a"}, "us-west-2b": {"id": TWO}}, "public": {"three": {"id": THREE}}}
EXISTING = {"id": VPC, "subnets": SUBNETS}
FOUND = Network(
    {},
    subnets=(Subnet("one", ONE, "us-west-2a"), Subnet("us-west-2b", TWO), Subnet("three", THREE, private=False)),
    exists=True,
    region="us-west-2",
)
KNOWN = Network({}, subnets=(Subnet("one", ONE, "us-west-2a"), Subnet("two", TWO, "us-west-2b")), exists=True)


def values(**vpc: t.Any) -> Values:
    return read_network({"vpc": vpc}, "f", "us-west-2").values


@pytest.mark.parametrize(
    ("vpc", "expected"),
    [
        ({}, {}),
        ({"cidr": "10.8.0.0/16", "nat": {"gateway": "Single"}}, {"vpc_cidr": "10.8.0.0/16"}),
        (EXISTING, {"vpc_id": VPC, "subnet_ids": [ONE, TWO, THREE]}),
        ({**EXISTING, "cidr": "8.8.8.8"}, {"vpc_id": VPC, "subnet_ids": [ONE, TWO, THREE]}),
        ({**EXISTING, "controlPlaneOnPrivateSubnets": True}, {"vpc_id": VPC, "subnet_ids": [ONE, TWO]}),
        ({**EXISTING, "controlPlaneSubnetIDs": [TWO, THREE]}, {"vpc_id": VPC, "subnet_ids": [TWO, THREE]}),
        ({"publicAccessCIDRs": ["203.0.113.0/24"]}, {"public_access_cidrs": ["203.0.113.0/24"]}),
        ({"clusterEndpoints": {"publicAccess": True, "privateAccess": False}}, {}),
        ({"clusterEndpoints": {"publicAccess": False, "privateAccess": True}}, {"public_access_cidrs": []}),
        ({"clusterEndpoints": {"publicAccess": False}}, {"public_access_cidrs": []}),
    ],
)
def test_variables_of_a_network(vpc: Values, expected: Values) -> None:
    assert values(**vpc) == expected


@pytest.mark.parametrize(
    ("vpc", "sentence"),
    [
        ({"id": "vpc-1", "subnets": SUBNETS}, "id: 'vpc-1' is not allowed. Allowed: an ID such as vpc-0123456789abcdef0."),
        ({"subnets": SUBNETS}, "id: missing; vpc.subnets requires an existing VPC."),
        ({"controlPlaneSubnetIDs": [ONE, TWO]}, "id: missing; vpc.controlPlaneSubnetIDs requires an existing VPC."),
        ({"id": VPC}, "subnets: a list of 0 is not allowed. Allowed: 2 or more subnets in different Availability Zones."),
        (
            {"id": VPC, "controlPlaneOnPrivateSubnets": True, "subnets": {"public": {"a": {"id": ONE}, "b": {"id": TWO}}}},
            "subnets: a list of 0 is not allowed. Allowed: 2 or more private subnets",
        ),
        ({"id": VPC, "subnets": {"private": {"a": {}}}}, "subnets.private.a.id: missing; set it to the ID of the existing subnet."),
        ({"id": VPC, "subnets": {"private": {"a": None}}}, "subnets.private.a.id: missing"),
        ({"id": VPC, "subnets": {"private": {"a\x1b": {"id": "x"}}}}, "subnets.private.a?.id: 'x' is not allowed."),
        ({"id": VPC, "subnets": {"private": {"a": {"id": ONE, "az": "x"}}}}, "subnets.private.a.az: 'x' is not allowed."),
        ({"id": VPC, "subnets": {"private": {"a": "b"}}}, "subnets.private.a: 'b' is not allowed. Allowed: an object with id, az, cidr."),
        ({**EXISTING, "controlPlaneSubnetIDs": [ONE]}, "controlPlaneSubnetIDs: a list of 1 is not allowed."),
        ({**EXISTING, "controlPlaneSubnetIDs": ["a"]}, "controlPlaneSubnetIDs[0]: 'a' is not allowed."),
        (
            {**EXISTING, "controlPlaneSubnetIDs": [ONE, TWO], "controlPlaneOnPrivateSubnets": True},
            f"controlPlaneSubnetIDs: ['{ONE}', '{TWO}'] is not allowed: controlPlaneOnPrivateSubnets is true.",
        ),
        ({"cidr": "10.0.0.0/8"}, "cidr: '10.0.0.0/8' is not allowed."),
        ({"nat": {"gateway": "HighlyAvailable"}}, "nat.gateway: 'HighlyAvailable' is not allowed: all nodes are in one zone"),
        ({"publicAccessCIDRs": ["0.0.0.0/0"]}, "publicAccessCIDRs: ['0.0.0.0/0'] is not allowed: it opens the API server"),
        (
            {"clusterEndpoints": {"publicAccess": False}, "publicAccessCIDRs": ["203.0.113.0/24"]},
            "publicAccessCIDRs: ['203.0.113.0/24'] is not allowed: f.vpc.clusterEndpoints.publicAccess is false.",
        ),
        (
            {"clusterEndpoints": {"publicAccess": False, "privateAccess": False}},
            "clusterEndpoints.privateAccess: False is not allowed: publicAccess is also false",
        ),
        ({"sharedNodeSecurityGroup": "sg-1"}, "sharedNodeSecurityGroup: 'sg-1' is not allowed: the cluster and the nodes use the security"),
    ],
)
def test_a_refused_network(vpc: Values, sentence: str) -> None:
    (refused,) = refusals(lambda: values(**vpc))
    assert refused.startswith(f"f.vpc.{sentence}")


@pytest.mark.parametrize(
    ("group", "found", "expected"),
    [
        ({"subnets": ["one"]}, FOUND, ONE),
        ({"subnets": [TWO]}, FOUND, TWO),
        ({"availabilityZones": ["us-west-2a"]}, FOUND, ONE),
        ({"availabilityZones": ["us-west-2b"]}, FOUND, TWO),
        ({"availabilityZones": ["us-west-2c"]}, FOUND, None),
        ({}, FOUND, None),
        ({}, Network({}, subnets=(Subnet("one", ONE), Subnet("p", TWO, private=False)), exists=True), ONE),
        ({"subnets": ["one"]}, Network({}, subnets=None, exists=True), None),
        ({"availabilityZones": ["us-west-2c"]}, Network({}), "us-west-2c"),
        ({}, Network({}), None),
    ],
)
def test_the_place_of_a_group(group: Values, found: Network, expected: str | None) -> None:
    assert place(group, "g", found) == expected


@pytest.mark.parametrize(
    ("group", "found", "sentence"),
    [
        ({"subnets": ["three"]}, FOUND, "g.subnets: 'three' is not allowed: it is a public subnet, and the nodes have no public addresses."),
        ({"subnets": ["four"]}, FOUND, "g.subnets: 'four' is not allowed: vpc.subnets does not have this subnet. Allowed: private subnets of"),
        ({"subnets": ["one", TWO]}, FOUND, f"g.subnets: ['one', '{TWO}'] is not allowed: all nodes of the cluster must be in one zone."),
        ({"subnets": ["one"], "availabilityZones": ["us-west-2a"]}, FOUND, "g.availabilityZones: ['us-west-2a'] is not allowed: subnets is"),
        ({"availabilityZones": ["us-west-2c"]}, KNOWN, "g.availabilityZones: 'us-west-2c' is not allowed: no private subnet of the file is"),
        ({"availabilityZones": ["eu-west-1a"]}, FOUND, "g.availabilityZones: 'eu-west-1a' is not allowed: it is in a different Region from the"),
        ({"availabilityZones": ["here"]}, FOUND, "g.availabilityZones: 'here' is not allowed. Allowed: the name of an Availability Zone"),
        ({"subnets": ["one"]}, Network({}), "g.subnets: 'one' is not allowed: the run creates the subnet of the nodes."),
        (
            {"availabilityZones": ["us-west-2c"]},
            Network({}, zones=("us-west-2a", "us-west-2b")),
            "g.availabilityZones: 'us-west-2c' is not allowed: the availabilityZones of the cluster lack it. Allowed: us-west-2a, us-west-2b.",
        ),
    ],
)
def test_a_refused_place_of_a_group(group: Values, found: Network, sentence: str) -> None:
    with pytest.raises(Refused) as refused:
        place(group, "g", found)
    assert str(refused.value).startswith(sentence)
