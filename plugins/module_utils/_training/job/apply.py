# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Runs one training job. Whatever happens, all that it creates in Kubernetes is removed, except a namespace of our own."""

from __future__ import annotations

import typing as t

from ..._core.wait import Clock
from ..._core.waits import Progress
from ..._kubernetes.client import Kubernetes, KubernetesError
from ..._kubernetes.namespace import BASELINE
from ..._kubernetes.patience import answer
from ..._kubernetes.pod_runner.mark import Mark
from ..._kubernetes.pod_runner.pods import Pod
from ..._kubernetes.pod_runner.runner import PodRunner, Pods
from .model import (
    ALLOCATION,
    CONTAINER,
    FIELDS,
    IMAGE,
    LATE_SECONDS,
    REFUSED,
    TIMEOUT,
    TRAINING,
    Desired,
    NotRun,
    Outcome,
    Planned,
    PodLog,
    Ran,
)
from .plan import dropped
from .training_progress import Progressed

ALL, LARGEST = 64 * 2**20, 8 * 2**20
"""Bytes of all logs, and of one."""
END_LINES = 500
"""Of a log that is longer than that."""
LEAVING_SECONDS = 90
"""After which deleted Pods are gone unless a process does not end, so that the next job finds idle nodes."""
INVALID = (400, 403, 422)
"""HTTP statuses of objects that the API server or an admission webhook refuses."""


