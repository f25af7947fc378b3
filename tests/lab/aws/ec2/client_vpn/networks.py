# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Target networks of a Client VPN endpoint, their routes, and the authorization rules."""

from __future__ import annotations

import ipaddress
import typing as t

from moto.ec2.exceptions import InvalidSubnetIdError

from ...elbv2 import interfaces
from . import checks
from .state import DELETED, Association, Endpoint, Route, Rule, Status, new_id

RULES = 200  # quotas: of an endpoint, and of an association
ROUTES = 100
GROUPS = 5
SMALLEST_SUBNET = 27
FREE_ADDRESSES = 20


class TargetNetworks:
    """A mixin of the store of endpoints; the caller must hold its lock."""

    ec2: t.Any

    def release(self, interface_id: str) -> None:
        raise NotImplementedError

    # Security groups

    def groups_for(self, vpc_id: str | None, groups: list[str]) -> list[str]:
        """The groups, or the default group of the VPC; empty without a VPC."""
        if groups and vpc_id is None:
            checks.missing("VpcId")
        if len(groups) > GROUPS:
            checks.refuse("SecurityGroupLimitExceeded", f"At most {GROUPS} security groups")
        if vpc_id is None:
            return []
        self.ec2.get_vpc(vpc_id)
        for group_id in groups:
            group = self.ec2.get_security_group_from_id(group_id)
            if group is None or group.vpc_id != vpc_id:
                checks.refuse("InvalidGroup.NotFound", f"The security group '{group_id}' does not exist in {vpc_id}")
        return list(groups) or [self.ec2.get_security_group_from_name("default", vpc_id).id]

    def apply_groups(self, endpoint: Endpoint, vpc_id: str | None, groups: list[str]) -> None:
        """Replace the groups on the endpoint and on all its interfaces."""
        if endpoint.associations and vpc_id not in (None, endpoint.vpc_id):
            checks.invalid(f"Endpoint {endpoint.id} is associated with {endpoint.vpc_id}")
        endpoint.security_groups = self.groups_for(vpc_id, groups)
        endpoint.vpc_id = vpc_id
        for association in endpoint.associations.values():
            if association.interface_id in self.ec2.enis:
                interfaces.set_groups(self.ec2, association.interface_id, endpoint.security_groups)

    # Target networks

    def associate(self, endpoint: Endpoint, subnet_id: str | None) -> Association:
        """Start the association of a subnet: create an interface in it, and later the route to the VPC."""
        if not subnet_id:
            checks.missing("SubnetId")
        subnet = self._subnet(endpoint, subnet_id)
        self._check_room(endpoint, subnet)
        if not endpoint.security_groups:
            endpoint.security_groups = self.groups_for(subnet.vpc_id, [])
        endpoint.vpc_id = subnet.vpc_id
        zone = interfaces.make_zone(self.ec2, "", subnet, None, endpoint.security_groups)
        interface = self.ec2.enis[zone.interface_id]
        interface.description, interface.interface_type = "ClientVPN Endpoint resource", "interface"
        status = Status("associating")
        status.begin("associating", "associated", "association-failed")
        association = Association(
            id=new_id("assoc"),
            subnet_id=subnet.id,
            vpc_id=subnet.vpc_id,
            zone=subnet.availability_zone,
            zone_id=subnet.availability_zone_id,
            status=status,
            interface_id=zone.interface_id,
            address=zone.address,
            prefix_length=zone.prefix_length,
        )
        endpoint.associations[association.id] = association
        return association

    def _subnet(self, endpoint: Endpoint, subnet_id: str) -> t.Any:
        try:
            subnet = self.ec2.get_subnet(subnet_id)
        except InvalidSubnetIdError:
            checks.refuse("InvalidSubnetID.NotFound", f"The subnet ID '{subnet_id}' does not exist")
        if endpoint.vpc_id not in (None, subnet.vpc_id):
            checks.refuse("InvalidClientVpnSubnetId.NotFound", f"Subnet {subnet_id} is not in {endpoint.vpc_id}")
        for other in endpoint.associations.values():
            if other.status.code == "association-failed":
                continue
            if other.subnet_id == subnet_id:
                checks.refuse("InvalidClientVpnDuplicateAssociationException", f"{subnet_id} is associated already")
            if other.zone == subnet.availability_zone:
                checks.refuse(
                    "InvalidClientVpnSubnetId.DuplicateAz",
                    f"A subnet of {other.zone} is associated already: {other.subnet_id}",
                )
        return subnet

    def _check_room(self, endpoint: Endpoint, subnet: t.Any) -> None:
        clients = ipaddress.ip_network(endpoint.options["ClientCidrBlock"])
        blocks = self.ec2.get_vpc(subnet.vpc_id).get_cidr_block_association_set(ipv6=False)
        if any(clients.overlaps(ipaddress.ip_network(block["cidr_block"])) for block in blocks):
            checks.refuse("InvalidClientVpnSubnetId.OverlappingCidr", f"The CIDR of {subnet.vpc_id} overlaps {clients}")
        if ipaddress.ip_network(subnet.cidr_block).prefixlen > SMALLEST_SUBNET:
            checks.invalid(f"Subnet {subnet.id} is smaller than /{SMALLEST_SUBNET}")
        if subnet.available_ip_address_count < FREE_ADDRESSES:
            checks.invalid(f"Subnet {subnet.id} has fewer than {FREE_ADDRESSES} free addresses")

    def disassociate(self, endpoint: Endpoint, association_id: str) -> Association:
        """Start the disassociation of a subnet."""
        association = endpoint.associations.get(association_id)
        if association is None:
            checks.refuse("InvalidClientVpnAssociationIdNotFound", f"Association {association_id} does not exist")
        if association.status.code != "disassociating":
            association.status.begin("disassociating", "disassociated", association.status.code)
        return association

    def association_arrived(self, endpoint: Endpoint, association: Association) -> None:
        """Handle the end of a transition: associated, disassociated or failed."""
        if association.status.code == "associated":
            if not any(one.origin == "associate" and one.subnet_id == association.subnet_id for one in endpoint.routes):
                blocks = self.ec2.get_vpc(association.vpc_id).get_cidr_block_association_set(ipv6=False)
                endpoint.routes += [
                    Route(one["cidr_block"], association.subnet_id, "associate", "Default Route", Status("active"))
                    for one in blocks
                ]
            return
        self.release(association.interface_id)
        if association.status.code == "disassociated":
            del endpoint.associations[association.id]
            endpoint.routes = [one for one in endpoint.routes if one.subnet_id != association.subnet_id]

    # Authorization rules

    def authorize(self, endpoint: Endpoint, cidr: str, group: str | None, description: str | None) -> Rule:
        """Start to allow a network for a group, or for all clients."""
        block = str(checks.network(cidr, "TargetNetworkCidr"))
        if any((rule.cidr, rule.group) == (block, group) for rule in endpoint.rules):
            checks.refuse("InvalidClientVpnDuplicateAuthorizationRule", f"A rule for {block} exists already")
        if len(endpoint.rules) >= RULES:
            checks.refuse("ClientVpnAuthorizationRuleLimitExceeded", f"The limit of {RULES} rules is reached")
        rule = Rule(block, group, description, Status("authorizing"))
        rule.status.begin("authorizing", "active", "failed")
        endpoint.rules.append(rule)
        return rule

    def revoke(self, endpoint: Endpoint, cidr: str, group: str | None) -> Rule:
        """Start the removal of a rule."""
        block = str(checks.network(cidr, "TargetNetworkCidr"))
        for rule in endpoint.rules:
            if (rule.cidr, rule.group) == (block, group):
                if rule.status.code != "revoking":
                    rule.status.begin("revoking", DELETED, rule.status.code)
                return rule
        checks.refuse("InvalidClientVpnEndpointAuthorizationRuleNotFound", f"There is no rule for {block}")

    # Routes

    def create_route(self, endpoint: Endpoint, cidr: str, subnet_id: str | None, description: str | None) -> Route:
        """Start to add a route through an associated subnet."""
        block = checks.network(cidr, "DestinationCidrBlock")
        if not subnet_id:
            checks.missing("TargetVpcSubnetId")
        if endpoint.association_in(subnet_id) is None:
            checks.refuse("InvalidClientVpnActiveAssociationNotFound", f"Subnet {subnet_id} is not associated")
        of_subnet = [route for route in endpoint.routes if route.subnet_id == subnet_id]
        if any(route.cidr == str(block) for route in of_subnet):
            checks.refuse("InvalidClientVpnDuplicateRoute", f"A route to {block} by {subnet_id} exists already")
        clients = ipaddress.ip_network(endpoint.options["ClientCidrBlock"])
        if block.prefixlen and block.overlaps(clients):
            checks.invalid(f"The route to {block} overlaps the client CIDR block {clients}")
        if len(of_subnet) >= ROUTES:
            checks.refuse("ClientVpnRouteLimitExceeded", f"The limit of {ROUTES} routes is reached")
        route = Route(str(block), subnet_id, "add-route", description, Status("creating"))
        route.status.begin("creating", "active", "failed")
        endpoint.routes.append(route)
        return route

    def delete_route(self, endpoint: Endpoint, cidr: str, subnet_id: str | None) -> Route:
        """Start the deletion of a route that a request added."""
        block = str(checks.network(cidr, "DestinationCidrBlock"))
        for route in endpoint.routes:
            if route.cidr == block and subnet_id in (None, route.subnet_id):
                if route.origin == "associate":
                    checks.invalid(f"The route to {block} was added with the target network and cannot be deleted")
                if route.status.code != "deleting":
                    route.status.begin("deleting", DELETED, route.status.code)
                return route
        checks.refuse("InvalidClientVpnRouteNotFound", f"There is no route to {block} by {subnet_id}")
