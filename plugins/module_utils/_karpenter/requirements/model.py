# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""What is known about a cluster that Karpenter is to scale."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

from ..._hyperpod.model import Cluster
from ..._hyperpod.requirement import Requirement
from ..._kubernetes.kueue import TopologyAware
from .keda import Keda

OF_AWS = "aws-"
"""Begins the types of triggers whose figures KEDA reads from AWS."""


@dataclass(frozen=True)
class Trigger:
    """Of a ScaledObject that is to be made."""

    type: str
    authenticated: bool = False
    """By a TriggerAuthentication of its own, and not by the identity of KEDA's operator."""

    @property
    def needs_operator(self) -> bool:
        return self.type.startswith(OF_AWS) and not self.authenticated


@dataclass(frozen=True)
class Asked:
    """A NodeClass, and the instance groups that are to be under it."""

    cluster_arn: str
    node_class: str
    groups: tuple[str, ...]
    keda_triggers: tuple[Trigger, ...] = ()


@dataclass(frozen=True)
class ScaledGroup:
    """An instance group as far as Karpenter is concerned."""

    name: str
    nodes: int
    """That it has, or is to have, whichever is more."""
    types: tuple[str, ...]
    """Such as ``ml.g5.8xlarge``; several where the group is flexible."""
    flexible: bool
    zones: tuple[str, ...]
    deep_health_checks: tuple[str, ...]
    training_plan: str
    spot: bool = False


@dataclass(frozen=True)
class InKubernetes:
    """What the API server says."""

    agent: str | None
    """Version of HyperPod's health monitoring agent; None where there is none."""
    definitions: t.Mapping[str, tuple[str, ...]]
    """Versions that are served, by Karpenter's custom resource definition."""
    node_classes: t.Mapping[str, tuple[str, ...]]
    """Instance groups of each HyperpodNodeClass."""
    topology_aware: TopologyAware
    keda: Keda | None = None
    """None where nobody asks for it."""


@dataclass(frozen=True)
class State:
    cluster: Cluster
    node_recovery: str
    groups: t.Mapping[str, ScaledGroup] = field(default_factory=dict)
    """Those of the asked that exist."""
    offered: frozenset[tuple[str, str]] = frozenset()
    """Instance types, and the zones that have them."""
    kubernetes: InKubernetes | None = None
    """None where there is no EKS cluster."""
    scales: bool = True
    """The autoscaler is on."""
    nodes: int = 0
    """Of all its groups, those that are on their way among them."""

    def node_class_of(self, group: str) -> str:
        """The HyperpodNodeClass that has a group; empty where none has."""
        there = self.kubernetes.node_classes if self.kubernetes else {}
        return next((name for name, groups in there.items() if group in groups), "")

    def is_new(self, group: str) -> bool:
        """Karpenter does not have it yet, and ends the nodes that it has when it comes; while the autoscaler is off it has none."""
        return not (self.scales and self.node_class_of(group))

    def group_results(self) -> list[dict[str, t.Any]]:
        return [
            {
                "name": group.name,
                "nodes": group.nodes,
                "instance_types": list(group.types),
                "zones": list(group.zones),
                "spot": group.spot,
                "node_class": self.node_class_of(group.name),
                "new": self.is_new(group.name),
            }
            for group in self.groups.values()
        ]


@dataclass(frozen=True)
class Remediable(Requirement):
    """With what to do where it is not met."""

    remedy: str

    def to_result(self) -> dict[str, t.Any]:
        return {**super().to_result(), "remedy": self.remedy}
