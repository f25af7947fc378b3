# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Plans the change from the observed to the desired load balancer. No I/O."""

from __future__ import annotations

import dataclasses
import ipaddress
import typing as t

from ..._aws.network import Subnet
from ..._aws.tag_steps import BALANCING, tag_steps
from ..._aws.tags import Tags, api_tags, owned, require_owned
from ..._core import fields
from ..._core.failure import Refused, refuse_option
from ..._core.plan import KNOWN_AFTER_APPLY, Change, Plan, Step
from .. import attributes
from .listeners import deletion, listener_steps, refuse_missing_target_groups
from .model import ALL_ATTRIBUTES, Desired, LoadBalancer, State, SubnetMapping

DEFAULT_SCHEME = "internal"

_SUBNETS = "subnets of one VPC, one per zone"


def plan(desired: Desired, state: State, *, check_mode: bool) -> Plan:
    """:raises Refused: for a change that AWS does not support. Outside check mode, also for a target group that does not exist."""
    return _plan_present(desired, state, check_mode=check_mode) if desired.present else _plan_absent(desired, state)


def _plan_present(desired: Desired, state: State, *, check_mode: bool) -> Plan:
    if not check_mode:
        refuse_missing_target_groups(desired, state.target_groups)
    found = state.load_balancer
    notes: tuple[str, ...] = ()
    if found is None:
        found = _created(desired, state)
        steps = _creation(desired, found)
    else:
        _refuse(desired, found)
        steps, notes = _updates(desired, state, found), _notes(desired, found)
    return Plan((*steps, *listener_steps(desired, state.target_groups, found)), notes=notes)


def _plan_absent(desired: Desired, state: State) -> Plan:
    """Delete the listeners first, so that no new login begins. Only a load balancer with our owner tag is deleted."""
    found = state.load_balancer
    if found is None:
        return Plan()
    if found.type != "network" or not owned(found.tags, desired.cluster_arn):
        return Plan(notes=(f"{desired.resource} does not belong to this cluster and was not changed.",))
    listeners = (deletion(desired, listener) for listener in found.listeners)
    change = Change("delete", desired.resource, before=found.arn)
    arguments = {"LoadBalancerArn": found.arn}
    return Plan((*_unprotect(desired, found), *listeners, Step("DeleteLoadBalancer", arguments, (change,), _gone)))


def _gone(state: State) -> State:
    return dataclasses.replace(state, load_balancer=None)


def _unprotect(desired: Desired, found: LoadBalancer) -> tuple[Step, ...]:
    if not found.attributes.get("deletion_protection"):
        return ()
    if not desired.force_delete:
        raise Refused(f"{desired.resource} is protected against deletion. Set force_delete to remove the protection first.")
    return _attribute_steps(desired, found, {"deletion_protection": False})


def _refuse(desired: Desired, found: LoadBalancer) -> None:
    if found.type != "network":
        why = f"{desired.resource} exists and is of type {found.type}, not network"
        refuse_option("name", desired.name, "a different name", why)
    require_owned(desired.resource, found.tags, cluster_arn=desired.cluster_arn, adopt=desired.adopt)
    if desired.scheme is not None:
        fields.refuse_immutable(desired.resource, {"scheme": found.scheme}, {"scheme": desired.scheme})
    if desired.security_groups and not found.security_groups:
        refuse_option(
            "security_groups",
            list(desired.security_groups),
            "none, or any for a new load balancer (with a different name, or after the removal of this one)",
            f"{desired.resource} was created without security groups and can never get any",
        )
    have = {mapping.subnet_id: mapping.private_ipv4_address for mapping in found.subnets}
    for mapping in desired.subnets or ():
        address = mapping.private_ipv4_address
        if address is not None and mapping.subnet_id in have:
            option = f"subnet_mappings[{mapping.subnet_id}].private_ipv4_address"
            fields.refuse_immutable(desired.resource, {option: have[mapping.subnet_id]}, {option: address})


