# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The state of a cluster that Karpenter will scale."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

from ..._hyperpod.model import Cluster
from ..._hyperpod.requirement import Requirement
from ..._kubernetes.kueue import TopologyAware
from .keda import Keda

OF_AWS = "aws-"
"""The prefix of trigger types whose metrics KEDA reads from AWS."""


@dataclass(frozen=True)
class Trigger:
    """A trigger of a ScaledObject that will be created."""

    type: str
    authenticated: bool = False
    """Whether the trigger has its own TriggerAuthentication. Otherwise, it uses the identity of KEDA's operator."""

    @property
    def needs_operator(self) -> bool:
        return self.type.startswith(OF_AWS) and not self.authenticated


@dataclass(frozen=True)
class Requested:
    """A NodeClass and its desired instance groups."""

    cluster_arn: str
    node_class: str
    groups: tuple[str, ...]
    keda_triggers: tuple[Trigger, ...] = ()


@dataclass(frozen=True)
class ScaledGroup:
    """An instance group with the fields that Karpenter needs."""

    name: str
    nodes: int
    """The current or the target number, whichever is larger."""
    types: tuple[str, ...]
    """Instance types such as ``ml.g5.8xlarge``; a flexible group has several."""
    flexible: bool
    zones: tuple[str, ...]
    deep_health_checks: tuple[str, ...]
    training_plan: str
    spot: bool = False


@dataclass(frozen=True)
class InKubernetes:
    """The state in the API server."""

    agent: str | None
    """The version of HyperPod's health monitoring agent; None without an agent."""
    definitions: t.Mapping[str, tuple[str, ...]]
    """The served versions of each custom resource definition of Karpenter."""
    node_classes: t.Mapping[str, tuple[str, ...]]
    """The instance groups of each HyperpodNodeClass."""
    topology_aware: TopologyAware
    keda: Keda | None = None
    """None if no trigger requires KEDA."""


@dataclass(frozen=True)
class State:
    cluster: Cluster
    node_recovery: str
    groups: t.Mapping[str, ScaledGroup] = field(default_factory=dict)
    """The requested groups that exist."""
    offered: frozenset[tuple[str, str]] = frozenset()
    """Pairs of instance type and zone."""
    kubernetes: InKubernetes | None = None
    """None without an EKS cluster."""
    scales: bool = True
    """Whether the autoscaler is on."""
    nodes: int = 0
    """The number of nodes in all groups of the cluster, including nodes that are starting."""

    def node_class_of(self, group: str) -> str:
        """The HyperpodNodeClass that has a group; empty if none has."""
        there = self.kubernetes.node_classes if self.kubernetes else {}
        return next((name for name, groups in there.items() if group in groups), "")

    def is_new(self, group: str) -> bool:
        """Whether Karpenter would remove the group's nodes, because it does not manage the group yet or the autoscaler is off."""
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
    """A requirement with the remedy if it is not met."""

    remedy: str

    def to_result(self) -> dict[str, t.Any]:
        return {**super().to_result(), "remedy": self.remedy}
