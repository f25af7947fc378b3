# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What HyperPod itself does with a node now: nobody else touches it meanwhile. Pure.

Others may write anything into Slurm and into labels of Kubernetes, so only the exact words count that HyperPod is known to use.
"""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.statuses import NODE
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.model import ASKS
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.nodes.model import WORDS

from ..slurm_states import State
from .kubernetes_states import Known

NOT_LISTED = "not listed"
"""Instead of the status of a node that HyperPod does not list."""
ASKED = tuple(WORDS.values())
"""Reasons in Slurm."""
RESERVATION, PARTITION, FEATURE = (
    "hyperpod-deep-health-check",
    "hyperpod-system-maintenance",
    "SageMakerDeepHealthCheck:InProgress",
)
"""Where HyperPod's deep health checks keep a node, also one that has failed them and waits for its replacement."""
LABELLED = tuple(ASKS.values())
"""Values of its label in Kubernetes, whoever wrote them: HyperPod acts on them."""
STATUS = "HyperPod has it as "
CHECKED, CHECKS = "InProgress", "HyperPod runs deep health checks on it"


def acting(hyperpod: str, slurm: State, kubernetes: Known | None = None) -> str:
    """In a sentence, by HyperPod's status of the node and what Slurm or Kubernetes says of it.

    Empty where it does nothing that anybody tells.
    """
    if hyperpod != NOT_LISTED and NODE.is_busy(hyperpod):
        return by_status(hyperpod)
    if slurm.reason in ASKED:
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
    """When it was first seen. ``before``: what HyperPod did when anybody told last, or nothing."""
    if not does:
        return ""
    return str(before["since"]) if before.get("does") == does else now


def unheard(did: str, node: t.Mapping[str, t.Any]) -> bool:
    """Whether nobody has told of the node what it takes to know that HyperPod does no more what it ``did``.

    ``node``: as in the document. Its status is told by HyperPod itself, all else by Slurm or Kubernetes.
    """
    silent = not node["known"]["slurm"] and not node["known"]["kubernetes"]
    return silent and not node["service"]["does"] and not did.startswith(STATUS)
