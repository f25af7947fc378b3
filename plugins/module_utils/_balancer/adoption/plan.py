# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Plans the tags of an existing load balancer and target group that a cluster adopts or releases. No I/O."""

from __future__ import annotations

import typing as t

from ..._aws.tag_steps import BALANCING, Tagged, removal_step, tag_steps
from ..._aws.tags import owned, require_owned
from ..._core.failure import refuse_option
from ..._core.plan import Plan, Step
from ..load_balancer.model import LoadBalancer
from ..target_group.model import TargetGroup
from .model import Desired, State


def plan(desired: Desired, state: State) -> Plan:
    """:raises Refused: for a resource that does not exist, has an unsupported type, or belongs to a different cluster."""
    return Plan(tuple(_adoption(desired, state) if desired.present else _return(desired, state)))


def _adoption(desired: Desired, state: State) -> t.Iterator[Step]:
    """Check the two resources and add the cluster's tags. Nothing else changes."""
    balancer, group = _found(desired, state)
    _refuse_kind(desired, balancer, group)
    for found in (balancer, group):
        require_owned(_name(found), found.tags, cluster_arn=desired.cluster_arn, adopt=True)
    for found in (balancer, group):
        yield from tag_steps(
            BALANCING, _name(found), found.arn, found.tags, desired.tags, purge=False, tagged=_tagged(found)
        )


def _return(desired: Desired, state: State) -> t.Iterator[Step]:
    """Remove our tags from resources with the cluster's owner tag. A missing resource needs no change."""
    for found in (state.load_balancer, state.target_group):
        if found is not None and owned(found.tags, desired.cluster_arn):
            ours = [key for key in sorted(desired.tags) if found.tags.get(key) == desired.tags[key]]
            yield removal_step(BALANCING, _name(found), found.arn, found.tags, ours, tagged=_tagged(found))


def _tagged(found: LoadBalancer | TargetGroup) -> Tagged:
    part = "load_balancer" if isinstance(found, LoadBalancer) else "target_group"
    return lambda state, tags: state.tagged(part, tags)


def _found(desired: Desired, state: State) -> tuple[LoadBalancer, TargetGroup]:
    for option in ("load_balancer", "target_group"):
        if getattr(state, option) is None:
            kind = option.replace("_", " ")
            refuse_option(option, getattr(desired, option), f"the name or ARN of a {kind} that exists in this account and Region")
    return t.cast(LoadBalancer, state.load_balancer), t.cast(TargetGroup, state.target_group)


def _refuse_kind(desired: Desired, balancer: LoadBalancer, group: TargetGroup) -> None:
    if balancer.type != "network":
        refuse_option("load_balancer", balancer.name, "a network load balancer", f"its type is {balancer.type}")
    if desired.scheme is not None and balancer.scheme != desired.scheme:
        refuse_option(
            "load_balancer",
            balancer.name,
            f"a load balancer with the declared scheme {desired.scheme}, or {balancer.scheme} as the declared scheme",
            f"its scheme is {balancer.scheme}, and AWS cannot change that",
        )
    wanted = {"target_type": "ip", "protocol": "TCP", "vpc_id": balancer.vpc_id}
    for name, value in wanted.items():
        if group.properties.get(name) != value:
            refuse_option(
                "target_group",
                group.name,
                f"a target group with {name} {value!r}",
                f"it has {name} {group.properties.get(name)!r}, and AWS cannot change that",
            )
    listener = balancer.listener(desired.port)
    if listener is None:
        refuse_option("load_balancer", balancer.name, f"a load balancer with a listener for port {desired.port}")
    if listener.protocol != "TCP" or listener.target_group_arn != group.arn:
        refuse_option(
            "target_group",
            group.name,
            f"the target group that port {desired.port} forwards to over TCP",
            f"port {desired.port} ({listener.protocol}) of {_name(balancer)} forwards to "
            f"{listener.target_group_arn or 'no target group'}",
        )


def _name(found: LoadBalancer | TargetGroup) -> str:
    return f"{'load balancer' if isinstance(found, LoadBalancer) else 'target group'} {found.name}"
