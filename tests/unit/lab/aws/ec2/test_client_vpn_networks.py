# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Target networks, rules and routes of the simulated Client VPN: their delays and dependencies."""

from __future__ import annotations

import functools
import time

from client_vpn_account import Vpn, refused


def test_an_association_creates_an_interface_and_a_route_and_makes_the_endpoint_available(vpn: Vpn) -> None:
    endpoint = vpn.create()
    with vpn.account.held("client_vpn_seconds"):
        made = vpn.ec2.associate_client_vpn_target_network(ClientVpnEndpointId=endpoint, SubnetId=vpn.subnets[0])
        assert made["Status"]["Code"] == "associating" and vpn.show(endpoint)["Status"]["Code"] == "pending-associate"
        assert vpn.routes(endpoint) == []
    vpn.until(lambda: vpn.networks(endpoint)[0]["Status"]["Code"] == "associated")
    shown = vpn.show(endpoint)
    assert shown["Status"]["Code"] == "available"
    assert shown["AssociatedTargetNetworks"] == [{"NetworkId": vpn.subnets[0], "NetworkType": "vpc"}]
    route = vpn.routes(endpoint)[0]
    assert (route["DestinationCidr"], route["Origin"], route["TargetSubnet"]) == (
        "10.1.0.0/16",
        "associate",
        vpn.subnets[0],
    )
    refused(
        "InvalidParameterValue",
        vpn.ec2.delete_client_vpn_route,
        ClientVpnEndpointId=endpoint,
        DestinationCidrBlock="10.1.0.0/16",
        TargetVpcSubnetId=vpn.subnets[0],
    )
    (interface,) = vpn.interfaces()
    assert interface["RequesterManaged"] and interface["SubnetId"] == vpn.subnets[0]
    refused("DependencyViolation", vpn.ec2.delete_security_group, GroupId=vpn.group)
    refused("DependencyViolation", vpn.ec2.delete_client_vpn_endpoint, ClientVpnEndpointId=endpoint)


def test_the_end_of_the_last_association_removes_routes_and_interface(vpn: Vpn) -> None:
    endpoint = vpn.associated()
    vpn.ec2.create_client_vpn_route(
        ClientVpnEndpointId=endpoint, DestinationCidrBlock="10.9.0.0/16", TargetVpcSubnetId=vpn.subnets[0]
    )
    vpn.until(lambda: vpn.routes(endpoint)[-1]["Status"]["Code"] == "active")
    vpn.connect(endpoint, "alice")
    (network,) = vpn.networks(endpoint)
    association = {"ClientVpnEndpointId": endpoint, "AssociationId": network["AssociationId"]}
    with vpn.account.held("client_vpn_interface_seconds"):
        with vpn.account.held("client_vpn_seconds"):
            left = vpn.ec2.disassociate_client_vpn_target_network(**association)
            assert left["Status"]["Code"] == "disassociating" and len(vpn.interfaces()) == 1
        vpn.until(lambda: not vpn.networks(endpoint))
        assert vpn.routes(endpoint) == [] and vpn.show(endpoint)["Status"]["Code"] == "pending-associate"
        assert len(vpn.interfaces()) == 1  # the interface exists longer than its association
    vpn.until(lambda: not vpn.interfaces())
    vpn.until(lambda: vpn.connections(endpoint)[0]["Status"]["Code"] == "terminated")
    code = "InvalidClientVpnAssociationIdNotFound"
    refused(code, vpn.ec2.disassociate_client_vpn_target_network, **association)


def test_unsuitable_subnets_are_refused(vpn: Vpn) -> None:
    endpoint = vpn.associated(subnet=1)
    _other_vpc, foreign = vpn.network("10.7")
    small = vpn.ec2.create_subnet(VpcId=vpn.vpc, CidrBlock="10.1.9.0/28", AvailabilityZone="us-west-2c")
    cases = {
        vpn.subnets[1]: "InvalidClientVpnDuplicateAssociationException",
        vpn.subnets[2]: "InvalidClientVpnSubnetId.DuplicateAz",
        foreign[0]: "InvalidClientVpnSubnetId.NotFound",
        small["Subnet"]["SubnetId"]: "InvalidParameterValue",
        "subnet-01234567": "InvalidSubnetID.NotFound",
    }
    for subnet, code in cases.items():
        associate = vpn.ec2.associate_client_vpn_target_network
        refused(code, associate, ClientVpnEndpointId=endpoint, SubnetId=subnet)
    overlapping = vpn.create(ClientCidrBlock="10.1.0.0/22", VpcId=None, SecurityGroupIds=None)
    code = "InvalidClientVpnSubnetId.OverlappingCidr"
    associate = vpn.ec2.associate_client_vpn_target_network
    refused(code, associate, ClientVpnEndpointId=overlapping, SubnetId=vpn.subnets[0])
    assert len(vpn.networks(endpoint)) == 1 and vpn.networks(overlapping) == []


