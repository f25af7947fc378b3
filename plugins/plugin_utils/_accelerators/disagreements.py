# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares the states of a node in HyperPod, Slurm and Kubernetes with the verdict on the node."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.problem import FIT, REBOOT, REPLACE, WATCH
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.labels import SCHEDULABLE
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.slurm_states import AT_WORK, OUT_OF_WORK

from .kubernetes_states import Known

RUNNING = "Running"
FAILED = "Failed"
OF_KUBELETS = ("Ready", "MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable")
"""Conditions that do not concern accelerators."""
WELL = "but the accelerator check found nothing that makes the node unfit."


def disagreements(verdict: str, *, hyperpod: str, slurm: str, slurm_reason: str, kubernetes: Known) -> list[str]:
    """The states that contradict the verdict, one sentence each. An empty state was not reported."""
    return [*_sentences(verdict, hyperpod, slurm, slurm_reason), *_of_kubernetes(verdict, kubernetes)]


def _sentences(verdict: str, hyperpod: str, slurm: str, slurm_reason: str) -> t.Iterator[str]:
    if verdict in (FIT, WATCH):
        if hyperpod not in ("", RUNNING):
            yield f"HyperPod reports status {hyperpod}, {WELL}"
        if slurm in OUT_OF_WORK:
            why = f" ({slurm_reason})" if slurm_reason else ""
            yield f"Slurm reports state {slurm}{why}, {WELL}"
    elif verdict in (REBOOT, REPLACE) and slurm in AT_WORK:
        yield f"The node is unfit, but it accepts jobs in Slurm: its state in Slurm is {slurm}."


def _of_kubernetes(verdict: str, known: Known) -> t.Iterator[str]:
    """Sentences about states in Kubernetes that contradict the verdict: HyperPod's labels, conditions of the Node, and cordons."""
    if not known:
        return
    label = known["health_status"]
    if verdict in (FIT, WATCH):
        if label not in ("", SCHEDULABLE):
            faults = ": ".join(filter(None, (known["fault_types"], known["fault_reasons"])))
            yield f"HyperPod labels the node {label}{faults and f' ({faults})'}, {WELL}"
        if known["deep_health_check"] == FAILED:
            yield f"HyperPod's deep health checks failed, {WELL}"
        for each in known["conditions"]:
            if each["type"] not in OF_KUBELETS:
                yield f"Kubernetes reports condition {each['type']} {each['status']} ({each['reason']}), {WELL}"
    elif verdict in (REBOOT, REPLACE) and label in ("", SCHEDULABLE) and not known["unschedulable"]:
        yield "The node is unfit, but it accepts Pods in Kubernetes: it is not cordoned, and HyperPod has not labeled it unhealthy."
