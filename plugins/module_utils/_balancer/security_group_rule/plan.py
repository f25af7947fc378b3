# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""One rule of a security group: what is wanted, what is there, and the plan between them. Pure, no I/O."""

from __future__ import annotations

import dataclasses
import typing as t
from dataclasses import dataclass, field

from ..._aws.tags import api_tags
from ..._core.failure import Refused, refuse_option
from ..._core.plan import KNOWN_AFTER_APPLY, Change, Plan, Step
from .. import model

ALL_PROTOCOLS = "-1"
_API_PROTOCOL = {"all": ALL_PROTOCOLS}
_DESCRIPTION_LENGTH = 255


@dataclass(frozen=True)
class GroupReference:
    """A security group by id, or by name within a VPC."""

    id: str | None = None
    name: str | None = None
    vpc_id: str | None = None

    def __str__(self) -> str:
        return self.id or f"{self.name} in {self.vpc_id}"


@dataclass(frozen=True)
class Match:
    """What makes two rules the same for EC2: everything but description and tags."""

    egress: bool
    protocol: str
    from_port: int
    to_port: int
    peer: str
    """A group's id, or a network."""

    def is_alike(self, other: Match) -> bool:
        """Whether nothing but the ports tells the two apart."""
        return self != other and self == dataclasses.replace(other, from_port=self.from_port, to_port=self.to_port)


@dataclass(frozen=True)
class Desired:
    """What the module's options ask for."""

    group: GroupReference
    egress: bool
    protocol: str
    from_port: int
    to_port: int
    cidr: str | None
    source: GroupReference | None
    description: str | None
    tags: model.Tags
    cluster_arn: str

    @property
    def resource(self) -> str:
        direction, word = ("egress", "to") if self.egress else ("ingress", "from")
        ports = (
            ""
            if self.protocol == ALL_PROTOCOLS
            else f" {self.from_port}" + (f"-{self.to_port}" if self.to_port != self.from_port else "")
        )
        protocol = "all protocols" if self.protocol == ALL_PROTOCOLS else self.protocol
        return f"{direction} rule {protocol}{ports} {word} {self.cidr or self.source} of security group {self.group}"

    def match(self, peer: str) -> Match:
        return Match(self.egress, self.protocol, self.from_port, self.to_port, peer)

    @classmethod
    def from_params(cls, params: t.Mapping[str, t.Any]) -> Desired:
        """:raises Refused: for the first option that is wrong in itself."""
        protocol = _API_PROTOCOL.get(params["protocol"], params["protocol"])
        from_port, to_port = _ports(protocol, params["from_port"], params["to_port"])
        source = None
        if params["source_group_id"] is not None or params["source_group_name"] is not None:
            source = _group(params, "source_group_id", "source_group_name")
        description = params["description"]
        if description is not None and len(description) > _DESCRIPTION_LENGTH:
            refuse_option("description", description, f"it has at most {_DESCRIPTION_LENGTH} characters")
        return cls(
            group=_group(params, "group_id", "group_name"),
            egress=params["direction"] == "egress",
            protocol=protocol,
            from_port=from_port,
            to_port=to_port,
            cidr=None if params["cidr"] is None else model.check_network("cidr", params["cidr"]),
            source=source,
            description=description,
            tags=model.wanted_tags(params["tags"], cluster_arn=params["cluster_arn"]) or {},
            cluster_arn=params["cluster_arn"],
        )


@dataclass(frozen=True)
class Rule:
    """A rule as EC2 has it."""

    id: str
    match: Match
    description: str = ""
    tags: model.Tags = field(default_factory=dict)


@dataclass(frozen=True)
class State:
    """``group_id`` and ``peer`` are None while the group that they name does not exist."""

    group_id: str | None
    peer: str | None
    rule: Rule | None = None
    others: tuple[Rule, ...] = ()
    """The other rules between the same two, of the same direction and protocol."""


