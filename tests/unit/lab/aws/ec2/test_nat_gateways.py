# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""NAT gateways by boto3 against the simulator: their network interfaces and tags."""

from __future__ import annotations

import typing as t

from refusals import code


def test_a_gateway_keeps_its_interface_until_it_is_deleted(account: t.Any) -> None:
    ec2 = account.ec2
    vpc = ec2.create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.9.1.0/24")["Subnet"]["SubnetId"]
    address = ec2.allocate_address(Domain="vpc")["AllocationId"]
    tags = [{"ResourceType": "natgateway", "Tags": [{"Key": "team", "Value": "a"}]}]
    ids = [ec2.create_nat_gateway(SubnetId=subnet, AllocationId=address, TagSpecifications=tags)["NatGateway"]["NatGatewayId"]]
    ids.append(ec2.create_nat_gateway(SubnetId=subnet, ConnectivityType="private")["NatGateway"]["NatGatewayId"])
    found = {value: _gateways(ec2, "tag:team", value) for value in ("a", "b")}
    assert [each["NatGatewayId"] for each in found["a"]] == ids[:1] and found["b"] == []
    assert {each["NatGatewayId"] for each in _gateways(ec2, "vpc-id", vpc)} == set(ids)
    interface = found["a"][0]["NatGatewayAddresses"][0]["NetworkInterfaceId"]
    (shown,) = ec2.describe_network_interfaces(NetworkInterfaceIds=[interface])["NetworkInterfaces"]
    assert (shown["RequesterManaged"], shown["Status"], shown["Description"]) == (True, "in-use", f"Interface for NAT Gateway {ids[0]}")
    assert code(ec2.delete_network_interface, NetworkInterfaceId=interface) == "OperationNotPermitted"
    assert ec2.describe_addresses(AllocationIds=[address])["Addresses"][0]["NetworkInterfaceId"] == interface
    ec2.delete_nat_gateway(NatGatewayId=ids[0])
    assert _gateways(ec2, "tag:team", "a")[0]["State"] == "deleted"
    assert "AssociationId" not in ec2.describe_addresses(AllocationIds=[address])["Addresses"][0]
    left = ec2.describe_network_interfaces(Filters=[{"Name": "vpc-id", "Values": [vpc]}])["NetworkInterfaces"]
    assert interface not in [each["NetworkInterfaceId"] for each in left] and len(left) == 1


def test_a_removal_takes_a_while_and_blocks_others(account: t.Any) -> None:
    account.control.settings(nat_gateway_removal_seconds=3600)
    ec2 = account.ec2
    vpc = ec2.create_vpc(CidrBlock="10.7.0.0/16")["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.7.1.0/24")["Subnet"]["SubnetId"]
    address = ec2.allocate_address(Domain="vpc")["AllocationId"]
    gateway = ec2.create_nat_gateway(SubnetId=subnet, AllocationId=address)["NatGateway"]["NatGatewayId"]
    assert code(ec2.release_address, AllocationId=address) == "InvalidIPAddress.InUse"
    for _turn in range(2):
        ec2.delete_nat_gateway(NatGatewayId=gateway)
        (shown,) = _gateways(ec2, "vpc-id", vpc)
        assert shown["State"] == "deleting" and shown["NatGatewayAddresses"][0]["AllocationId"] == address
    assert code(ec2.release_address, AllocationId=address) == "InvalidIPAddress.InUse"
    assert code(ec2.delete_subnet, SubnetId=subnet) == "DependencyViolation"
    assert "AssociationId" in ec2.describe_addresses(AllocationIds=[address])["Addresses"][0]
    account.control.settings(nat_gateway_removal_seconds=0)
    assert [each["State"] for each in _gateways(ec2, "vpc-id", vpc)] == ["deleted"]
    ec2.release_address(AllocationId=address)
    ec2.delete_subnet(SubnetId=subnet)
    ec2.delete_vpc(VpcId=vpc)


def test_a_repeated_request_creates_nothing(account: t.Any) -> None:
    ec2, token = account.ec2, {"ClientToken": "once"}
    vpc = ec2.create_vpc(CidrBlock="10.8.0.0/16")["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.8.1.0/24")["Subnet"]["SubnetId"]
    gateways = [ec2.create_nat_gateway(SubnetId=subnet, ConnectivityType="private", **token)["NatGateway"] for _turn in range(2)]
    tables = [ec2.create_route_table(VpcId=vpc, **token)["RouteTable"] for _turn in range(2)]
    assert gateways[0]["NatGatewayId"] == gateways[1]["NatGatewayId"] and len(_gateways(ec2, "vpc-id", vpc)) == 1
    assert tables[0]["RouteTableId"] == tables[1]["RouteTableId"]
    other = ec2.create_route_table(VpcId=vpc, ClientToken="other")["RouteTable"]
    assert other["RouteTableId"] != tables[0]["RouteTableId"]


def _gateways(ec2: t.Any, name: str, value: str) -> list[dict[str, t.Any]]:
    return t.cast("list[dict[str, t.Any]]", ec2.describe_nat_gateways(Filter=[{"Name": name, "Values": [value]}])["NatGateways"])


def test_tags_of_an_address_are_listed_by_the_type_that_aws_returns(account: t.Any) -> None:
    made = account.ec2.allocate_address(Domain="vpc")["AllocationId"]
    account.ec2.create_tags(Resources=[made], Tags=[{"Key": "a", "Value": "b"}])
    filters = [{"Name": "resource-id", "Values": [made]}, {"Name": "resource-type", "Values": ["elastic-ip"]}]
    (tag,) = account.ec2.describe_tags(Filters=filters)["Tags"]
    assert (tag["Key"], tag["Value"], tag["ResourceType"]) == ("a", "b", "elastic-ip")
