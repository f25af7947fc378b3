# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Deletes the Pod with the rendezvous as a test, while all processes wait for the deletion. Reports if no Pod replaces it."""

from __future__ import annotations

from ..._kubernetes.client import CONFLICT, KubernetesError, Object
from ..._kubernetes.patience import answer
from ..._kubernetes.pod_runner.pods import Pod
from ..._kubernetes.pod_runner.runner import PodRunner, Pods
from .lives import Lives
from .logs import Logs
from .model import Desired, NotRun
from .refused import INVALID, answered, clause, refused
from .training_progress import BYTES, LINES, waits
from .unstarted import trouble


class Replacement:
    """:param name: the name of the Pod."""

    def __init__(self, runner: PodRunner, logs: Logs, lives: Lives, name: str) -> None:
        self.runner = runner
        self.logs = logs
        self.lives = lives
        self.name = name
        self.pod: Pod | None = None
        """The Pod, once its processes wait and its log was kept."""

    def due(self, pods: Pods) -> bool:
        """Whether the processes wait for the deletion. A log that could not be read is read again at the next call."""
        pod = pods.get(self.name)
        if pod is None or not pod.started:
            return False
        try:
            if not waits(self.runner.log(pod, self.logs.container, BYTES, lines=LINES)):
                return False
            self.logs.keep(pod, len(pods))
        except KubernetesError:
            return False
        self.pod = pod
        return True

    def delete(self, desired: Desired) -> NotRun | None:
        """Delete the Pod if this is due, but not a newer Pod with its name. Return the failure if the API server refuses this.

        :raises KubernetesError: for an error with a different cause than a refusal.
        """
        pod = self.pod
        if pod is None:
            return None
        self.runner.progress.say(f"Pod {pod.name} is deleted, as planned")
        self.lives.planned = pod
        options: Object = {"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": {"uid": pod.uid}}
        try:
            answer(lambda: self.runner.kubernetes.delete(f"{self.runner.pods}/{pod.name}", options), self.runner.clock)
        except KubernetesError as error:
            if error.status in INVALID:
                return refused(desired, f"to delete Pod {pod.name}", answered(error))
            if error.status != CONFLICT:
                raise
        return None

    def missing(self, pods: Pods) -> str:
        """Why no Pod replaced the deleted Pod; empty if it was replaced, or if no Pod was deleted."""
        lost = self.lives.planned
        if lost is None or self.lives.replaced:
            return ""
        pod = pods.get(self.name)
        deleted = f"Pod {lost.name} on {lost.node} was deleted as planned"
        if pod is None:
            return f"{deleted}, and its operator did not create it again"
        if pod.uid == lost.uid:
            return f"{deleted}, but did not end"
        return f"{deleted} and created again, but did not start: {clause(trouble(pod))}"
