# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The PriorityClass of a run: its Pods preempt no other Pods, and all ordinary Pods may preempt them. No I/O."""

from __future__ import annotations

from ..._kubernetes.client import Object
from ..._kubernetes.job_kinds import Kind, pod_templates
from ..._kubernetes.pod_runner.mark import Mark
from .model import TRAINING, Desired

CLASSES = "/apis/scheduling.k8s.io/v1/priorityclasses"
SPACE = "mlfleet.hyperpod/namespace"
"""The label with the namespace of the run, whose Lease protects the object."""
VALUE = -10
"""The lowest value at which Cluster Autoscaler still counts Pods. Most Pods have the priority 0."""


def priority_class(name: str, run: str, desired: Desired, kind: Kind) -> Object | None:
    """The PriorityClass; None if a queue determines the priority, or if jobs of the kind cannot set the field."""
    if desired.queue.name or kind.runtime:
        return None
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": Mark(TRAINING, run).metadata(name, labels={SPACE: desired.namespace}),
        "value": VALUE,
        "preemptionPolicy": "Never",
        "globalDefault": False,
        "description": "For the Pods of one verification of mlfleet.hyperpod, which removes this class at its end.",
    }


def set_priority(job: Object, kind: Kind, name: str) -> None:
    """Set the PriorityClass of all Pods of a job. An empty name removes it."""
    for template in pod_templates(kind, job):
        template["spec"].pop("priorityClassName", None)
        template["spec"].update({"priorityClassName": name} if name else {})