class Runner:
    """Of one job."""

    def __init__(
        self,
        kubernetes: Kubernetes,
        desired: Desired,
        planned: Planned,
        *,
        progress: Progress,
        interval: float,
        clock: Clock = Clock(),
    ) -> None:
        self.desired = desired
        self.planned = planned
        self.kind = planned.kind
        mark, level = Mark(TRAINING, planned.run), BASELINE if desired.owned else None
        self.runner = PodRunner(
            kubernetes, desired.namespace, mark, progress=progress, interval=interval, clock=clock, level=level
        )
        self.progressed = Progressed(self.runner, CONTAINER[self.kind.name])
        self._uid = ""
        """Of the job, which owns its Pods unless the kind has Jobs of its own for that."""

    def __call__(self) -> Outcome:
        """
        :raises KubernetesError: if the API server refuses what every job needs.
        :raises Interrupted: if this process is asked to end.
        """
        return self.runner.run(self._trained, leaving=LEAVING_SECONDS)

    def _trained(self) -> Outcome:
        """What an earlier run left is removed first, so that it occupies no node."""
        maps, services = f"{self.runner.core}/configmaps", f"{self.runner.core}/services"
        jobs = self.kind.path(self.desired.namespace)
        created = self.runner.made.create(maps, self.planned.program)
        self.runner.remove_left_behind(created["metadata"]["creationTimestamp"], maps, services, *({jobs} - {self.runner.jobs}))
        refused = self._refused(jobs)
        if refused:
            return refused
        if self.planned.service:
            self.runner.made.create(services, self.planned.service)
        self._uid = self.runner.made.create(jobs, self.planned.job)["metadata"]["uid"]
        return self._followed()

    def _refused(self, jobs: str) -> NotRun | None:
        """Why the API server does not take the job as it is, by a dry run."""
        try:
            kept = self.runner.kubernetes.create(f"{jobs}?dryRun=All", self.planned.job).get("spec")
        except KubernetesError as error:
            if error.status not in INVALID:
                raise
            return NotRun(REFUSED, f"The API server refuses the {self.kind.name}: {error}")
        lost = ", ".join(dropped(self.planned.job["spec"], kept))
        if not lost:
            return None
        text = f"The API server drops {lost} of a {self.kind.name}: choose another kind, or upgrade Kubernetes or the operator."
        return NotRun(FIELDS, text)

    def _followed(self) -> Outcome:
        pods, late = self._until("with a node", lambda pod: pod.bound, self.desired.queue_timeout)
        if late:
            return NotRun(ALLOCATION, self._unplaced(pods))
        pods, late = self._until("running", lambda pod: pod.begun, self.desired.start_timeout, pods)
        wrong = [each for each in pods.values() if each.failed and not each.started]
        if any(each.hopeless for each in wrong):
            return NotRun(IMAGE, f"A Pod cannot start ({_trouble(wrong[0])}): name an image that the nodes can pull.")
        if wrong:
            return NotRun(ALLOCATION, f"A node refused its Pod ({_trouble(wrong[0])}).")
        if late:
            trouble = self._missing(pods) or next(_trouble(each) for each in pods.values() if not each.begun)
            return NotRun(TIMEOUT, f"Not all Pods had started after {self.desired.start_timeout} s ({trouble}).")
        pods, late = self._until("finished", lambda pod: pod.over, self.desired.timeout + LATE_SECONDS, pods)
        return self._ran(pods, late=late)

    def _ran(self, pods: Pods, *, late: bool) -> Ran:
        logs = []
        for pod in pods.values():
            text, unread = "", ""
            try:
                text = self._log(pod, min(LARGEST, ALL // len(pods)))
            except KubernetesError as error:
                unread = str(error)
            trouble = pod.trouble if pod.failed else ""
            logs.append(PodLog(pod.name, pod.node, text, pod.status, trouble, unread, pod.restarts))
        return Ran(tuple(logs), late=late)

    def _log(self, pod: Pod, most: int) -> str:
        """Empty for a Pod whose container never ran. Of a log that is too long, the beginning and the end."""
        if not pod.started:
            return ""
        container = CONTAINER[self.kind.name]
        begin = answer(lambda: self.runner.log(pod, container, most), self.runner.clock)
        if len(begin.encode()) < most:
            return begin
        end = answer(lambda: self.runner.log(pod, container, most, lines=END_LINES), self.runner.clock)
        return f"{begin}\n{end}"

    def _until(
        self, stage: str, so_far: t.Callable[[Pod], bool], seconds: float, before: Pods | None = None
    ) -> tuple[Pods, bool]:
        """The Pods once all are so far or one has failed, and whether the time was over before that."""
        count = len(self.desired.nodes)

        def ready(pods: Pods) -> int:
            return sum(1 for each in pods.values() if so_far(each))

        return self.runner.follow(
            self._ours,
            seconds=seconds,
            done=lambda pods: ready(pods) == count or any(each.failed for each in pods.values()),
            subject=f"{self.kind.name} {self.planned.name}",
            state=lambda pods: f"at {ready(pods)} of {count} Pods {stage}{self.progressed.text(pods)}",
            before=before,
        )

    def _ours(self, pods: t.Sequence[Pod]) -> Pods:
        """By name. Others can set the label, so the owner and the node must be right, too."""
        allowed = ("", *self.desired.nodes)
        ours = [pod for pod in pods if pod.node in allowed and (pod.job if self.kind.job_label else pod.job == self._uid)]
        return {pod.name: pod for pod in sorted(ours, key=lambda pod: pod.name)}

    def _unplaced(self, pods: Pods) -> str:
        """Why not all Pods have a node."""
        waited = f"in {self.desired.queue_timeout} s"
        if not pods:
            first = "that Kueue admits it, and " if self.desired.queue.name else ""
            return f"No Pod of the {self.kind.name} was created {waited}: check {first}that its operator runs."
        why = self._missing(pods) or next(_trouble(each) for each in pods.values() if not each.bound)
        return f"Kubernetes did not place all Pods {waited}: {why.rstrip('.')}."

    def _missing(self, pods: Pods) -> str:
        """That there are fewer Pods than nodes; empty if all are there."""
        missing = len(self.desired.nodes) - len(pods)
        return f"there is no Pod for {missing} of {len(self.desired.nodes)} nodes" if missing > 0 else ""


def _trouble(pod: Pod) -> str:
    return (pod.trouble if pod.bound else pod.unscheduled) or "Kubernetes gives no reason"
