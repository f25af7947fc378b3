# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Nodes that Kubernetes has, and what it says of them."""

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
    """What Kubernetes says of a node, in printable words. Others than HyperPod may have written it."""

    name: str
    health_status: str = ""
    deep_health_check: str = ""
    fault_types: str = ""
    fault_reasons: str = ""
    unschedulable: bool = False
    taints: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()
    """Those that say that something is wrong."""
    pods: tuple[str, ...] = ()
    """That have asked for its accelerators."""
    not_ready: str = ""
    """Why its kubelet starts no pod; empty where it does."""
    node_pool: str = ""
    """Of Karpenter, which has made the node, and ends it."""
    cordoned_for: str = ""
    """Why this collection has cordoned it; empty where it has not."""


@dataclass(frozen=True)
class State:
    nodes: t.Mapping[str, KubernetesNode] = field(default_factory=dict)
    """By name."""
    pods_seen: bool = True
    """The caller may know which pods there are."""


@dataclass(frozen=True)
class Desired:
    """What becomes of nodes."""

    state: str
    instance_ids: tuple[str, ...]
    reason: str = ""
    """Why they are cordoned; what the reason begins with where they are uncordoned."""
    asks_for: str = ""
    """What HyperPod is asked for: reboot or replace."""
    refuses_pods: bool = False
    """Nothing is changed where pods have accelerators of a node that would be cordoned."""
    until_ready: bool = False
    """Once they are cordoned, they are waited for; otherwise their pods are."""


CORDONED, UNCORDONED, ASKED = "cordoned", "uncordoned", "asked"
ASKS = {"reboot": "UnschedulablePendingReboot", "replace": "UnschedulablePendingReplacement"}
"""Values of the label on which HyperPod acts."""
