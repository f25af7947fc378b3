# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The plan from the observed to the desired rule."""

from __future__ import annotations

import dataclasses
import typing as t

from ..._core.failure import Refused
from ..._core.plan import KNOWN_AFTER_APPLY, Change, Effect, Plan, Step
from ..tags import api_tags, owned
from .model import ALL_PROTOCOLS, Desired, Rule, State


def plan(desired: Desired, state: State, *, check_mode: bool) -> Plan:
    """If an identical rule of another owner exists, it is sufficient and stays unchanged.

    :raises Refused: outside check mode, if a group does not exist.
    """
    if not desired.present:
        return _plan_absent(desired, state)
    if not check_mode:
        _refuse_missing(desired, state)
    if state.rule is None:
        return Plan((_creation(desired, state),))
    return Plan(tuple(_updates(desired, state.rule, state.group_id)))


def _plan_absent(desired: Desired, state: State) -> Plan:
    """Remove the rule, by its ID, only if it has our tag."""
    rule = state.rule
    if rule is None:
        return Plan()
    if not owned(rule.tags, desired.cluster_arn):
        return Plan(notes=(f"{desired.resource} does not belong to this cluster and was not removed.",))
    operation = "RevokeSecurityGroupEgress" if desired.egress else "RevokeSecurityGroupIngress"
    arguments = {"GroupId": state.group_id, "SecurityGroupRuleIds": [rule.id]}
    change = Change("delete", desired.resource, before=rule.id)
    return Plan((Step(operation, arguments, (change,), _becomes(None)),))


def _updates(desired: Desired, rule: Rule, group_id: str | None) -> t.Iterator[Step]:
    if not owned(rule.tags, desired.cluster_arn):
        return
    if desired.description is not None and desired.description != rule.description:
        change = Change("update", desired.resource, "description", rule.description, desired.description)
        entry = {"SecurityGroupRuleId": rule.id, "SecurityGroupRule": _whole_rule(desired, rule)}
        arguments = {"GroupId": group_id, "SecurityGroupRules": [entry]}
        rule = dataclasses.replace(rule, description=desired.description)
        yield Step("ModifySecurityGroupRules", arguments, (change,), _becomes(rule))
    added = {key: value for key, value in desired.tags.items() if rule.tags.get(key) != value}
    if added:
        changes = tuple(
            Change("update", desired.resource, f"tags.{key}", rule.tags.get(key), added[key]) for key in sorted(added)
        )
        tagged = dataclasses.replace(rule, tags={**rule.tags, **added})
        yield Step("CreateTags", {"Resources": [rule.id], "Tags": api_tags(added)}, changes, _becomes(tagged))


def _creation(desired: Desired, state: State) -> Step:
    peer = state.peer or KNOWN_AFTER_APPLY
    rule = Rule(KNOWN_AFTER_APPLY, desired.match(peer), desired.description or "", dict(desired.tags))
    operation = "AuthorizeSecurityGroupEgress" if desired.egress else "AuthorizeSecurityGroupIngress"
    arguments = {
        "GroupId": state.group_id or KNOWN_AFTER_APPLY,
        "IpPermissions": [_permission(desired, peer)],
        "TagSpecifications": [{"ResourceType": "security-group-rule", "Tags": api_tags(desired.tags)}],
    }
    change = Change("create", desired.resource, after={"peer": peer, "tags": dict(desired.tags)})
    return Step(operation, arguments, (change,), _becomes(rule))


def _becomes(rule: Rule | None) -> Effect:
    return lambda state: dataclasses.replace(state, rule=rule)


def _permission(desired: Desired, peer: str) -> dict[str, t.Any]:
    entry: dict[str, str] = {"Description": desired.description} if desired.description else {}
    permission: dict[str, t.Any] = {"IpProtocol": desired.protocol}
    if desired.protocol != ALL_PROTOCOLS:
        permission.update(FromPort=desired.from_port, ToPort=desired.to_port)
    if desired.cidr is None:
        permission["UserIdGroupPairs"] = [{"GroupId": peer, **entry}]
    elif ":" in peer:
        permission["Ipv6Ranges"] = [{"CidrIpv6": peer, **entry}]
    else:
        permission["IpRanges"] = [{"CidrIp": peer, **entry}]
    return permission


def _whole_rule(desired: Desired, rule: Rule) -> dict[str, t.Any]:
    """A change of the description must send the whole rule. The form is the same for both directions."""
    peer = rule.match.peer
    kind = "ReferencedGroupId" if desired.cidr is None else "CidrIpv6" if ":" in peer else "CidrIpv4"
    return {
        "IpProtocol": rule.match.protocol,
        "FromPort": rule.match.from_port,
        "ToPort": rule.match.to_port,
        kind: peer,
        "Description": desired.description,
    }


def _refuse_missing(desired: Desired, state: State) -> None:
    if state.group_id is None:
        raise Refused(f"Security group {desired.group} does not exist.")
    if state.peer is None:
        raise Refused(f"Security group {desired.source} does not exist.")
