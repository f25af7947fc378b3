# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What HyperPod itself is doing with a node now. Runs do not change the node until HyperPod has finished.

Users can also set reasons in Slurm and labels in Kubernetes, so only the exact values that HyperPod uses count.
"""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.statuses import NODE
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.model import ASKS
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.nodes.model import WORDS

from ..slurm_states import State
from .kubernetes_states import Known

NOT_LISTED = "not listed"
"""The status of a node that HyperPod does not list."""
REQUESTED = tuple(WORDS.values())
"""Reasons in Slurm that request an action of HyperPod."""
RESERVATION, PARTITION, FEATURE = (
    "hyperpod-deep-health-check",
    "hyperpod-system-maintenance",
    "SageMakerDeepHealthCheck:InProgress",
)
"""The Slurm reservation, partition and feature of a node during HyperPod's deep health checks. A node that fails the checks has
them until it is replaced."""
LABELLED = tuple(ASKS.values())
"""Values of the label in Kubernetes that HyperPod acts on, no matter who set them."""
STATUS = "HyperPod reports status "
CHECKED, CHECKS = "InProgress", "HyperPod runs deep health checks on the node"


def acting(hyperpod: str, slurm: State, kubernetes: Known | None = None) -> str:
    """What HyperPod is doing, as a sentence, from the node's status in HyperPod and its state in Slurm or Kubernetes.

    Empty if none of these systems shows any work.
    """
    if hyperpod != NOT_LISTED and NODE.is_busy(hyperpod):
        return by_status(hyperpod)
    if slurm.reason in REQUESTED:
        return by_reason(slurm.reason)
    if RESERVATION in slurm.reservations or PARTITION in slurm.partitions or FEATURE in slurm.features:
        return CHECKS
    labels = kubernetes or {}
    if labels.get("health_status") in LABELLED:
        return by_label(labels["health_status"])
    return CHECKS if labels.get("deep_health_check") == CHECKED else ""


def by_status(status: str) -> str:
    return f"{STATUS}{status}"


def by_reason(reason: str) -> str:
    return f"HyperPod acts on Slurm's reason {reason}"


def by_label(value: str) -> str:
    return f"HyperPod acts on the node's label node-health-status={value}"


def since(does: str, before: t.Mapping[str, t.Any], *, now: str) -> str:
    """When a run first observed what HyperPod is doing. ``before``: HyperPod's work in the previous report; may be empty."""
    if not does:
        return ""
    return str(before["since"]) if before.get("does") == does else now


def is_unreported(did: str, node: t.Mapping[str, t.Any]) -> bool:
    """Whether the document lacks the state that would show whether HyperPod has finished what it ``did``.

    HyperPod itself reports statuses. Only Slurm or Kubernetes report all other work. ``node``: as in the document.
    """
    silent = not node["known"]["slurm"] and not node["known"]["kubernetes"]
    return silent and not node["service"]["does"] and not did.startswith(STATUS)
