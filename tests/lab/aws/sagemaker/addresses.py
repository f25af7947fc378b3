# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addresses of nodes: network interfaces in the customer's subnets, as HyperPod creates them."""

from __future__ import annotations

import ipaddress
import typing as t
from dataclasses import dataclass

from ..action import Refusal

FIRST = 11  # lower addresses stay free for manual use


@dataclass(frozen=True)
class Address:
    """A network interface with the data that a host needs."""

    eni: str
    ip: str
    prefix_length: int
    subnet: str
    vpc: str
    vpc_cidr: str
    reachable: bool
    zone: str
    zone_id: str


def ec2(account: str, region: str) -> t.Any:
    """moto's EC2 backend."""
    from moto.ec2.models import ec2_backends

    return ec2_backends[account][region]


def check(account: str, region: str, vpc_config: dict[str, t.Any]) -> None:
    """Refuse subnets and security groups that do not exist, as CreateCluster does."""
    backend = ec2(account, region)
    for subnet in vpc_config["Subnets"]:
        if not any(subnet in zone for zone in backend.subnets.values()):
            raise Refusal("ValidationException", f"Subnet {subnet} does not exist")
    for group in vpc_config["SecurityGroupIds"]:
        if backend.get_security_group_from_id(group) is None:
            raise Refusal("ValidationException", f"Security group {group} does not exist")


def zones(account: str, region: str, vpc_config: dict[str, t.Any]) -> dict[str, str]:
    """Zones by subnet."""
    backend = ec2(account, region)
    return {subnet: str(backend.get_subnet(subnet).availability_zone) for subnet in vpc_config["Subnets"]}


def take(account: str, region: str, vpc_config: dict[str, t.Any], *, turn: int, about: str) -> Address:
    """Create an interface in the next subnet in turn, with the lowest free address from .11.

    :raises Refusal: if all subnets are full.
    """
    backend = ec2(account, region)
    subnets = vpc_config["Subnets"]
    for offset in range(len(subnets)):
        subnet = backend.get_subnet(subnets[(turn + offset) % len(subnets)])
        free = _free(backend, subnet)
        if free is None:
            continue
        eni = backend.create_network_interface(
            subnet, free, group_ids=list(vpc_config["SecurityGroupIds"]), description=f"SageMaker HyperPod {about}"
        )
        eni.requester_managed = True
        eni.status = "in-use"
        return _address(backend, eni, subnet)
    raise Refusal("ResourceLimitExceeded", f"Subnets {', '.join(subnets)} have no free address")


def give_back(account: str, region: str, address: Address) -> None:
    """Remove the interface, unless it was removed already."""
    ec2(account, region).enis.pop(address.eni, None)


def _free(backend: t.Any, subnet: t.Any) -> str | None:
    network = ipaddress.ip_network(subnet.cidr_block)
    taken = {eni.private_ip_address for eni in list(backend.enis.values()) if eni.subnet.id == subnet.id}
    for number in range(FIRST, network.num_addresses - 1):
        candidate = str(network[number])
        if candidate not in taken:
            return candidate
    return None


def _address(backend: t.Any, eni: t.Any, subnet: t.Any) -> Address:
    vpc = backend.get_vpc(subnet.vpc_id)
    network = ipaddress.ip_network(subnet.cidr_block)
    return Address(
        eni=eni.id,
        ip=eni.private_ip_address,
        prefix_length=network.prefixlen,
        subnet=subnet.id,
        vpc=vpc.id,
        vpc_cidr=_vpc_block(vpc, network),
        reachable={tag["key"]: tag["value"] for tag in vpc.get_tags()}.get("lab/reachable") != "no",
        zone=subnet.availability_zone,
        zone_id=subnet._availability_zone.zone_id,
    )


def _vpc_block(vpc: t.Any, network: t.Any) -> str:
    """The block of the VPC, primary or secondary, that contains the subnet."""
    blocks = [block["cidr_block"] for block in vpc.cidr_block_association_set]
    return next((block for block in blocks if network.subnet_of(ipaddress.ip_network(block))), vpc.cidr_block)
