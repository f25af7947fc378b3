# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What HyperPod itself is doing with a node now. Runs leave the node alone until it has finished. Pure.

Any user may write into Slurm and into labels of Kubernetes, so only the exact values count that HyperPod is known to use.
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
"""Reasons in Slurm."""
RESERVATION, PARTITION, FEATURE = (
    "hyperpod-deep-health-check",
    "hyperpod-system-maintenance",
    "SageMakerDeepHealthCheck:InProgress",
)
"""HyperPod's deep health checks keep a node there, also after a failure until it is replaced."""
LABELLED = tuple(ASKS.values())
"""Values of its label in Kubernetes that HyperPod acts on, no matter who set them."""
STATUS = "HyperPod reports status "
CHECKED, CHECKS = "InProgress", "HyperPod runs deep health checks on it"


def acting(hyperpod: str, slurm: State, kubernetes: Known | None = None) -> str:
    """As a sentence, from the status of the node in HyperPod and its state in Slurm or Kubernetes.

    Empty if none of them shows any work.
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
    return f"Slurm's reason is {reason}, on which HyperPod acts"


def by_label(value: str) -> str:
    return f"its label node-health-status is {value}, on which HyperPod acts"


def since(does: str, before: t.Mapping[str, t.Any], *, now: str) -> str:
    """When it was first seen. ``before``: what HyperPod was doing when last reported, or nothing."""
    if not does:
        return ""
    return str(before["since"]) if before.get("does") == does else now


def is_unreported(did: str, node: t.Mapping[str, t.Any]) -> bool:
    """Whether the document lacks the state that would show that HyperPod has finished what it ``did``.

    ``node``: as in the document. HyperPod itself reports its status; Slurm or Kubernetes report all else.
    """
    silent = not node["known"]["slurm"] and not node["known"]["kubernetes"]
    return silent and not node["service"]["does"] and not did.startswith(STATUS)
