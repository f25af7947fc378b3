# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Objects in Kubernetes as far as Karpenter is concerned, read from the API server's answers.

Texts that somebody wrote there are as they were written; ``printable`` is for whoever shows them.
"""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

from .._kubernetes.nodes.labels import GROUP, NODE_POOL, TYPE, ZONE
from .meta import Meta, Object, Standing
from .pods import Budget, Pod
from .quantity import amounts, quantity

ARCH = "kubernetes.io/arch"
UNDERUTILIZED = "WhenEmptyOrUnderutilized"
"""Of a NodePool that names no policy."""


@dataclass(frozen=True)
class NodeClass:
    meta: Meta
    groups: tuple[str, ...]
    standing: Standing

    @classmethod
    def of(cls, item: Object) -> NodeClass:
        return cls(Meta.of(item), tuple(item["spec"].get("instanceGroups") or ()), Standing.of(item))


@dataclass(frozen=True)
class NodePool:
    meta: Meta
    node_class: str
    requirements: tuple[Object, ...]
    labels: t.Mapping[str, str]
    """Of its nodes."""
    taints: tuple[Object, ...]
    """Of its nodes, for as long as they are there."""
    limits: t.Mapping[str, float]
    weight: int
    consolidate_after: str
    """A duration, or ``Never``."""
    budgets: tuple[Object, ...]
    standing: Standing
    startup_taints: tuple[Object, ...] = ()
    """Of its nodes, until somebody takes them away."""
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
            standing=Standing.of(item),
            startup_taints=tuple(template["spec"].get("startupTaints") or ()),
            consolidation_policy=str(disruption.get("consolidationPolicy", UNDERUTILIZED)),
        )


@dataclass(frozen=True)
class NodeClaim:
    """A node that Karpenter asked for."""

    meta: Meta
    pool: str
    group: str
    """Empty until it is known."""
    instance_type: str
    zone: str
    node: str
    """Name of its Node; empty until AWS told which."""
    capacity: t.Mapping[str, float]
    standing: Standing

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
            standing=Standing.of(item),
        )

    @property
    def state(self) -> str:
        """How far its node is: ``waiting`` for AWS, ``launched``, ``registered`` in Kubernetes, ``ready`` or ``leaving``."""
        if self.meta.leaving:
            return "leaving"
        ways = (("Initialized", "ready"), ("Registered", "registered"), ("Launched", "launched"))
        return next((name for condition, name in ways if self.standing.holds(condition)), "waiting")


@dataclass(frozen=True)
class Node:
    meta: Meta
    taints: tuple[Object, ...]
    allocatable: t.Mapping[str, float]
    standing: Standing

    @classmethod
    def of(cls, item: Object) -> Node:
        spec, status = item.get("spec") or {}, item.get("status") or {}
        return cls(Meta.of(item), tuple(spec.get("taints") or ()), amounts(status.get("allocatable")), Standing.of(item))

    @property
    def ready(self) -> bool:
        return self.standing.holds("Ready")


@dataclass(frozen=True)
class LaunchFailure:
    """A NodeClaim that got no node; it is gone, and the event about it stays."""

    pool: str
    at: str
    message: str

    @classmethod
    def of(cls, event: Object) -> LaunchFailure:
        """A claim has the name of its pool and a random part."""
        pool = event["involvedObject"].get("name", "").rpartition("-")[0]
        return cls(pool, event.get("lastTimestamp") or event.get("eventTime") or "", event.get("message") or "")


@dataclass(frozen=True)
class Inside:
    """All that there is in Kubernetes."""

    classes: tuple[NodeClass, ...] = ()
    pools: tuple[NodePool, ...] = ()
    claims: tuple[NodeClaim, ...] = ()
    nodes: t.Mapping[str, Node] = field(default_factory=dict)
    """By name."""
    pods: tuple[Pod, ...] = ()
    budgets: tuple[Budget, ...] = ()
    launch_failures: tuple[LaunchFailure, ...] = ()
    """The newest last."""
    defined: bool = True
    """Whether Karpenter's kinds are known there; they come with the autoscaler."""

    def node_class(self, name: str) -> NodeClass | None:
        return next((each for each in self.classes if each.meta.name == name), None)

    def pool(self, name: str) -> NodePool | None:
        return next((each for each in self.pools if each.meta.name == name), None)

    def on(self, claim: NodeClaim) -> tuple[Pod, ...]:
        """Pods for whose sake the node of a claim is there."""
        return tuple(pod for pod in self.pods if claim.node and pod.node == claim.node and pod.counts)
