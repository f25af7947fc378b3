# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Resources of EC2 by their tags, and values that EC2 may omit."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.belongings import ec2
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.belongings.model import DETAILS, Owner

OWNER = Owner("ml", "arn:aws:eks:us-west-2:111111111111:cluster/ml", "111111111111")
TAG = {"Key": "mlfleet.hyperpod/cluster", "Value": OWNER.arn}
BY_TAG = {"Filters": [{"Name": "tag:mlfleet.hyperpod/cluster", "Values": [OWNER.arn]}]}
KINDS = {kind.kind: kind for kind in (*ec2.KINDS, ec2.VOLUMES)}
REQUIRED = {"GroupName": "g", "CidrBlock": "10.0.0.0/16", "AvailabilityZone": "us-west-2a", "VpcId": "vpc-1", "LaunchTemplateName": "lt"}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_all_details_are_present_even_if_ec2_omits_them(kind: ec2.Kind) -> None:
    found = kind._resource(OWNER, {**REQUIRED, kind.id: "x", "Tags": [TAG]})
    assert (found.kind, found.id, found.ours, found.status, tuple(found.details)) == (kind.kind, "x", True, "", DETAILS[kind.kind])


def test_a_gateway_and_an_endpoint_have_their_interfaces() -> None:
    addresses = [{"NetworkInterfaceId": "eni-2"}, {"NetworkInterfaceId": "eni-1", "AllocationId": "eipalloc-1"}]
    found = KINDS["nat_gateway"]._resource(OWNER, {"NatGatewayId": "nat-1", "NatGatewayAddresses": addresses, "State": "deleting"})
    assert (found.interfaces, found.details["allocation_id"], found.status) == (["eni-1", "eni-2"], "eipalloc-1", "deleting")
    endpoint = {"VpcEndpointId": "vpce-1", "NetworkInterfaceIds": ["eni-4", "eni-3"], "SubnetIds": ["b", "a"], "VpcEndpointType": "Interface"}
    found = KINDS["vpc_endpoint"]._resource(OWNER, endpoint)
    assert (found.interfaces, found.details["subnet_ids"], found.details["type"]) == (["eni-3", "eni-4"], ["a", "b"], "Interface")


def test_the_main_association_of_a_route_table_cannot_be_removed() -> None:
    associations = [{"Main": True, "RouteTableAssociationId": "a"}, {"Main": False, "RouteTableAssociationId": "b"}]
    found = KINDS["route_table"]._resource(OWNER, {"RouteTableId": "rtb-1", "Associations": associations})
    assert found.details == {"vpc_id": "", "main": True, "association_ids": ["b"]}


def test_the_volume_of_an_instance_may_be_deleted_with_it() -> None:
    attached = [{"InstanceId": "i-1", "DeleteOnTermination": True}]
    found = KINDS["ebs_volume"]._resource(OWNER, {"VolumeId": "vol-1", "Attachments": attached, "State": "in-use", "Size": 8})
    assert (found.details["instance_id"], found.details["delete_on_termination"], found.status) == ("i-1", True, "in-use")


def test_each_kind_is_read_once_by_the_tag(stubbed: t.Any) -> None:
    """A reply may contain resources that a filter should have excluded; they are omitted. So are removed launch templates."""
    client, stub = stubbed("ec2")
    templates = [{"LaunchTemplateId": f"lt-{number}", "LaunchTemplateName": f"ml-{number}", "Tags": [TAG]} for number in (1, 2)]
    stub.add_response("describe_launch_templates", {"LaunchTemplates": templates[:1], "NextToken": "n"}, BY_TAG)
    stub.add_response("describe_launch_templates", {"LaunchTemplates": templates[1:]}, {**BY_TAG, "NextToken": "n"})
    default = {"LaunchTemplateId": "lt-1", "Versions": ["$Default"]}
    stub.add_client_error("describe_launch_template_versions", "InvalidLaunchTemplateId.NotFound", expected_params=default)
    data = {"InstanceType": "p5.48xlarge", "BlockDeviceMappings": [{"Ebs": {"VolumeSize": 9}}]}
    answer = {"LaunchTemplateVersions": [{"LaunchTemplateData": data}]}
    stub.add_response("describe_launch_template_versions", answer, {**default, "LaunchTemplateId": "lt-2"})
    stub.add_response("describe_placement_groups", {"PlacementGroups": [{"GroupName": "theirs"}]}, BY_TAG)
    stub.add_response("describe_security_groups", {"SecurityGroups": []}, BY_TAG)
    stub.add_response("describe_vpcs", {"Vpcs": [{"VpcId": "vpc-1", "CidrBlock": "10.0.0.0/16", "Tags": [TAG]}]}, BY_TAG)
    stub.add_response("describe_subnets", {"Subnets": []}, BY_TAG)
    stub.add_response("describe_internet_gateways", {"InternetGateways": []}, BY_TAG)
    stub.add_response("describe_nat_gateways", {"NatGateways": []}, {"Filter": BY_TAG["Filters"]})
    stub.add_response("describe_addresses", {"Addresses": []}, BY_TAG)
    stub.add_response("describe_route_tables", {"RouteTables": []}, BY_TAG)
    stub.add_response("describe_vpc_endpoints", {"VpcEndpoints": []}, BY_TAG)
    of_kubernetes = {"Filters": [{"Name": "tag:kubernetes.io/cluster/ml", "Values": ["owned"]}]}
    stub.add_response("describe_volumes", {"Volumes": [{"VolumeId": "vol-1"}]}, of_kubernetes)
    found = {each.id: each for each in ec2.read(Api(client), OWNER)}
    assert {name: each.ours for name, each in found.items()} == {"lt-2": True, "vpc-1": True, "vol-1": False}
    assert (found["lt-2"].name, found["lt-2"].details["instance_type"], found["lt-2"].details["volume_size"]) == ("ml-2", "p5.48xlarge", 9)
