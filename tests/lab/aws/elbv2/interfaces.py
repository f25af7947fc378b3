# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Network interfaces of load balancers and their security groups, read from the EC2 backend."""

from __future__ import annotations

import ipaddress
import typing as t

from lab.net.security import Endpoint, Group, Rule

from ..action import Refusal
from .resources import Zone


def subnet_of(ec2: t.Any, subnet_id: str) -> t.Any:
    """The subnet.

    :raises Refusal: SubnetNotFound.
    """
    from moto.ec2.exceptions import InvalidSubnetIdError

    try:
        return ec2.get_subnet(subnet_id)
    except InvalidSubnetIdError:
        raise Refusal("SubnetNotFound", f"The subnet ID '{subnet_id}' is not valid") from None


def containing_subnet(ec2: t.Any, vpc_id: str, address: str) -> t.Any | None:
    """The subnet of the VPC that contains an address."""
    wanted = ipaddress.ip_address(address)
    for by_zone in ec2.subnets.values():
        for subnet in by_zone.values():
            if subnet.vpc_id == vpc_id and wanted in ipaddress.ip_network(subnet.cidr_block):
                return subnet
    return None


def inside_vpc(ec2: t.Any, vpc_id: str, address: str) -> bool:
    """True if one of the VPC's CIDRs, primary or secondary, contains the address."""
    wanted = ipaddress.ip_address(address)
    blocks = ec2.get_vpc(vpc_id).get_cidr_block_association_set(ipv6=False)
    return any(wanted in ipaddress.ip_network(block["cidr_block"]) for block in blocks)


def make_zone(ec2: t.Any, label: str, subnet: t.Any, wanted: str | None, groups: list[str]) -> Zone:
    """Enable a zone with an address of the subnet and an interface for it.

    :raises Refusal: InvalidConfigurationRequest for an address outside of the subnet or in use.
    """
    network = ipaddress.ip_network(subnet.cidr_block)
    taken = {interface.private_ip_address for interface in ec2.enis.values() if interface.subnet.id == subnet.id}
    if wanted is not None and (ipaddress.ip_address(wanted) not in network or wanted in taken):
        raise Refusal("InvalidConfigurationRequest", f"The address '{wanted}' cannot be used in subnet '{subnet.id}'")
    address = wanted or _highest_free(network, taken)
    interface = ec2.create_network_interface(subnet, address, group_ids=groups, description=f"ELB {label}")
    interface.interface_type = "network_load_balancer"
    interface.status = "in-use"
    interface.requester_managed = True
    set_groups(ec2, interface.id, groups)
    return Zone(subnet.availability_zone, subnet.id, address, network.prefixlen, interface.id, wanted is not None)


def _highest_free(network: t.Any, taken: set[str]) -> str:
    for offset in range(network.num_addresses - 6, 3, -1):
        if str(network[offset]) not in taken:
            return str(network[offset])
    raise Refusal("InvalidSubnet", f"There are no free addresses in {network}")


def set_groups(ec2: t.Any, interface_id: str, groups: list[str]) -> None:
    """Set an interface's groups; only load balancers may have none."""
    ec2.enis[interface_id]._group_set = [ec2.get_security_group_from_id(group) for group in groups]


def group(found: t.Any) -> Group:
    """moto's security group as plain rules."""
    return Group(found.id, tuple(map(_rule, found.ingress_rules)), tuple(map(_rule, found.egress_rules)))


def _rule(found: t.Any) -> Rule:
    return Rule(
        protocol=str(found.ip_protocol),
        first=found.from_port,
        last=found.to_port,
        cidr=found.ip_range.get("CidrIp") or found.ip_range.get("CidrIpv6"),
        group=found.source_group.get("GroupId"),
    )


def groups_of(ec2: t.Any, ids: t.Iterable[str]) -> tuple[Group, ...]:
    found = (ec2.get_security_group_from_id(one) for one in ids)
    return tuple(group(one) for one in found if one is not None)


def target_endpoint(ec2: t.Any, vpc_id: str, address: str) -> Endpoint:
    """The interface of an address in the VPC; an address without an interface is not filtered."""
    for interface in list(ec2.enis.values()):
        if interface.vpc_id == vpc_id and interface.private_ip_address == address:
            return Endpoint((address,), tuple(group(one) for one in interface.group_set))
    return Endpoint((address,))


def members(ec2: t.Any, vpc_id: str, group_id: str) -> list[str]:
    """Addresses of the interfaces in a group."""
    return [
        interface.private_ip_address
        for interface in list(ec2.enis.values())
        if interface.vpc_id == vpc_id and group_id in {one.id for one in interface.group_set}
    ]
