# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Behaviour of EC2 that moto lacks: dependencies, duplicates, descriptions and tags of security group rules."""

from __future__ import annotations

import typing as t

import boto3
import pytest
from botocore.exceptions import ClientError

TAG = {"Key": "mlfleet.hyperpod/cluster", "Value": "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"}


@pytest.fixture(scope="module")
def ec2(simulator: str) -> t.Any:
    keys = {"aws_access_key_id": "AKIA111111111111", "aws_secret_access_key": "x"}
    return boto3.client("ec2", region_name="us-west-2", endpoint_url=simulator, **keys)


@pytest.fixture(scope="module")
def vpc(ec2: t.Any) -> str:
    return ec2.create_vpc(CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"]


@pytest.fixture
def group(ec2: t.Any, vpc: str, request: pytest.FixtureRequest) -> str:
    name = request.node.name
    return ec2.create_security_group(GroupName=name, Description=name, VpcId=vpc)["GroupId"]


def refused(code: str, call: t.Callable[..., t.Any], **arguments: t.Any) -> None:
    with pytest.raises(ClientError) as error:
        call(**arguments)
    assert error.value.response["Error"]["Code"] == code


def permission(port: int, **peer: t.Any) -> dict[str, t.Any]:
    return {"IpProtocol": "tcp", "FromPort": port, "ToPort": port, **peer}


def test_tagged_rules_are_found_and_revoked_by_id(ec2: t.Any, vpc: str, group: str) -> None:
    source = ec2.create_security_group(GroupName="source", Description="source", VpcId=vpc)["GroupId"]
    pair = {"GroupId": source, "Description": "logins"}
    made = ec2.authorize_security_group_ingress(
        GroupId=group,
        IpPermissions=[permission(22, UserIdGroupPairs=[pair]), permission(2022, IpRanges=[{"CidrIp": "10.1.0.0/16"}])],
        TagSpecifications=[{"ResourceType": "security-group-rule", "Tags": [TAG]}],
    )["SecurityGroupRules"]
    assert [rule["FromPort"] for rule in made] == [22, 2022]
    filters = [
        {"Name": f"tag:{TAG['Key']}", "Values": [TAG["Value"]]},
        {"Name": "group-id", "Values": [group]},
    ]
    found = ec2.describe_security_group_rules(Filters=filters)["SecurityGroupRules"]
    assert {rule["SecurityGroupRuleId"] for rule in found} == {rule["SecurityGroupRuleId"] for rule in made}
    reference = next(rule for rule in found if rule["FromPort"] == 22)
    assert reference["ReferencedGroupInfo"]["GroupId"] == source
    assert (reference["Description"], reference["Tags"], reference["IsEgress"]) == ("logins", [TAG], False)
    revoke = {"GroupId": group, "SecurityGroupRuleIds": [reference["SecurityGroupRuleId"]]}
    ec2.revoke_security_group_ingress(**revoke)
    refused("InvalidSecurityGroupRuleId.NotFound", ec2.revoke_security_group_ingress, **revoke)


@pytest.mark.parametrize("peer", ["group", "cidr"])
def test_descriptions_do_not_make_a_rule_different(ec2: t.Any, group: str, peer: str) -> None:
    def rule(description: str) -> dict[str, t.Any]:
        if peer == "group":
            return permission(22, UserIdGroupPairs=[{"GroupId": group, "Description": description}])
        return permission(22, IpRanges=[{"CidrIp": "10.0.0.0/8", "Description": description}])

    ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=[rule("one")])
    duplicate = {"GroupId": group, "IpPermissions": [rule("two")]}
    refused("InvalidPermission.Duplicate", ec2.authorize_security_group_ingress, **duplicate)
    ec2.authorize_security_group_egress(GroupId=group, IpPermissions=[rule("one")])


def test_a_group_in_use_cannot_be_deleted(ec2: t.Any, vpc: str, group: str) -> None:
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.1.1.0/24")["Subnet"]["SubnetId"]
    interface = ec2.create_network_interface(SubnetId=subnet, Groups=[group])["NetworkInterface"]
    refused("DependencyViolation", ec2.delete_security_group, GroupId=group)
    refused("DependencyViolation", ec2.delete_subnet, SubnetId=subnet)
    ec2.delete_network_interface(NetworkInterfaceId=interface["NetworkInterfaceId"])
    ec2.delete_security_group(GroupId=group)
    ec2.delete_subnet(SubnetId=subnet)
    refused("InvalidGroup.NotFound", ec2.delete_security_group, GroupId=group)


def test_a_group_used_by_another_rule_cannot_be_deleted(ec2: t.Any, vpc: str, group: str) -> None:
    other = ec2.create_security_group(GroupName="names", Description="names", VpcId=vpc)["GroupId"]
    itself = [permission(1, UserIdGroupPairs=[{"GroupId": group}])]
    ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=itself)
    ec2.authorize_security_group_egress(GroupId=other, IpPermissions=itself)
    refused("DependencyViolation", ec2.delete_security_group, GroupId=group)
    ec2.revoke_security_group_egress(GroupId=other, IpPermissions=itself)
    ec2.delete_security_group(GroupId=group)


@pytest.mark.parametrize("kind", ["cidr", "group"])
def test_rules_change_by_id(ec2: t.Any, group: str, kind: str) -> None:
    peers = {
        "cidr": ({"IpRanges": [{"CidrIp": "10.0.0.0/8"}]}, {"CidrIpv4": "10.1.0.0/16"}),
        "group": ({"UserIdGroupPairs": [{"GroupId": group}]}, {"ReferencedGroupId": group}),
    }
    before, after = peers[kind]
    made = ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=[permission(22, **before)])
    rule_id = made["SecurityGroupRules"][0]["SecurityGroupRuleId"]
    wanted = {"IpProtocol": "tcp", "FromPort": 2022, "ToPort": 2022, "Description": "gate"}
    change = {"SecurityGroupRuleId": rule_id, "SecurityGroupRule": {**wanted, **after}}
    ec2.modify_security_group_rules(GroupId=group, SecurityGroupRules=[change])
    found = ec2.describe_security_group_rules(SecurityGroupRuleIds=[rule_id])["SecurityGroupRules"][0]
    assert {key: found[key] for key in wanted} == wanted
    assert found.get("CidrIpv4") == after.get("CidrIpv4")
    assert found.get("ReferencedGroupInfo", {}).get("GroupId") == after.get("ReferencedGroupId")


def test_a_vpc_is_deleted_with_its_default_group_but_not_with_others_or_a_gateway(ec2: t.Any) -> None:
    vpc = ec2.create_vpc(CidrBlock="10.3.0.0/16")["Vpc"]["VpcId"]
    group = ec2.create_security_group(GroupName="own", Description="own", VpcId=vpc)["GroupId"]
    refused("DependencyViolation", ec2.delete_vpc, VpcId=vpc)
    ec2.delete_security_group(GroupId=group)
    gateway = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
    refused("DependencyViolation", ec2.delete_vpc, VpcId=vpc)
    ec2.detach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
    ec2.delete_vpc(VpcId=vpc)
    left = ec2.describe_security_groups(Filters=[{"Name": "vpc-id", "Values": [vpc]}])["SecurityGroups"]
    assert left == [] and vpc not in [each["VpcId"] for each in ec2.describe_vpcs()["Vpcs"]]
