# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Nodes in Kubernetes and their state."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

PREFIX = "hyperpod-"
"""What HyperPod puts before an instance ID to name a Node."""


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
    """State of a node in Kubernetes, as printable text. It is not necessarily from HyperPod."""

    name: str
    health_status: str = ""
    deep_health_check: str = ""
    fault_types: str = ""
    fault_reasons: str = ""
    unschedulable: bool = False
    taints: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()
    """Conditions that report a problem."""
    pods: tuple[str, ...] = ()
    """That have asked for its accelerators."""
    not_ready: str = ""
    """Why its kubelet starts no pod; empty if it does."""
    node_pool: str = ""
    """Of Karpenter, which has made the node, and ends it."""
    cordoned_for: str = ""
    """Why this collection has cordoned it; empty if it has not."""


@dataclass(frozen=True)
class State:
    nodes: t.Mapping[str, KubernetesNode] = field(default_factory=dict)
    """By name."""
    pods_seen: bool = True
    """Whether the caller may list the pods."""


@dataclass(frozen=True)
class Desired:
    """What becomes of nodes."""

    state: str
    instance_ids: tuple[str, ...]
    reason: str = ""
    """Reason of the cordon; to uncordon, the beginning of the reason."""
    asks_for: str = ""
    """Repair to request from HyperPod: reboot or replace."""
    refuses_pods: bool = False
    """No change if pods use accelerators of a node to cordon."""
    until_ready: bool = False
    """Once they are cordoned, they are waited for; otherwise their pods are."""


CORDONED, UNCORDONED, ASKED = "cordoned", "uncordoned", "asked"
ASKS = {"reboot": "UnschedulablePendingReboot", "replace": "UnschedulablePendingReplacement"}
"""Values of the label on which HyperPod acts."""
