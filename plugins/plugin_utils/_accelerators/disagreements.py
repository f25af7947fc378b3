# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where HyperPod or Slurm say something else of a node than was found. Pure."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.problem import FIT, REBOOT, REPLACE, WATCH
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.labels import SCHEDULABLE
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.slurm_states import AT_WORK, OUT_OF_WORK

from .kubernetes_states import Known

RUNNING = "Running"
FAILED = "Failed"
OF_KUBELETS = ("Ready", "MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable")
"""Conditions that are about no accelerator."""
WELL = "and nothing was found that makes it unfit."


def disagreements(verdict: str, *, hyperpod: str, slurm: str, slurm_reason: str, kubernetes: Known) -> list[str]:
    """In sentences; an empty status is one that nobody told."""
    return [*_sentences(verdict, hyperpod, slurm, slurm_reason), *_of_kubernetes(verdict, kubernetes)]


def _sentences(verdict: str, hyperpod: str, slurm: str, slurm_reason: str) -> t.Iterator[str]:
    if verdict in (FIT, WATCH):
        if hyperpod not in ("", RUNNING):
            yield f"HyperPod has it as {hyperpod}, {WELL}"
        if slurm in OUT_OF_WORK:
            why = f" ({slurm_reason})" if slurm_reason else ""
            yield f"Slurm has it as {slurm}{why}, {WELL}"
    elif verdict in (REBOOT, REPLACE) and slurm in AT_WORK:
        yield f"It is unfit, and Slurm gives it jobs: it is {slurm}."


def _of_kubernetes(verdict: str, known: Known) -> t.Iterator[str]:
    """By labels and conditions of HyperPod and of AWS's node monitoring, and whether the node takes pods."""
    if not known:
        return
    label = known["health_status"]
    if verdict in (FIT, WATCH):
        if label not in ("", SCHEDULABLE):
            faults = ": ".join(filter(None, (known["fault_types"], known["fault_reasons"])))
            yield f"HyperPod labels it {label}{faults and f' ({faults})'}, {WELL}"
        if known["deep_health_check"] == FAILED:
            yield f"HyperPod's deep health checks have failed on it, {WELL}"
        for each in known["conditions"]:
            if each["type"] not in OF_KUBELETS:
                yield f"Kubernetes has its condition {each['type']} as {each['status']} ({each['reason']}), {WELL}"
    elif verdict in (REBOOT, REPLACE) and label in ("", SCHEDULABLE) and not known["unschedulable"]:
        yield "It is unfit, and Kubernetes gives it pods: nobody has cordoned it, nor has HyperPod labelled it."
