# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Nodes as Kubernetes reports them, and their instances as EC2 reports them. Nodes are untrusted, EC2 is trusted."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

RUNNING = "running"


@dataclass(frozen=True)
class Reported:
    """A node in Kubernetes. All texts are printable and short."""

    name: str
    provider_id: str = ""
    instance_id: str = ""
    """The instance in the provider ID; empty if the provider ID is not of EC2."""
    zone: str = ""
    instance_type: str = ""
    """The value of the node's label for the instance type; empty without the label. The same applies to ``node_group``."""
    node_group: str = ""
    gpus: int = 0
    ready: bool = False
    unschedulable: bool = False
    taints: tuple[str, ...] = ()


@dataclass(frozen=True)
class Instance:
    """An instance in EC2."""

    id: str
    instance_type: str
    zone: str
    state: str
    efa_interfaces: int = 0
    node_group: str = ""
    """The node group in the tag that EKS sets; empty for an instance without this tag."""
    clusters: frozenset[str] = frozenset()
    """The EKS clusters that the instance's tags name."""


@dataclass(frozen=True)
class State:
    cluster: str
    nodes: tuple[Reported, ...] = ()
    """The nodes, sorted by name."""
    instances: t.Mapping[str, Instance] = field(default_factory=dict)
    """The instances that exist, keyed by ID."""


def unknown(node: Reported, state: State) -> str:
    """Why the node's instance is unknown; empty if EC2 confirms that the instance is a node of the cluster."""
    if not node.instance_id:
        given = f"The provider ID {node.provider_id} does not identify an EC2 instance."
        return given if node.provider_id else "The node has no provider ID."
    if any(each.instance_id == node.instance_id and each.name != node.name for each in state.nodes):
        return f"Several nodes claim to be instance {node.instance_id}."
    instance = state.instances.get(node.instance_id)
    if instance is None:
        return f"EC2 has no instance {node.instance_id}."
    if state.cluster not in instance.clusters:
        return f"No tag of instance {node.instance_id} names EKS cluster {state.cluster}."
    return "" if instance.state == RUNNING else f"Instance {node.instance_id} is {instance.state}."


def differences(node: Reported, instance: Instance) -> list[str]:
    """Where the node contradicts EC2. A missing label is no contradiction."""
    compared = (
        ("label with the instance type", node.instance_type, "instance type", instance.instance_type),
        ("label with the node group", node.node_group, "node group", instance.node_group),
        ("provider ID", node.zone, "zone", instance.zone),
    )
    return [
        f"The {where} contains {found}, but the {what} in EC2 is {actual or 'not set'}."
        for where, found, what, actual in compared
        if found and found != actual
    ]
