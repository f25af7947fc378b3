# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What HyperPod itself does with a node now: nobody else touches it meanwhile. Pure.

Others may write anything into Slurm, so only the exact words count that HyperPod is known to use.
"""

from __future__ import annotations

import typing as t

from .slurm_states import State

AT_WORK = ("DeepHealthCheckInProgress", "Pending", "ShuttingDown", "SystemUpdating")
"""HyperPod's statuses of a node with which it does something. In Failure it may do nothing, and NotFound is no node."""
ASKED = ("Action:Reboot", "Action:Replace")
"""Reasons in Slurm; with a word more, HyperPod does not act on them."""
RESERVATION, PARTITION, FEATURE = (
    "hyperpod-deep-health-check",
    "hyperpod-system-maintenance",
    "SageMakerDeepHealthCheck:InProgress",
)
"""Where HyperPod's deep health checks keep a node, also one that has failed them and waits for its replacement."""


def acting(hyperpod: str, slurm: State) -> str:
    """In a sentence, by HyperPod's status of the node and what Slurm says of it; empty where it does nothing that anybody tells."""
    if hyperpod in AT_WORK:
        return f"HyperPod has it as {hyperpod}"
    if slurm.reason in ASKED:
        return f"Slurm's reason is {slurm.reason}, on which HyperPod acts"
    if RESERVATION in slurm.reservations or PARTITION in slurm.partitions or FEATURE in slurm.features:
        return "HyperPod runs deep health checks on it"
    return ""


def since(does: str, before: t.Mapping[str, t.Any], *, now: str) -> str:
    """When it was first seen. ``before``: ``service`` of the node in the document of the run before, or nothing."""
    if not does:
        return ""
    return str(before["since"]) if before.get("does") == does else now
