# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""A load balancer and a target group that others made: judged, tagged as a cluster's, or given back. Pure, no I/O."""

from __future__ import annotations

import typing as t

from ..._aws.tags import owned, require_owned
from ..._core.failure import Refused, refuse_option
from ..._core.plan import Plan, Step
from ..load_balancer.model import LoadBalancer
from ..tags import Tagged, removal_step, tag_steps
from ..target_group.model import TargetGroup
from .model import Desired, State


def plan(desired: Desired, state: State) -> Plan:
    """:raises Refused: for what is not there, not of the kind that we keep, or another cluster's."""
    return Plan(tuple(_adoption(desired, state) if desired.present else _return(desired, state)))


def _adoption(desired: Desired, state: State) -> t.Iterator[Step]:
    """Tags, and nothing else."""
    balancer, group = _found(desired, state)
    _refuse_kind(desired, balancer, group)
    for found in (balancer, group):
        require_owned(_name(found), found.tags, cluster_arn=desired.cluster_arn, adopt=True)
    for found in (balancer, group):
        yield from tag_steps(_name(found), found.arn, found.tags, desired.tags, purge=False, tagged=_tagged(found))


def _return(desired: Desired, state: State) -> t.Iterator[Step]:
    """Our tags go from what carries the owner's; what is gone needs nothing."""
    for found in (state.load_balancer, state.target_group):
        if found is not None and owned(found.tags, desired.cluster_arn):
            ours = [key for key in sorted(desired.tags) if found.tags.get(key) == desired.tags[key]]
            yield removal_step(_name(found), found.arn, found.tags, ours, tagged=_tagged(found))


def _tagged(found: LoadBalancer | TargetGroup) -> Tagged:
    part = "load_balancer" if isinstance(found, LoadBalancer) else "target_group"
    return lambda state, tags: state.tagged(part, tags)


def _found(desired: Desired, state: State) -> tuple[LoadBalancer, TargetGroup]:
    for option in ("load_balancer", "target_group"):
        if getattr(state, option) is None:
            refuse_option(
                option, getattr(desired, option), "the name or ARN of one that exists in this account and Region is"
            )
    return t.cast(LoadBalancer, state.load_balancer), t.cast(TargetGroup, state.target_group)


def _refuse_kind(desired: Desired, balancer: LoadBalancer, group: TargetGroup) -> None:
    if balancer.type != "network":
        refuse_option("load_balancer", balancer.name, f"it is of type {balancer.type}, only a network load balancer is")
    if desired.scheme is not None and balancer.scheme != desired.scheme:
        raise Refused(
            f"load_balancer: {_name(balancer)} is {balancer.scheme} and AWS cannot change that; declare the scheme "
            f"{balancer.scheme}, or keep it out of this.",
            option="load_balancer",
        )
    wanted = {"target_type": "ip", "protocol": "TCP", "vpc_id": balancer.vpc_id}
    for name, value in wanted.items():
        if group.properties.get(name) != value:
            raise Refused(
                f"target_group: {_name(group)} has {name} {group.properties.get(name)!r} and AWS cannot change it to "
                f"{value!r}; name a target group that has it.",
                option="target_group",
            )
    listener = balancer.listener(desired.port)
    if listener is None:
        text = f"load_balancer: {_name(balancer)} has no listener for port {desired.port}."
        raise Refused(text, option="load_balancer")
    if listener.protocol != "TCP" or listener.target_group_arn != group.arn:
        raise Refused(
            f"target_group: port {desired.port} ({listener.protocol}) of {_name(balancer)} forwards to "
            f"{listener.target_group_arn or 'something else'}, not to {group.arn}; name the one that gets the logins.",
            option="target_group",
        )


def _name(found: LoadBalancer | TargetGroup) -> str:
    return f"{'load balancer' if isinstance(found, LoadBalancer) else 'target group'} {found.name}"
