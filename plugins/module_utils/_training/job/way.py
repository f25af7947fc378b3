# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Ends the job if another Pod needs its nodes. Failed reads are ignored, because the job itself does not need them."""

from __future__ import annotations

import typing as t

from ..._core.text import printable
from ..._kubernetes.client import Kubernetes, KubernetesError, Object
from ..._kubernetes.nodes.devices import EFA, GPU
from ..._kubernetes.nodes.fits import fits
from ..._kubernetes.nodes.labels import NODES, PODS
from ..._kubernetes.pod_runner.runner import Pods
from .model import GAVE_WAY, TRAINING, Desired, NotRun

SECONDS = 30
"""Seconds between two reads of the waiting Pods."""


class Way:
    def __init__(self, kubernetes: Kubernetes, desired: Desired, now: t.Callable[[], float]) -> None:
        self.kubernetes = kubernetes
        self.desired = desired
        self.now = now
        self._why = ""
        self._read = now()
        self._nodes: list[Object] = []
        self._others: frozenset[str] = frozenset()

    def begin(self) -> None:
        """Remember the Pods that wait although the nodes are idle. They wait for something else."""
        self._others = frozenset(each["metadata"]["uid"] for each in self._wanted())

    def needed(self, pods: Pods) -> bool:
        """Whether the job must end.

        :param pods: the Pods of the job.
        """
        preempted = next((pod for pod in pods.values() if pod.preempted), None)
        if preempted:
            self._why = f"Kubernetes preempted Pod {preempted.name} on {preempted.node} for a Pod with a higher priority"
        if not self._why and not self.desired.queue.name and self.now() - self._read >= SECONDS:
            self._read = self.now()
            self._why = self._waiting()
        return bool(self._why)

    @property
    def given(self) -> NotRun | None:
        """The outcome if the job has given way."""
        return NotRun(GAVE_WAY, f"The job gave way: {self._why}. Run again when the nodes are idle.") if self._why else None

    def _waiting(self) -> str:
        for pod in self._wanted():
            if pod["metadata"]["uid"] not in self._others:
                name = printable(f"{pod['metadata']['namespace']}/{pod['metadata']['name']}")
                return f"Pod {name} waits for accelerators, and its rules allow a node of the job"
        return ""

    def _wanted(self) -> list[Object]:
        """The Pods that wait for devices and may run on a node of the job."""
        try:
            found = self.kubernetes.items(PODS, fieldSelector="status.phase=Pending")
            waiting = [each for each in found if _unschedulable(each) and self._needs_devices(each["spec"])]
            if waiting and not self._nodes:
                nodes = self.kubernetes.items(NODES)
                self._nodes = [each for each in nodes if each["metadata"]["name"] in self.desired.nodes]
        except KubernetesError:
            return []
        return [each for each in waiting if any(fits(each["spec"], node) for node in self._nodes)]

    def _needs_devices(self, spec: Object) -> bool:
        """Whether the Pod requests devices, and no more GPUs than the job has on each node."""
        limits = [((each.get("resources") or {}).get("limits") or {}) for each in spec.get("containers") or ()]
        gpus = sum(int(each[GPU]) for each in limits if str(each.get(GPU, "")).isdecimal())
        return any(name in each for each in limits for name in (GPU, EFA)) and gpus <= self.desired.gpus


def _unschedulable(pod: Object) -> bool:
    if TRAINING in (pod["metadata"].get("labels") or {}) or "deletionTimestamp" in pod["metadata"]:
        return False
    conditions = (pod.get("status") or {}).get("conditions") or ()
    refused = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
    return any(refused.items() <= each.items() for each in conditions)
