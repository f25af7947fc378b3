# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads the network of a file system: its subnet, its network interfaces, and what its security groups allow."""

from __future__ import annotations

import typing as t

from ..._aws.network import Network, Subnet, filters
from ..._aws.security_group_rule.apply import PAUSES
from ..._core.failure import refuse_option
from ..._core.wait import Clock
from .access import Access, Peer, Rule, access

MOST_INTERFACES = 200
"""Maximum number of values that EC2 accepts in a filter. All interfaces of a file system have the same groups."""


class FileSystemNetwork:
    def __init__(self, ec2: Network, *, clock: Clock = Clock()) -> None:
        self.ec2 = ec2
        self.clock = clock

    def subnet(self, subnet_id: str) -> Subnet | None:
        return self.ec2.subnets([subnet_id]).get(subnet_id) if subnet_id else None

    def zones(self, subnet_ids: t.Iterable[str]) -> dict[str, str]:
        """Availability Zones by subnet. A subnet that does not exist is omitted."""
        return {name: subnet.zone for name, subnet in self.ec2.subnets({each for each in subnet_ids if each}).items()}

    def groups_of(self, interfaces: t.Sequence[str]) -> list[str] | None:
        """The security groups of the interfaces; None if EC2 returns none of the interfaces."""
        if not interfaces:
            return None
        found = self.ec2.pages(
            "DescribeNetworkInterfaces",
            "NetworkInterfaces",
            about=", ".join(interfaces[:3]),
            **filters(network_interface_id=list(interfaces[:MOST_INTERFACES])),
        )
        return sorted({group["GroupId"] for each in found for group in each.get("Groups") or ()}) if found else None

    def access(self, subnet: Subnet, groups: t.Sequence[str], clients: t.Sequence[str], *, efa: bool) -> Access:
        """What the groups do not allow.

        For a moment, EC2 may not return new groups and new rules, so a reply that lacks one is read again a few times.

        :raises Refused: for a group that does not exist in the VPC of the subnet.
        """
        for pause in PAUSES:
            lacking, found = self._look(subnet, groups, clients, efa=efa)
            if not lacking and not found.missing:
                return found
            self.clock.sleep(pause)
        lacking, found = self._look(subnet, groups, clients, efa=efa)
        if lacking:
            why = f"it does not exist in {subnet.vpc_id}, the VPC of {subnet.id}"
            refuse_option("security_group_ids", lacking[0], f"security groups of {subnet.vpc_id}", why)
        return found

    def _look(
        self, subnet: Subnet, groups: t.Sequence[str], clients: t.Sequence[str], *, efa: bool
    ) -> tuple[list[str], Access]:
        """The groups that do not exist in the VPC, and the access."""
        about = f"security groups {', '.join(groups)}"
        listed = self.ec2.pages(
            "DescribeSecurityGroups",
            "SecurityGroups",
            about=about,
            **filters(group_id=list(groups), vpc_id=[subnet.vpc_id]),
        )
        lacking = sorted(set(groups) - {each["GroupId"] for each in listed})
        answer = self.ec2.pages(
            "DescribeSecurityGroupRules", "SecurityGroupRules", about=about, **filters(group_id=list(groups))
        )
        rules = [Rule.from_api(each) for each in answer]
        others = [each for each in clients if each not in groups]
        networks = self._networks(subnet.vpc_id) if others and not efa else ()
        itself = Peer(" or ".join(groups), tuple(groups), (subnet.cidr,))
        peers = [Peer(each, (each,), networks) for each in others]
        return lacking, access(rules, itself=itself, clients=peers, efa=efa)

    def _networks(self, vpc_id: str) -> tuple[str, ...]:
        """The IPv4 networks of the VPC."""
        found = self.ec2.pages("DescribeVpcs", "Vpcs", about=f"VPC {vpc_id}", **filters(vpc_id=[vpc_id]))
        return tuple(
            each["CidrBlock"]
            for vpc in found
            for each in vpc.get("CidrBlockAssociationSet") or ()
            if (each.get("CidrBlockState") or {}).get("State", "associated") == "associated"
        )
