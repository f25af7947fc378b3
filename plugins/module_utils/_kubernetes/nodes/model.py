# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Nodes in Kubernetes and their state."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

PREFIX = "hyperpod-"
"""The prefix that HyperPod puts before an instance ID in the name of a Node."""


def node_name(instance_id: str) -> str:
    return f"{PREFIX}{instance_id}"


@dataclass(frozen=True)
class Condition:
    kind: str
    status: str
    reason: str
    message: str


@dataclass(frozen=True)
class KubernetesNode:
    """The state of a node in Kubernetes, as printable text. HyperPod may or may not manage the node."""

    name: str
    health_status: str = ""
    deep_health_check: str = ""
    fault_types: str = ""
    fault_reasons: str = ""
    unschedulable: bool = False
    taints: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()
    """The conditions that report a problem."""
    pods: tuple[str, ...] = ()
    """The Pods that request the node's accelerators."""
    not_ready: str = ""
    """Why the node's kubelet starts no Pods; empty if it does."""
    node_pool: str = ""
    """The NodePool, if Karpenter created the node; Karpenter also removes such a node."""
    cordoned_for: str = ""
    """The reason of this collection's cordon; empty without such a cordon."""


@dataclass(frozen=True)
class State:
    nodes: t.Mapping[str, KubernetesNode] = field(default_factory=dict)
    """The nodes, keyed by name."""
    pods_seen: bool = True
    """Whether the caller may list the Pods of all namespaces."""


@dataclass(frozen=True)
class Desired:
    """The desired state of nodes."""

    state: str
    instance_ids: tuple[str, ...]
    reason: str = ""
    """The reason to record for a cordon. For ``UNCORDONED``, the beginning of the recorded reasons of the cordons to remove."""
    asks_for: str = ""
    """The repair to request from HyperPod: ``reboot`` or ``replace``."""
    refuses_pods: bool = False
    """Whether to refuse to cordon nodes whose accelerators Pods use."""
    until_ready: bool = False
    """The end of the wait after a cordon. True: until the nodes are ready. False: until their Pods have ended."""


CORDONED, UNCORDONED, ASKED = "cordoned", "uncordoned", "asked"
ASKS = {"reboot": "UnschedulablePendingReboot", "replace": "UnschedulablePendingReplacement"}
"""The repairs, and the label value that requests each from HyperPod."""
