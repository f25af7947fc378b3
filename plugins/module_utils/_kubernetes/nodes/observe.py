# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads the nodes in Kubernetes and the Pods that use their accelerators. Kubelets write the values, so these are untrusted."""

from __future__ import annotations

import typing as t

from ..._core.text import printable
from ..client import Kubernetes, KubernetesError, Object
from .labels import CHECK, HEALTH, NODE_POOL, NODES, PODS, READY, REASONS, TYPES
from .model import Condition, KubernetesNode, State

CORDONED_FOR = "mlfleet.hyperpod/cordoned-for"
"""The annotation with the reason of our cordon."""
ACCELERATORS = ("nvidia.com/", "aws.amazon.com/neuron")
"""The prefixes of the resource names of accelerators."""
OVER = ("Succeeded", "Failed")
MOST, LONGEST = 50, 300
"""Limits: entries of a list, and characters of a text."""
FORBIDDEN = 403


class Observer:
    def __init__(self, kubernetes: Kubernetes) -> None:
        self.kubernetes = kubernetes

    def __call__(self) -> State:
        """:raises KubernetesError: also if the caller may not list nodes."""
        items = self.kubernetes.items(NODES)
        try:
            pods, seen = working(self.kubernetes.items(PODS)), True
        except KubernetesError as error:
            if error.status != FORBIDDEN:
                raise
            pods, seen = {}, False
        found = [node_of(each, pods.get(each["metadata"]["name"], ())) for each in items]
        return State({each.name: each for each in found}, pods_seen=seen)


def working(items: t.Iterable[Object]) -> dict[str, list[str]]:
    """The names of the Pods that use accelerators, keyed by node."""
    found: dict[str, list[str]] = {}
    for item in pods_at_work(items):
        found.setdefault(item["spec"]["nodeName"], []).append(f"{item['metadata']['namespace']}/{item['metadata']['name']}")
    return found


def pods_at_work(items: t.Iterable[Object]) -> t.Iterator[Object]:
    """Pods that have accelerators of a node and have not ended."""
    for item in items:
        phase = (item.get("status") or {}).get("phase")
        if item["spec"].get("nodeName") and phase not in OVER and _has_accelerators(item["spec"]):
            yield item


def _has_accelerators(spec: Object) -> bool:
    containers = (*spec.get("containers", ()), *(spec.get("initContainers") or ()))
    limits = ((each.get("resources") or {}).get("limits") or {} for each in containers)
    return any(name.startswith(ACCELERATORS) for each in limits for name in each)


def node_of(item: Object, pods: t.Sequence[str] = ()) -> KubernetesNode:
    meta, spec = item["metadata"], item.get("spec") or {}
    labels = meta.get("labels") or {}
    conditions = [_condition(each) for each in (item.get("status") or {}).get("conditions") or ()]
    return KubernetesNode(
        name=meta["name"],
        health_status=_line(labels.get(HEALTH)),
        deep_health_check=_line(labels.get(CHECK)),
        fault_types=_line(labels.get(TYPES)),
        fault_reasons=_line(labels.get(REASONS)),
        unschedulable=bool(spec.get("unschedulable")),
        taints=tuple(_taint(each) for each in (spec.get("taints") or ())[:MOST]),
        conditions=tuple(each for each in conditions if _is_wrong(each))[:MOST],
        pods=tuple(map(_line, pods[:MOST])),
        not_ready=_not_ready(meta, conditions),
        node_pool=_line(labels.get(NODE_POOL)),
        cordoned_for=_line((meta.get("annotations") or {}).get(CORDONED_FOR)),
    )


def _condition(condition: Object) -> Condition:
    return Condition(*(_line(condition.get(name)) for name in ("type", "status", "reason", "message")))


def _is_wrong(condition: Condition) -> bool:
    """Whether the condition reports a problem.

    The kubelet's own ``Ready`` is a problem unless it is true. Other types that end in Ready (AWS's node monitoring) are a
    problem if they are false, and all remaining types if they are true.
    """
    if condition.kind == READY:
        return condition.status != "True"
    return condition.status == ("False" if condition.kind.endswith(READY) else "True")


def _not_ready(meta: Object, conditions: t.Iterable[Condition]) -> str:
    if "deletionTimestamp" in meta:
        return "it is being deleted"
    ready = next((each for each in conditions if each.kind == READY), None)
    if ready is None:
        return "its kubelet has not reported yet"
    return "" if ready.status == "True" else f"its kubelet is not ready ({ready.reason}: {ready.message})"


def _taint(taint: Object) -> str:
    value = f"={taint['value']}" if taint.get("value") else ""
    return _line(f"{taint.get('key')}{value}:{taint.get('effect')}")


def _line(value: t.Any) -> str:
    return printable(value or "")[:LONGEST]