def plan_present(desired: Desired, state: State, *, check_mode: bool) -> Plan:
    """An identical rule of somebody else satisfies, and stays theirs.

    :raises Refused: outside check mode, when a group does not exist.
    """
    if not check_mode:
        _refuse_missing(desired, state)
    if state.rule is None:
        return _creation(desired, state)
    if not model.owned(state.rule.tags, desired.cluster_arn):
        return Plan(predicted=state)
    rule, steps = state.rule, []
    if desired.description is not None and desired.description != rule.description:
        change = Change("update", desired.resource, "description", rule.description, desired.description)
        entry = {"SecurityGroupRuleId": rule.id, "SecurityGroupRule": _whole_rule(desired, rule)}
        arguments = {"GroupId": state.group_id, "SecurityGroupRules": [entry]}
        steps.append(Step("ModifySecurityGroupRules", arguments, (change,)))
    added = {key: value for key, value in desired.tags.items() if rule.tags.get(key) != value}
    if added:
        changes = tuple(
            Change("update", desired.resource, f"tags.{key}", rule.tags.get(key), added[key]) for key in sorted(added)
        )
        steps.append(Step("CreateTags", {"Resources": [rule.id], "Tags": api_tags(added)}, changes))
    description = rule.description if desired.description is None else desired.description
    after = dataclasses.replace(rule, description=description, tags={**rule.tags, **desired.tags})
    return Plan(tuple(steps), dataclasses.replace(state, rule=after))


def plan_absent(desired: Desired, state: State) -> Plan:
    """Only our own rule, by its id."""
    rule = state.rule
    if rule is None:
        return Plan(predicted=state)
    if not model.owned(rule.tags, desired.cluster_arn):
        return Plan(predicted=state, notes=(f"{desired.resource} is not ours and was left alone.",))
    operation = "RevokeSecurityGroupEgress" if desired.egress else "RevokeSecurityGroupIngress"
    arguments = {"GroupId": state.group_id, "SecurityGroupRuleIds": [rule.id]}
    change = Change("delete", desired.resource, before=rule.id)
    return Plan((Step(operation, arguments, (change,)),), dataclasses.replace(state, rule=None))


def to_result(desired: Desired, state: State) -> dict[str, t.Any]:
    rule = state.rule
    return {
        "security_group_rule": {
            "exists": rule is not None,
            "owned": rule is not None and model.owned(rule.tags, desired.cluster_arn),
            "security_group_rule_id": rule.id if rule else None,
            "group_id": state.group_id,
            "direction": "egress" if desired.egress else "ingress",
            "protocol": "all" if desired.protocol == ALL_PROTOCOLS else desired.protocol,
            "from_port": desired.from_port,
            "to_port": desired.to_port,
            "peer": state.peer,
            "description": rule.description if rule else desired.description,
            "tags": dict(rule.tags) if rule else {},
            "other_ports": sorted(
                each.match.from_port for each in state.others if model.owned(each.tags, desired.cluster_arn)
            ),
        }
    }


def _creation(desired: Desired, state: State) -> Plan:
    peer = state.peer or KNOWN_AFTER_APPLY
    rule = Rule(KNOWN_AFTER_APPLY, desired.match(peer), desired.description or "", dict(desired.tags))
    operation = "AuthorizeSecurityGroupEgress" if desired.egress else "AuthorizeSecurityGroupIngress"
    arguments = {
        "GroupId": state.group_id or KNOWN_AFTER_APPLY,
        "IpPermissions": [_permission(desired, peer)],
        "TagSpecifications": [{"ResourceType": "security-group-rule", "Tags": api_tags(desired.tags)}],
    }
    change = Change("create", desired.resource, after={"peer": peer, "tags": dict(desired.tags)})
    return Plan((Step(operation, arguments, (change,)),), dataclasses.replace(state, rule=rule))


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
    """For a change of the description: EC2 takes the rule as a whole, for both directions alike."""
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


def _group(params: t.Mapping[str, t.Any], id_option: str, name_option: str) -> GroupReference:
    if params[id_option] is not None:
        return GroupReference(id=model.check_id(id_option, params[id_option], "sg"))
    if params["vpc_id"] is None:
        raise Refused(f"{name_option}: {params[name_option]!r} needs vpc_id, names are unique in a VPC only.")
    return GroupReference(name=params[name_option], vpc_id=model.check_id("vpc_id", params["vpc_id"], "vpc"))


def _ports(protocol: str, from_port: int | None, to_port: int | None) -> tuple[int, int]:
    if protocol == ALL_PROTOCOLS:
        if from_port is not None or to_port is not None:
            refuse_option("from_port", from_port, "protocol all has no ports")
        return -1, -1
    if from_port is None:
        raise Refused(f"from_port: required with protocol {protocol}; allowed is 1 to 65535.")
    model.check_port("from_port", from_port)
    if to_port is None:
        return from_port, from_port
    if model.check_port("to_port", to_port) < from_port:
        refuse_option("to_port", to_port, f"it must not be below from_port, {from_port}")
    return from_port, to_port
