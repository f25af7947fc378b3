# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The state of Karpenter as the module returns it."""

from __future__ import annotations

import typing as t

from ..._core.text import printable
from ..._hyperpod.cluster_autoscaling.result import result as autoscaling
from ..holding import holding
from ..model import Inside, NodeClaim, NodeClass, NodePool
from ..offers import Amounts, capacities
from ..pods import Pod
from ..used import NODES, used
from ..why import Reasons
from .model import Desired, State
from .until import left, unready

Answer = dict[str, t.Any]


def result(desired: Desired, state: State) -> Answer:
    inside = state.inside
    on = _by_node(inside)
    return {
        **autoscaling(state.outside.autoscaling),
        "defined": inside.defined,
        "ready": not unready(desired, state),
        "gone": not left(desired, state),
        "node_classes": [_class(each, state.outside.groups) for each in inside.classes],
        "node_pools": [_pool(each, inside, capacities(inside)) for each in inside.pools],
        "node_claims": [_claim(each, on.get(each.node, []), inside) for each in inside.claims],
        "waiting": list(_waiting(state)),
    }


def _by_node(inside: Inside) -> dict[str, list[Pod]]:
    found: dict[str, list[Pod]] = {}
    for pod in inside.pods:
        if pod.node and pod.counts:
            found.setdefault(pod.node, []).append(pod)
    return found


def _class(each: NodeClass, there: t.Collection[str]) -> Answer:
    return {
        "name": each.meta.name,
        "groups": [printable(name) for name in each.groups],
        "missing_groups": [printable(name) for name in each.groups if name not in there],
        "ready": each.status.ready,
        "message": printable(each.status.why_not_ready),
        "ours": each.meta.managed,
        "leaving": each.meta.leaving,
    }


def _pool(each: NodePool, inside: Inside, capacity: t.Mapping[str, Amounts]) -> Answer:
    there = used(each, inside, capacity)
    return {
        "name": each.meta.name,
        "node_class": printable(each.node_class),
        "ready": each.status.ready,
        "message": printable(each.status.why_not_ready),
        "ours": each.meta.managed,
        "leaving": each.meta.leaving,
        "limits": _amounts(each.limits),
        "used": _amounts(there),
        "weight": each.weight,
        "consolidation_policy": printable(each.consolidation_policy),
        "consolidate_after": printable(each.consolidate_after),
        "nodes": int(there[NODES]),
    }


def _amounts(found: Amounts) -> dict[str, float]:
    return {printable(name): value for name, value in found.items()}


def _claim(each: NodeClaim, pods: t.Sequence[Pod], inside: Inside) -> Answer:
    return {
        "name": each.meta.name,
        "node_pool": printable(each.pool),
        "instance_group": printable(each.group),
        "instance_type": printable(each.instance_type),
        "zone": printable(each.zone),
        "node": printable(each.node),
        "state": each.state,
        "created": printable(each.meta.created),
        "pods": [printable(pod.full_name) for pod in pods],
        "holding": [hold.to_result() for hold in holding(each, pods, inside)],
    }


def _waiting(state: State) -> t.Iterator[Answer]:
    """The waiting Pods, and the Pods on Karpenter's nodes that do not start. The Pod that has waited longest comes first."""
    inside = state.inside
    reasons, own = Reasons(inside, state.outside), {claim.node for claim in inside.claims if claim.node}
    for pod in sorted(inside.pods, key=lambda each: (each.since, each.full_name)):
        cause = reasons.why(pod) if not pod.node or pod.node in own else None
        if cause is not None:
            yield {
                "pod": printable(pod.full_name),
                "since": printable(pod.since),
                "cause": cause.code,
                "text": cause.text,
                "next_step": cause.next_step,
            }