def _created(desired: Desired, state: State) -> LoadBalancer:
    """The new load balancer with AWS's defaults for its attributes, because a second call sets the desired values."""
    for option in ("subnets", "security_groups"):
        if not getattr(desired, option):
            text = f"{option}: missing; {desired.resource} does not exist, and a new load balancer requires this option."
            raise Refused(text, option=option, code="no-such-load-balancer")
    _check_subnets(desired.subnets or (), state.subnets, others=())
    return LoadBalancer(
        arn=KNOWN_AFTER_APPLY,
        name=desired.name,
        type="network",
        scheme=desired.scheme or DEFAULT_SCHEME,
        status="provisioning",
        dns_name=KNOWN_AFTER_APPLY,
        tags=dict(desired.tags or {}),
        attributes=fields.defaults(ALL_ATTRIBUTES),
        subnets=_zoned(desired.subnets or (), state.subnets),
        security_groups=desired.security_groups or (),
        vpc_id=next((subnet.vpc_id for subnet in state.subnets.values()), KNOWN_AFTER_APPLY),
    )


def _creation(desired: Desired, created: LoadBalancer) -> tuple[Step, ...]:
    arguments: dict[str, t.Any] = {
        "Name": desired.name,
        "Type": "network",
        "Scheme": created.scheme,
        "SubnetMappings": _api_mappings(created.subnets),
        "SecurityGroups": list(created.security_groups),
    }
    if desired.tags:
        arguments["Tags"] = api_tags(desired.tags)
    summary = {
        "scheme": created.scheme,
        "subnets": [mapping.subnet_id for mapping in created.subnets],
        "security_groups": list(created.security_groups),
        "tags": dict(created.tags),
    }
    create = Step(
        "CreateLoadBalancer",
        arguments,
        (Change("create", desired.resource, after=summary),),
        lambda state: dataclasses.replace(state, load_balancer=created),
    )
    return (create, *_attribute_steps(desired, created, desired.attributes))


def _updates(desired: Desired, state: State, found: LoadBalancer) -> tuple[Step, ...]:
    return (
        *_security_group_steps(desired, found),
        *_subnet_steps(desired, state, found),
        *_attribute_steps(desired, found, desired.attributes),
        *tag_steps(
            BALANCING, desired.resource, found.arn, found.tags, desired.tags, purge=desired.purge_tags, tagged=_tagged
        ),
    )


def _tagged(state: State, tags: Tags) -> State:
    return state.having(tags=tags)


def _security_group_steps(desired: Desired, found: LoadBalancer) -> tuple[Step, ...]:
    after = _groups_after(desired, found)
    if set(after) == set(found.security_groups):
        return ()
    change = Change("update", desired.resource, "security_groups", sorted(found.security_groups), list(after))
    arguments = {"LoadBalancerArn": found.arn, "SecurityGroups": list(after)}
    return (Step("SetSecurityGroups", arguments, (change,), lambda state: state.having(security_groups=after)),)


def _subnet_steps(desired: Desired, state: State, found: LoadBalancer) -> tuple[Step, ...]:
    after = _subnets_after(desired, found)
    before = [mapping.subnet_id for mapping in found.subnets]
    if {each.subnet_id for each in after} == set(before):
        return ()
    _check_subnets(after, state.subnets, others=found.subnets)
    change = Change("update", desired.resource, "subnets", before, [mapping.subnet_id for mapping in after])
    arguments = {"LoadBalancerArn": found.arn, "SubnetMappings": _api_mappings(after)}
    return (Step("SetSubnets", arguments, (change,), lambda state: state.having(subnets=after)),)


def _attribute_steps(desired: Desired, found: LoadBalancer, want: fields.Values) -> tuple[Step, ...]:
    """One call for all attributes that differ."""
    differing = fields.different(ALL_ATTRIBUTES, found.attributes, want)
    if not differing:
        return ()
    arguments = {"LoadBalancerArn": found.arn, "Attributes": attributes.request(differing, want)}
    changes = fields.changes(desired.resource, differing, found.attributes, want)
    after = {**found.attributes, **want}
    return (Step("ModifyLoadBalancerAttributes", arguments, changes, lambda state: state.having(attributes=after)),)