def test_an_association_can_fail_or_take_long(vpn: Vpn) -> None:
    endpoint = vpn.create()
    operation = {"operation": "AssociateClientVpnTargetNetwork"}
    vpn.control.faults({"kind": "fail_later", "code": "NoCapacity", "times": 1, **operation})
    associate = functools.partial(vpn.ec2.associate_client_vpn_target_network, ClientVpnEndpointId=endpoint)
    failed = associate(SubnetId=vpn.subnets[0])["AssociationId"]
    vpn.until(lambda: vpn.networks(endpoint)[0]["Status"]["Code"] == "association-failed")
    assert "NoCapacity" in vpn.networks(endpoint)[0]["Status"]["Message"]
    assert vpn.show(endpoint)["Status"]["Code"] == "pending-associate"
    vpn.ec2.disassociate_client_vpn_target_network(ClientVpnEndpointId=endpoint, AssociationId=failed)
    vpn.until(lambda: not vpn.networks(endpoint))
    vpn.control.faults({"kind": "polls", "polls": 3, **operation})
    associate(SubnetId=vpn.subnets[0])
    time.sleep(0.2)
    seen = [vpn.networks(endpoint)[0]["Status"]["Code"] for poll in range(4)]
    assert seen == ["associating"] * 3 + ["associated"]


def test_security_groups_are_replaced_on_all_interfaces(vpn: Vpn) -> None:
    endpoint = vpn.associated()
    other = vpn.ec2.create_security_group(GroupName=endpoint, Description="other", VpcId=vpn.vpc)["GroupId"]
    apply = vpn.ec2.apply_security_groups_to_client_vpn_target_network
    assert apply(ClientVpnEndpointId=endpoint, VpcId=vpn.vpc, SecurityGroupIds=[other])["SecurityGroupIds"] == [other]
    assert vpn.interfaces() == [] and vpn.networks(endpoint)[0]["SecurityGroups"] == [other]
    vpn.ec2.modify_client_vpn_endpoint(ClientVpnEndpointId=endpoint, VpcId=vpn.vpc, SecurityGroupIds=[vpn.group])
    assert len(vpn.interfaces()) == 1
    vpn.ec2.delete_security_group(GroupId=other)


def test_rules_are_added_and_removed(vpn: Vpn) -> None:
    endpoint = vpn.create()
    all_groups = {"ClientVpnEndpointId": endpoint, "TargetNetworkCidr": "10.1.0.0/16"}
    authorize, revoke = vpn.ec2.authorize_client_vpn_ingress, vpn.ec2.revoke_client_vpn_ingress
    made = authorize(**all_groups, AuthorizeAllGroups=True, Description="nodes")
    assert made["Status"]["Code"] == "authorizing"
    refused("InvalidClientVpnDuplicateAuthorizationRule", authorize, **all_groups, AuthorizeAllGroups=True)
    refused("InvalidParameterCombination", authorize, **all_groups)
    authorize(**all_groups, AccessGroupId="g-1")
    vpn.until(lambda: [rule["Status"]["Code"] for rule in vpn.rules(endpoint)] == ["active"] * 2)
    first, second = vpn.rules(endpoint)
    assert (first["AccessAll"], first["GroupId"], first["Description"]) == (True, "", "nodes")
    assert (second["AccessAll"], second["GroupId"]) == (False, "g-1")
    assert revoke(**all_groups, RevokeAllGroups=True)["Status"]["Code"] == "revoking"
    vpn.until(lambda: [rule["GroupId"] for rule in vpn.rules(endpoint)] == ["g-1"])
    refused("InvalidClientVpnEndpointAuthorizationRuleNotFound", revoke, **all_groups, RevokeAllGroups=True)


def test_routes_are_added_and_removed(vpn: Vpn) -> None:
    endpoint = vpn.associated()
    route = {
        "ClientVpnEndpointId": endpoint,
        "DestinationCidrBlock": "10.9.0.0/16",
        "TargetVpcSubnetId": vpn.subnets[0],
    }
    create, delete = vpn.ec2.create_client_vpn_route, vpn.ec2.delete_client_vpn_route
    assert create(**route)["Status"]["Code"] == "creating"
    refused("InvalidClientVpnDuplicateRoute", create, **route)
    refused("InvalidParameterValue", create, **{**route, "DestinationCidrBlock": "10.250.0.0/16"})
    refused("InvalidClientVpnActiveAssociationNotFound", create, **{**route, "TargetVpcSubnetId": vpn.subnets[1]})
    by_hand = [{"Name": "origin", "Values": ["add-route"]}]
    found = vpn.ec2.describe_client_vpn_routes(ClientVpnEndpointId=endpoint, Filters=by_hand)["Routes"]
    assert [one["DestinationCidr"] for one in found] == ["10.9.0.0/16"]
    assert delete(**route)["Status"]["Code"] == "deleting"
    vpn.until(lambda: len(vpn.routes(endpoint)) == 1)
    refused("InvalidClientVpnRouteNotFound", delete, **route)


def test_too_many_changes_at_once_are_refused(vpn: Vpn) -> None:
    endpoint = vpn.create()
    authorize = functools.partial(
        vpn.ec2.authorize_client_vpn_ingress, ClientVpnEndpointId=endpoint, AuthorizeAllGroups=True
    )
    with vpn.account.held("client_vpn_seconds"):
        for number in range(10):
            authorize(TargetNetworkCidr=f"10.{number}.0.0/16")
        refused("ConcurrentMutationLimitExceeded", authorize, TargetNetworkCidr="10.99.0.0/16")
