# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Which nodes to cordon or uncordon, and for which nodes to request a repair. No I/O."""

from __future__ import annotations

import dataclasses
import typing as t

from ..._core.failure import Refused
from ..._core.plan import Change, Plan, Step
from ..client import Object
from .labels import HEALTH
from .model import ASKED, ASKS, CORDONED, Desired, KubernetesNode, State, node_name
from .observe import CORDONED_FOR

PODS_UNKNOWN = (
    "The caller may not list the Pods of all namespaces, so it is unknown whether the nodes are idle. Allow the caller to do so."
)


def nodes_of(desired: Desired, state: State) -> list[KubernetesNode]:
    """The desired nodes that exist in Kubernetes."""
    names = map(node_name, desired.instance_ids)
    return [state.nodes[name] for name in names if name in state.nodes]


def plan(desired: Desired, state: State) -> Plan:
    """
    :raises Refused: for a cordon, if Pods use a node and ``refuses_pods`` is set, or if the caller may not list Pods.
    """
    nodes = nodes_of(desired, state)
    if desired.state == CORDONED:
        if not state.pods_seen:
            raise Refused(PODS_UNKNOWN)
        busy = at_work(nodes)
        if desired.refuses_pods and busy:
            raise Refused(f"Pods use accelerators of the nodes to cordon: {busy}. Wait until the Pods end, or set pods=wait.")
        return Plan(tuple(_cordon(each, desired.reason) for each in nodes if not each.unschedulable))
    if desired.state == ASKED:
        label = ASKS[desired.asks_for]
        return Plan(tuple(_ask(each, label) for each in nodes if each.health_status != label))
    return Plan(tuple(_uncordon(each) for each in nodes if each.cordoned_for.startswith(desired.reason)))


def at_work(nodes: t.Iterable[KubernetesNode]) -> str:
    """The Pods that use accelerators of the nodes, as text; empty if there are none."""
    return ", ".join(pod for each in nodes for pod in each.pods)


def not_ready(desired: Desired, state: State) -> str:
    """The nodes that start no Pods, and why, as text; empty if all nodes start Pods."""
    names = list(map(node_name, desired.instance_ids))
    gone = [f"{name}: the node does not exist in Kubernetes" for name in names if name not in state.nodes]
    return "; ".join(gone + [f"{each.name}: {each.not_ready}" for each in nodes_of(desired, state) if each.not_ready])


def unheard(nodes: t.Iterable[KubernetesNode]) -> str:
    """The nodes whose requested repair has not begun, as text. HyperPod removes the label or the node when the repair begins."""
    return ", ".join(f"{each.name}: {each.health_status}" for each in nodes if each.health_status in ASKS.values())


def _cordon(node: KubernetesNode, reason: str) -> Step:
    change = Change("update", f"node {node.name}", "cordoned", None, reason)
    return _step(node, change, _cordoned(reason), unschedulable=True, cordoned_for=reason)


def _uncordon(node: KubernetesNode) -> Step:
    change = Change("update", f"node {node.name}", "cordoned", node.cordoned_for, None)
    return _step(node, change, _cordoned(None), unschedulable=False, cordoned_for="")


def _ask(node: KubernetesNode, label: str) -> Step:
    change = Change("update", f"node {node.name}", HEALTH, node.health_status or None, label)
    return _step(node, change, {"metadata": {"labels": {HEALTH: label}}}, health_status=label)


def _cordoned(reason: str | None) -> Object:
    return {"metadata": {"annotations": {CORDONED_FOR: reason}}, "spec": {"unschedulable": True if reason else None}}


def _step(node: KubernetesNode, change: Change, patch: Object, **becomes: t.Any) -> Step:
    def effect(state: State) -> State:
        after = dataclasses.replace(state.nodes[node.name], **becomes)
        return dataclasses.replace(state, nodes={**state.nodes, node.name: after})

    return Step("PATCH", {"node": node.name, "patch": patch}, (change,), effect)