def _notes(desired: Desired, found: LoadBalancer) -> tuple[str, ...]:
    if desired.subnets is None or desired.purge_subnets:
        return ()
    wanted = {mapping.subnet_id for mapping in desired.subnets}
    extra = sorted(mapping.subnet_id for mapping in found.subnets if mapping.subnet_id not in wanted)
    if not extra:
        return ()
    return (f"{desired.resource} keeps subnets that are not listed: {', '.join(extra)}. Set purge_subnets to remove them.",)


def _groups_after(desired: Desired, found: LoadBalancer) -> tuple[str, ...]:
    if desired.security_groups is None:
        return found.security_groups
    kept = () if desired.purge_security_groups else found.security_groups
    return tuple(sorted({*kept, *desired.security_groups}))


def _subnets_after(desired: Desired, found: LoadBalancer) -> tuple[SubnetMapping, ...]:
    if desired.subnets is None:
        return found.subnets
    have = {mapping.subnet_id: mapping for mapping in found.subnets}
    wanted = tuple(have.get(mapping.subnet_id, mapping) for mapping in desired.subnets)
    if desired.purge_subnets:
        return wanted
    listed = {mapping.subnet_id for mapping in wanted}
    return (*(mapping for mapping in found.subnets if mapping.subnet_id not in listed), *wanted)


def _check_subnets(
    mappings: tuple[SubnetMapping, ...], known: t.Mapping[str, Subnet], *, others: tuple[SubnetMapping, ...]
) -> None:
    """Check that each subnet exists and contains the requested address, and that all are in one VPC and in different zones."""
    zones = {mapping.subnet_id: mapping.zone for mapping in others}
    taken: dict[str, str] = {}
    vpcs: dict[str, str] = {}
    for mapping in mappings:
        subnet = known.get(mapping.subnet_id)
        if subnet is None and mapping.subnet_id not in zones:
            refuse_option("subnets", mapping.subnet_id, _SUBNETS, "it does not exist in this account and Region")
        zone = zones.get(mapping.subnet_id) or (subnet.zone if subnet else "")
        if zone and zone in taken:
            refuse_option("subnets", mapping.subnet_id, _SUBNETS, f"{taken[zone]} is in the same zone, {zone}")
        taken[zone] = mapping.subnet_id
        if subnet is not None:
            vpcs[subnet.vpc_id] = subnet.id
            _check_address(mapping, subnet)
    if len(vpcs) > 1:
        refuse_option("subnets", sorted(vpcs.values()), _SUBNETS, f"they are in different VPCs ({', '.join(sorted(vpcs))})")


def _check_address(mapping: SubnetMapping, subnet: Subnet) -> None:
    address = mapping.private_ipv4_address
    if address is not None and ipaddress.IPv4Address(address) not in ipaddress.ip_network(subnet.cidr):
        allowed = f"addresses within {subnet.cidr} of {mapping.subnet_id}"
        refuse_option("subnet_mappings.private_ipv4_address", address, allowed)


def _api_mappings(mappings: tuple[SubnetMapping, ...]) -> list[dict[str, str]]:
    return [
        (
            {"SubnetId": mapping.subnet_id, "PrivateIPv4Address": mapping.private_ipv4_address}
            if mapping.private_ipv4_address
            else {"SubnetId": mapping.subnet_id}
        )
        for mapping in mappings
    ]


def _zoned(mappings: tuple[SubnetMapping, ...], known: t.Mapping[str, Subnet]) -> tuple[SubnetMapping, ...]:
    return tuple(
        dataclasses.replace(mapping, zone=known[mapping.subnet_id].zone) if mapping.subnet_id in known else mapping
        for mapping in mappings
    )
