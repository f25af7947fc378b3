# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the network of a file system is read, and by which requests."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.network import Network, Subnet
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._fsx.lustre.access import Access
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._fsx.lustre.network import FileSystemNetwork

SUBNET = Subnet("subnet-1", "us-west-2a", "vpc-1", "10.1.1.0/24")
ANSWER = {"SubnetId": "subnet-1", "AvailabilityZone": "us-west-2a", "VpcId": "vpc-1", "CidrBlock": "10.1.1.0/24"}
GROUPS = [{"GroupId": "sg-1"}]


def rules(*sources: str) -> list[dict[str, t.Any]]:
    ports = {"IpProtocol": "tcp", "FromPort": 988, "ToPort": 1023}
    inside = [{"SecurityGroupRuleId": f"sgr-{each}", "IsEgress": False, **ports, "ReferencedGroupInfo": {"GroupId": each}} for each in sources]
    return [*inside, {"SecurityGroupRuleId": "sgr-0", "IsEgress": True, "IpProtocol": "-1", "CidrIpv4": "0.0.0.0/0"}]


def filters(**values: list[str]) -> dict[str, t.Any]:
    return {"Filters": [{"Name": name.replace("_", "-"), "Values": found} for name, found in values.items()]}


class Place:
    """A network whose replies are stubbed, with a clock that records its pauses."""

    def __init__(self, stubbed: t.Any) -> None:
        client, self.stub = stubbed("ec2")
        self.pauses: list[float] = []
        self.network = FileSystemNetwork(Network(client), clock=Clock(sleep=self.pauses.append))

    def looks(self, found: list[dict[str, str]], *sources: str) -> None:
        self.stub.add_response("describe_security_groups", {"SecurityGroups": found}, filters(group_id=["sg-1"], vpc_id=["vpc-1"]))
        self.stub.add_response("describe_security_group_rules", {"SecurityGroupRules": rules(*sources)}, filters(group_id=["sg-1"]))

    def access(self, *clients: str, efa: bool = False) -> Access:
        return self.network.access(SUBNET, ["sg-1"], clients, efa=efa)


@pytest.fixture
def place(stubbed: t.Any) -> Place:
    return Place(stubbed)


def test_a_subnet_and_zones_are_read(place: Place) -> None:
    for _time in range(2):
        place.stub.add_response("describe_subnets", {"Subnets": [ANSWER]}, filters(subnet_id=["subnet-1"]))
    assert place.network.subnet("subnet-1") == SUBNET
    assert place.network.zones(["subnet-1", "", "subnet-1"]) == {"subnet-1": "us-west-2a"}


def test_nothing_is_read_without_an_id(place: Place) -> None:
    assert place.network.subnet("") is None and place.network.zones([""]) == {} and place.network.groups_of([]) is None


def test_groups_are_those_of_the_interfaces(place: Place) -> None:
    both = [{"Groups": [{"GroupId": "sg-2"}]}, {"Groups": [{"GroupId": "sg-1"}, {"GroupId": "sg-2"}]}]
    place.stub.add_response("describe_network_interfaces", {"NetworkInterfaces": both}, filters(network_interface_id=["eni-1", "eni-2"]))
    assert place.network.groups_of(["eni-1", "eni-2"]) == ["sg-1", "sg-2"]
    place.stub.add_response("describe_network_interfaces", {"NetworkInterfaces": []})
    assert place.network.groups_of(["eni-1"]) is None


def test_a_filter_has_at_most_200_interfaces(place: Place) -> None:
    many = [f"eni-{number}" for number in range(300)]
    place.stub.add_response("describe_network_interfaces", {"NetworkInterfaces": [{}]}, filters(network_interface_id=many[:200]))
    assert place.network.groups_of(many) == []


def test_sufficient_groups_are_read_once(place: Place) -> None:
    place.looks(GROUPS, "sg-1")
    assert place.access() == Access() and place.pauses == []


def test_networks_of_the_vpc_are_read_for_clients_in_other_groups(place: Place) -> None:
    place.looks(GROUPS, "sg-1", "sg-c")
    block = {"CidrBlock": "10.1.0.0/16", "CidrBlockState": {"State": "associated"}}
    place.stub.add_response("describe_vpcs", {"Vpcs": [{"CidrBlockAssociationSet": [block]}]}, filters(vpc_id=["vpc-1"]))
    assert place.access("sg-c", "sg-1") == Access()
    place.looks(GROUPS, "sg-1")
    assert place.access("sg-1") == Access()


def test_networks_that_no_longer_belong_to_the_vpc_do_not_count(place: Place) -> None:
    blocks = [
        {"CidrBlock": "10.1.0.0/16", "CidrBlockState": {"State": "associated"}},
        {"CidrBlock": "10.9.0.0/16", "CidrBlockState": {"State": "disassociated"}},
    ]
    place.stub.add_response("describe_vpcs", {"Vpcs": [{"CidrBlockAssociationSet": blocks}]}, filters(vpc_id=["vpc-1"]))
    assert place.network._networks("vpc-1") == ("10.1.0.0/16",)


def test_a_missing_rule_is_looked_for_again(place: Place) -> None:
    place.looks(GROUPS)
    place.looks([], "sg-1")
    place.looks(GROUPS, "sg-1")
    assert place.access() == Access() and place.pauses == [0.5, 1.5]


def test_a_rule_that_stays_missing_is_reported(place: Place) -> None:
    for _time in range(4):
        place.looks(GROUPS)
    assert place.access().missing == ("ingress TCP 988 and 1018-1023 from sg-1",) and place.pauses == [0.5, 1.5, 3.0]


def test_a_group_that_does_not_exist_is_refused(place: Place) -> None:
    for _time in range(4):
        place.looks([], "sg-1")
    with pytest.raises(Refused, match="security_group_ids: 'sg-1' is not allowed: it does not exist in vpc-1, the VPC of subnet-1"):
        place.access()
