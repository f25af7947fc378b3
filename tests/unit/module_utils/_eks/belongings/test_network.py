# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which requests read the surroundings of our resources."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.belongings import network
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.belongings.model import Owner, Resource

OWNER = Owner("ml", "arn:aws:eks:us-west-2:111111111111:cluster/ml", "111111111111")
OURS = [{"Key": "mlfleet.hyperpod/cluster", "Value": OWNER.arn}]


def by(name: str, *values: str) -> dict[str, t.Any]:
    return {"Filters": [{"Name": name, "Values": list(values)}]}


def group(name: str, vpc: str, *, ours: bool = True) -> Resource:
    return Resource("security_group", name, ours, details={"vpc_id": vpc})


def test_nothing_is_read_without_a_vpc_or_group_of_ours(stubbed: t.Any) -> None:
    client, _stub = stubbed("ec2")
    resources = [Resource("vpc", "vpc-1", False), group("sg-1", "vpc-1", ours=False), Resource("eks_cluster", "ml", True)]
    assert network.read(Api(client), OWNER, resources) == network.Surroundings()


def test_groups_in_our_vpc_need_no_call_of_their_own(stubbed: t.Any) -> None:
    client, stub = stubbed("ec2")
    stub.add_response("describe_network_interfaces", {"NetworkInterfaces": [{"NetworkInterfaceId": "eni-1"}]}, by("vpc-id", "vpc-1"))
    groups = by("group-id", "sg-2")
    stub.add_response("describe_network_interfaces", {"NetworkInterfaces": [{"NetworkInterfaceId": "eni-2"}]}, groups)
    theirs = [{"GroupId": "sg-1", "GroupName": "ours", "Tags": OURS}, {"GroupId": "sg-9", "GroupName": "theirs"}]
    stub.add_response("describe_security_groups", {"SecurityGroups": theirs}, by("vpc-id", "vpc-1"))
    stub.add_response("describe_subnets", {"Subnets": []}, by("vpc-id", "vpc-1"))
    stub.add_response("describe_internet_gateways", {"InternetGateways": []}, by("attachment.vpc-id", "vpc-1"))
    stub.add_response("describe_nat_gateways", {"NatGateways": []}, {"Filter": by("vpc-id", "vpc-1")["Filters"]})
    stub.add_response("describe_route_tables", {"RouteTables": []}, by("vpc-id", "vpc-1"))
    stub.add_response("describe_vpc_endpoints", {"VpcEndpoints": []}, by("vpc-id", "vpc-1"))
    found = network.read(Api(client), OWNER, [Resource("vpc", "vpc-1", True), group("sg-1", "vpc-1"), group("sg-2", "vpc-2")])
    assert [each["NetworkInterfaceId"] for each in found.interfaces] == ["eni-1", "eni-2"]
    assert (found.vpcs, [each.id for each in found.others], found.nodegroups) == (("vpc-1",), ["sg-9"], {})


def test_instances_are_read_if_an_interface_is_attached_to_one(stubbed: t.Any) -> None:
    client, stub = stubbed("ec2")
    attached = [{"NetworkInterfaceId": "eni-1", "Attachment": {"InstanceId": "i-1"}}]
    stub.add_response("describe_network_interfaces", {"NetworkInterfaces": attached}, by("group-id", "sg-1"))
    tags = [{"Key": "eks:nodegroup-name", "Value": "gpu"}]
    pages = [{"Instances": [{"InstanceId": "i-1", "Tags": tags}]}], [{"Instances": [{"InstanceId": "i-2"}]}]
    stub.add_response("describe_instances", {"Reservations": pages[0], "NextToken": "n"}, by("tag:eks:cluster-name", "ml"))
    stub.add_response("describe_instances", {"Reservations": pages[1]}, {**by("tag:eks:cluster-name", "ml"), "NextToken": "n"})
    assert network.read(Api(client), OWNER, [group("sg-1", "vpc-1")]).nodegroups == {"i-1": "gpu", "i-2": ""}


def test_more_groups_than_a_filter_accepts(stubbed: t.Any) -> None:
    client, stub = stubbed("ec2")
    names = [f"sg-{number:03}" for number in range(201)]
    for part in (names[:200], names[200:]):
        stub.add_response("describe_network_interfaces", {"NetworkInterfaces": []}, by("group-id", *part))
    assert network.read(Api(client), OWNER, [group(each, "vpc-1") for each in names]).interfaces == ()
