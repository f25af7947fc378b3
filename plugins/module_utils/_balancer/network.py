# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The part of EC2 that the balancer touches: subnets, interfaces, security groups and their rules."""

from __future__ import annotations

import typing as t

from .._aws.client import Api
from .._aws.tags import plain_tags
from .load_balancer.model import Subnet
from .security_group_rule.plan import Desired, GroupReference, Match, Rule, State


class Network(Api):
    """The ``ec2`` client, in subnets and security groups."""

    def subnets(self, ids: t.Collection[str]) -> dict[str, Subnet]:
        """Those of the subnets that exist. Asked by filter, since one unknown id would fail the whole call."""
        if not ids:
            return {}
        about = ", ".join(sorted(ids))
        found = self.pages("DescribeSubnets", "Subnets", about=about, **_filters(subnet_id=sorted(ids)))
        return {
            each["SubnetId"]: Subnet(each["SubnetId"], each["AvailabilityZone"], each["VpcId"], each["CidrBlock"])
            for each in found
        }

    def interfaces_of(self, load_balancer: str) -> list[str]:
        """Interfaces of a network load balancer of this name. They outlive it and hold on to its security groups."""
        description = f"ELB net/{load_balancer}/*"
        found = self.pages(
            "DescribeNetworkInterfaces",
            "NetworkInterfaces",
            about=f"load balancer {load_balancer}",
            **_filters(description=[description]),
        )
        return [each["NetworkInterfaceId"] for each in found]

    def group_id(self, group: GroupReference) -> str | None:
        """The id as it was given, or of the group of that name; None if there is none."""
        if group.id is not None:
            return group.id
        found = self.pages(
            "DescribeSecurityGroups",
            "SecurityGroups",
            about=f"security group {group}",
            **_filters(group_name=[group.name], vpc_id=[group.vpc_id]),
        )
        return found[0]["GroupId"] if found else None

    def rule_state(self, desired: Desired) -> State:
        """The two groups that the rule joins, and the rule if it is there."""
        group_id = self.group_id(desired.group)
        peer = desired.cidr if desired.source is None else self.group_id(desired.source)
        if group_id is None or peer is None:
            return State(group_id, peer)
        match, rules = desired.match(peer), self.rules(group_id)
        same = next((rule for rule in rules if rule.match == match), None)  # EC2 allows no second
        return State(group_id, peer, same, tuple(rule for rule in rules if rule.match.is_alike(match)))

    def rules(self, group_id: str) -> tuple[Rule, ...]:
        found = self.pages(
            "DescribeSecurityGroupRules",
            "SecurityGroupRules",
            about=f"security group {group_id}",
            **_filters(group_id=[group_id]),
        )
        return tuple(_rule(each) for each in found)


def _filters(**values: list[t.Any]) -> dict[str, t.Any]:
    return {"Filters": [{"Name": name.replace("_", "-"), "Values": wanted} for name, wanted in values.items()]}


def _match(found: t.Mapping[str, t.Any]) -> Match:
    referenced = found.get("ReferencedGroupInfo", {}).get("GroupId")
    return Match(
        egress=found["IsEgress"],
        protocol=found["IpProtocol"],
        from_port=found.get("FromPort", -1),
        to_port=found.get("ToPort", -1),
        peer=referenced or found.get("CidrIpv4") or found.get("CidrIpv6") or found.get("PrefixListId", ""),
    )


def _rule(found: t.Mapping[str, t.Any]) -> Rule:
    tags = plain_tags(found.get("Tags"))
    return Rule(found["SecurityGroupRuleId"], _match(found), found.get("Description", ""), tags)
