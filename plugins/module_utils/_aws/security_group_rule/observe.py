# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads a rule of a security group, and the two groups that the rule connects.

For a moment, EC2 may not return new groups and new rules. If a reply lacks an expected object, the read is therefore
repeated a few times before the reply counts.
"""

from __future__ import annotations

import typing as t

from ..._core.wait import Clock
from ..client import Api
from ..network import filters
from ..tags import plain_tags
from .apply import PAUSES, Applier
from .model import Desired, GroupReference, Match, Rule, State


class Observer:
    """
    :param needs_groups: whether both groups of the rule must exist, so that a reply without one is unexpected.
    """

    def __init__(
        self, ec2: Api, desired: Desired, apply: Applier, *, needs_groups: bool, clock: Clock = Clock()
    ) -> None:
        self._ec2 = ec2
        self._desired = desired
        self._apply = apply
        self._needs_groups = needs_groups
        self._clock = clock

    def __call__(self) -> State:
        for pause in PAUSES:
            state = self._look()
            if not self._is_odd(state):
                return state
            self._clock.sleep(pause)
        return self._look()

    def _is_odd(self, state: State) -> bool:
        if state.group_id is None or state.peer is None:
            return self._needs_groups
        return self._apply.there not in (None, state.rule is not None)

    def _look(self) -> State:
        desired = self._desired
        group_id = self._group_id(desired.group)
        peer = desired.cidr if desired.source is None else self._group_id(desired.source)
        if group_id is None or peer is None:
            return State(group_id, peer)
        match, rules = desired.match(peer), self._rules(group_id)
        same = next((rule for rule in rules if rule.match == match), None)  # EC2 allows at most one
        return State(group_id, peer, same, tuple(rule for rule in rules if rule.match.is_alike(match)))

    def _group_id(self, group: GroupReference) -> str | None:
        """The given ID, or the ID of the group with the given name; None if there is no such group."""
        if group.id is not None:
            return group.id
        found = self._ec2.pages(
            "DescribeSecurityGroups",
            "SecurityGroups",
            about=f"security group {group}",
            **filters(group_name=[group.name], vpc_id=[group.vpc_id]),
        )
        return found[0]["GroupId"] if found else None

    def _rules(self, group_id: str) -> tuple[Rule, ...]:
        found = self._ec2.pages(
            "DescribeSecurityGroupRules",
            "SecurityGroupRules",
            about=f"security group {group_id}",
            **filters(group_id=[group_id]),
        )
        return tuple(_rule(each) for each in found)


def _rule(found: t.Mapping[str, t.Any]) -> Rule:
    tags = plain_tags(found.get("Tags"))
    return Rule(found["SecurityGroupRuleId"], _match(found), found.get("Description", ""), tags)


def _match(found: t.Mapping[str, t.Any]) -> Match:
    referenced = found.get("ReferencedGroupInfo", {}).get("GroupId")
    return Match(
        egress=found["IsEgress"],
        protocol=found["IpProtocol"],
        from_port=found.get("FromPort", -1),
        to_port=found.get("ToPort", -1),
        peer=referenced or found.get("CidrIpv4") or found.get("CidrIpv6") or found.get("PrefixListId", ""),
    )
