# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""A load balancer and a target group that others made: judged, tagged as a cluster's, or given back. Pure, no I/O."""

from __future__ import annotations

import dataclasses
import typing as t
from dataclasses import dataclass, field

from .._core.failure import Refused, refuse_option
from .._core.plan import Change, Plan, Step
from . import model
from .load_balancer.model import LoadBalancer
from .tags import tag_steps, tags_after
from .target_group.model import TargetGroup


@dataclass(frozen=True)
class Desired:
    """What the module's options ask for. Load balancer and target group by name or ARN."""

    load_balancer: str
    target_group: str
    cluster_arn: str
    port: int = 22
    scheme: str | None = None
    tags: model.Tags = field(default_factory=dict)

    @classmethod
    def from_params(cls, params: t.Mapping[str, t.Any]) -> Desired:
        """:raises Refused: for the first option that is wrong in itself."""
        for option in ("load_balancer", "target_group"):
            if not params[option].startswith("arn:"):
                model.check_name(option, params[option])
        return cls(
            load_balancer=params["load_balancer"],
            target_group=params["target_group"],
            cluster_arn=params["cluster_arn"],
            port=model.check_port("port", params["port"]),
            scheme=params["scheme"],
            tags=model.wanted_tags(params["tags"], cluster_arn=params["cluster_arn"]) or {},
        )


@dataclass(frozen=True)
class State:
    load_balancer: LoadBalancer | None = None
    target_group: TargetGroup | None = None


def plan_present(desired: Desired, state: State) -> Plan:
    """Tags, and nothing else.

    :raises Refused: for what is not there, not of the kind that we keep, or another cluster's.
    """
    balancer, group = _found(desired, state)
    _refuse_kind(desired, balancer, group)
    for resource, tags in ((_name(balancer), balancer.tags), (_name(group), group.tags)):
        model.require_owned(resource, tags, cluster_arn=desired.cluster_arn, adopt=True)
    steps = (
        *tag_steps(_name(balancer), balancer.arn, balancer.tags, desired.tags, purge=False),
        *tag_steps(_name(group), group.arn, group.tags, desired.tags, purge=False),
    )
    return Plan(
        steps,
        State(
            dataclasses.replace(balancer, tags=tags_after(balancer.tags, desired.tags, purge=False)),
            dataclasses.replace(group, tags=tags_after(group.tags, desired.tags, purge=False)),
        ),
    )


def plan_absent(desired: Desired, state: State) -> Plan:
    """Our tags go from what carries the owner's; what is gone needs nothing."""
    steps: list[Step] = []
    left: dict[str, t.Any] = {}
    for name, found in (("load_balancer", state.load_balancer), ("target_group", state.target_group)):
        if found is None or not model.owned(found.tags, desired.cluster_arn):
            continue
        ours = [key for key in sorted(desired.tags) if found.tags.get(key) == desired.tags[key]]
        changes = tuple(Change("update", _name(found), f"tags.{key}", found.tags[key], None) for key in ours)
        steps.append(Step("RemoveTags", {"ResourceArns": [found.arn], "TagKeys": ours}, changes))
        tags = {key: value for key, value in found.tags.items() if key not in ours}
        left[name] = dataclasses.replace(found, tags=tags)
    return Plan(tuple(steps), dataclasses.replace(state, **left))


def to_result(desired: Desired, state: State) -> dict[str, t.Any]:
    balancer, group = state.load_balancer, state.target_group
    missing = {"exists": False}
    owned = [found is not None and model.owned(found.tags, desired.cluster_arn) for found in (balancer, group)]
    return {
        "balancer_adoption": {
            "adopted": all(owned),
            "load_balancer": missing if balancer is None else balancer.to_result(),
            "target_group": missing if group is None else group.to_result(),
        }
    }


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
            f"{balancer.scheme}, or keep it out of this."
        )
    wanted = {"target_type": "ip", "protocol": "TCP", "vpc_id": balancer.vpc_id}
    for name, value in wanted.items():
        if group.properties.get(name) != value:
            raise Refused(
                f"target_group: {_name(group)} has {name} {group.properties.get(name)!r} and AWS cannot change it to "
                f"{value!r}; name a target group that has it."
            )
    listener = balancer.listener(desired.port)
    if listener is None:
        raise Refused(f"load_balancer: {_name(balancer)} has no listener for port {desired.port}.")
    if listener.protocol != "TCP" or listener.target_group_arn != group.arn:
        raise Refused(
            f"target_group: port {desired.port} ({listener.protocol}) of {_name(balancer)} forwards to "
            f"{listener.target_group_arn or 'something else'}, not to {group.arn}; name the one that gets the logins."
        )


def _name(found: LoadBalancer | TargetGroup) -> str:
    return f"{'load balancer' if isinstance(found, LoadBalancer) else 'target group'} {found.name}"
