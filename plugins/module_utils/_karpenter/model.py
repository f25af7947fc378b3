# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Karpenter's objects in Kubernetes, from the API server's replies.

Texts are as the API server returned them. Pass a text to ``printable`` before you show it.
"""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

from .._kubernetes.nodes.labels import GROUP, NODE_POOL, TYPE, ZONE
from .._kubernetes.quantity import amounts, quantity
from .meta import Meta, Object, Status
from .pods import Budget, Pod

ARCH = "kubernetes.io/arch"
UNDERUTILIZED = "WhenEmptyOrUnderutilized"
"""The default policy of a NodePool."""


@dataclass(frozen=True)
class NodeClass:
    meta: Meta
    groups: tuple[str, ...]
    status: Status

    @classmethod
    def of(cls, item: Object) -> NodeClass:
        return cls(Meta.of(item), tuple(item["spec"].get("instanceGroups") or ()), Status.of(item))


@dataclass(frozen=True)
class NodePool:
    meta: Meta
    node_class: str
    requirements: tuple[Object, ...]
    labels: t.Mapping[str, str]
    taints: tuple[Object, ...]
    """The taints of the pool's nodes."""
    limits: t.Mapping[str, float]
    weight: int
    consolidate_after: str
    """A duration, or ``Never``."""
    budgets: tuple[Object, ...]
    status: Status
    startup_taints: tuple[Object, ...] = ()
    """The taints that new nodes have until a controller removes them."""
    consolidation_policy: str = UNDERUTILIZED

    @classmethod
    def of(cls, item: Object) -> NodePool:
        spec = item["spec"]
        template, disruption = spec["template"], spec.get("disruption") or {}
        limits = {name: quantity(value) for name, value in (spec.get("limits") or {}).items()}
        return cls(
            meta=Meta.of(item),
            node_class=template["spec"]["nodeClassRef"]["name"],
            requirements=tuple(template["spec"].get("requirements") or ()),
            labels=(template.get("metadata") or {}).get("labels") or {},
            taints=tuple(template["spec"].get("taints") or ()),
            limits={name: value for name, value in limits.items() if value is not None},
            weight=spec.get("weight", 0),
            consolidate_after=str(disruption.get("consolidateAfter", "0s")),
            budgets=tuple(disruption.get("budgets") or ()),
            status=Status.of(item),
            startup_taints=tuple(template["spec"].get("startupTaints") or ()),
            consolidation_policy=str(disruption.get("consolidationPolicy", UNDERUTILIZED)),
        )


@dataclass(frozen=True)
class NodeClaim:
    """A node that Karpenter requested."""

    meta: Meta
    pool: str
    group: str
    """The instance group; empty while it is unknown."""
    instance_type: str
    zone: str
    node: str
    """The name of the Node; empty until AWS returns it."""
    capacity: t.Mapping[str, float]
    status: Status

    @classmethod
    def of(cls, item: Object) -> NodeClaim:
        meta, status = Meta.of(item), item.get("status") or {}
        return cls(
            meta=meta,
            pool=meta.labels.get(NODE_POOL, ""),
            group=meta.labels.get(GROUP, ""),
            instance_type=meta.labels.get(TYPE, ""),
            zone=meta.labels.get(ZONE, ""),
            node=status.get("nodeName", ""),
            capacity=amounts(status.get("capacity")),
            status=Status.of(item),
        )

    @property
    def state(self) -> str:
        """The progress of the node: ``waiting`` for AWS, ``launched``, ``registered`` in Kubernetes, ``ready`` or ``leaving``."""
        if self.meta.leaving:
            return "leaving"
        ways = (("Initialized", "ready"), ("Registered", "registered"), ("Launched", "launched"))
        return next((name for condition, name in ways if self.status.holds(condition)), "waiting")


@dataclass(frozen=True)
class Node:
    meta: Meta
    taints: tuple[Object, ...]
    allocatable: t.Mapping[str, float]
    status: Status

    @classmethod
    def of(cls, item: Object) -> Node:
        spec, status = item.get("spec") or {}, item.get("status") or {}
        return cls(Meta.of(item), tuple(spec.get("taints") or ()), amounts(status.get("allocatable")), Status.of(item))

    @property
    def ready(self) -> bool:
        return self.status.holds("Ready")


@dataclass(frozen=True)
class LaunchFailure:
    """A NodeClaim that got no node. Karpenter deletes the NodeClaim, but the event remains."""

    pool: str
    at: str
    message: str

    @classmethod
    def of(cls, event: Object) -> LaunchFailure:
        """The name of a NodeClaim consists of the pool's name and a random part."""
        pool = event["involvedObject"].get("name", "").rpartition("-")[0]
        return cls(pool, event.get("lastTimestamp") or event.get("eventTime") or "", event.get("message") or "")


@dataclass(frozen=True)
class Inside:
    """The state in Kubernetes."""

    classes: tuple[NodeClass, ...] = ()
    pools: tuple[NodePool, ...] = ()
    claims: tuple[NodeClaim, ...] = ()
    nodes: t.Mapping[str, Node] = field(default_factory=dict)
    """Nodes, keyed by name."""
    pods: tuple[Pod, ...] = ()
    budgets: tuple[Budget, ...] = ()
    launch_failures: tuple[LaunchFailure, ...] = ()
    """Launch failures by time, the newest last."""
    defined: bool = True
    """Whether the API server has Karpenter's kinds, which the autoscaler installs."""

    def node_class(self, name: str) -> NodeClass | None:
        return next((each for each in self.classes if each.meta.name == name), None)

    def pool(self, name: str) -> NodePool | None:
        return next((each for each in self.pools if each.meta.name == name), None)

    def on(self, claim: NodeClaim) -> tuple[Pod, ...]:
        """Pods that keep the node of a claim in use."""
        return tuple(pod for pod in self.pods if claim.node and pod.node == claim.node and pod.counts)
