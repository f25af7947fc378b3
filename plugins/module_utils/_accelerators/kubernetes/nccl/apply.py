# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Runs one test over nodes. At the end, also after an error, all created objects except the namespace are removed."""

from __future__ import annotations

import typing as t

from ...._core.wait import Clock
from ...._core.waits import Progress
from ...._kubernetes.client import Kubernetes, KubernetesError, Object
from ...._kubernetes.lease import Lease
from ...._kubernetes.nodes.devices import Share
from ...._kubernetes.nodes.observe import FORBIDDEN
from ...._kubernetes.patience import answer
from ...._kubernetes.pod_runner.mark import Mark
from ...._kubernetes.pod_runner.pods import Pod
from ...._kubernetes.pod_runner.runner import PodRunner, Pods, one_per_job
from ...node.nccl.model import ALLOCATION, IMAGE, NOT_RUN, OUTPUT, TIMEOUT, Outcome, Ran
from . import manifest
from .model import TEST, Desired

ALL, LARGEST = 64 * 2**20, 8 * 2**20
"""The maximum size of all logs together and of one log, in bytes. The first Pod's log has the table and is read first."""
LEAVING_SECONDS = 60
"""Seconds to wait until deleted Pods have ended, so that the nodes are idle for the next test."""


class Runner:
    """Runs one test."""

    def __init__(
        self,
        kubernetes: Kubernetes,
        desired: Desired,
        *,
        run: str,
        progress: Progress,
        interval: float,
        clock: Clock = Clock(),
        lease: Lease | None = None,
    ) -> None:
        """:param lease: the Lease of a run that waits for this module."""
        self.desired = desired
        self.run = run
        mark = Mark(TEST, run)
        self.runner = PodRunner(kubernetes, desired.namespace, mark, progress=progress, interval=interval, clock=clock, lease=lease)
        self._nodes: dict[str, str] = {}
        """The name of each Job's node, keyed by the UID of the Job."""

    def __call__(self, share: Share) -> Ran | Outcome:
        """The output of the Pods, or why there is none.

        :raises KubernetesError: if the API server refuses a required request.
        :raises LeaseLost: if another run holds the Lease.
        :raises Interrupted: if this process gets a termination signal.
        """
        return self.runner.run(lambda: self._measured(share), leaving=LEAVING_SECONDS)

    def _measured(self, share: Share) -> Ran | Outcome:
        """Run the test. Old objects are removed after the first Job is created, because its creation time is the server's time."""
        services = f"{self.runner.core}/services"
        self.runner.require_lease()
        first = self._job(0, share)
        self.runner.remove_left_behind(first["metadata"]["creationTimestamp"], services)
        self.runner.made.create(services, manifest.service(self.run, self.desired, first))
        for number in range(1, self.desired.test.nodes):
            self._job(number, share)
        return self._followed()

    def _job(self, number: int, share: Share) -> Object:
        made = self.runner.start(manifest.job(self.run, self.desired, number, share))
        self._nodes[made["metadata"]["uid"]] = self.desired.nodes[number]
        return made

    def _followed(self) -> Ran | Outcome:
        pods, late = self._until("with a node", lambda pod: pod.bound, self.desired.queue_timeout)
        if late:
            waited = f"within {self.desired.queue_timeout} s"
            why = self._why_not(pods, lambda pod: pod.bound).rstrip(".")
            return self._not_run(ALLOCATION, f"Kubernetes did not schedule the test {waited}: {why}.")
        pods, late = self._until("running", lambda pod: pod.begun, self.desired.start_timeout, pods)
        wrong = [each for each in pods.values() if each.failed and not each.started]
        if any(each.hopeless for each in wrong):
            return self._not_run(IMAGE, f"A Pod can't be started ({_trouble(wrong[0])}). Use an image that the nodes can pull.")
        if wrong:
            return self._not_run(ALLOCATION, f"A node refused its Pod ({_trouble(wrong[0])}).")
        if not self._lost(pods) and late:
            trouble = self._why_not(pods, lambda pod: pod.begun)
            return self._not_run(TIMEOUT, f"Not all Pods had started after {self.desired.start_timeout} s ({trouble}).")
        if not self._lost(pods):
            pods, late = self._until("over", lambda pod: pod.over, self.desired.test.timeout, pods)
        if self._lost(pods):
            return self._not_run(ALLOCATION, f"Kubernetes removed Pods of the test: {self._lost(pods)}.")
        return self._ran(pods, late=late)

    def _ran(self, pods: Pods, *, late: bool) -> Ran | Outcome:
        """The output of the test: the logs of all Pods, and a line for each failed Pod with the reason that Kubernetes reports."""
        failed = [each for each in pods.values() if each.failed]
        status = (failed[0].status or 1) if failed else None if late else 0
        logs, unread = [], []
        for number, pod in enumerate(pods.values()):
            try:
                logs.append(self._log(pod, LARGEST if number == 0 else min(LARGEST, ALL // len(pods))))
            except KubernetesError as error:
                if error.status == FORBIDDEN:
                    raise
                unread.append(str(error))
        if unread and status == 0:
            return self._not_run(OUTPUT, f"The test succeeded, but its output could not be read: {unread[0]}")
        ends = [f"error: {each.node}: {_trouble(each)}\n" for each in failed]
        return Ran("".join((*logs, *ends)), status)

    def _lost(self, pods: Pods) -> str:
        """Which Pods are missing; empty if all exist."""
        missing = self.desired.test.nodes - len(pods)
        return f"there is no Pod for {missing} of {self.desired.test.nodes} Jobs" if missing else ""

    def _why_not(self, pods: Pods, reached: t.Callable[[Pod], bool]) -> str:
        return self._lost(pods) or next(_trouble(each) for each in pods.values() if not reached(each))

    def _not_run(self, failure: str, text: str) -> Outcome:
        return Outcome(NOT_RUN, text, failure, self.desired.nodes)

    def _until(self, stage: str, reached: t.Callable[[Pod], bool], seconds: float, before: Pods | None = None) -> tuple[Pods, bool]:
        """Wait until ``reached`` is true for all Pods, or one has failed or no longer exists. Return the Pods, and whether the time
        ran out before that.

        :param stage: describes Pods for which ``reached`` is true, in progress messages.
        :param before: the Pods that an earlier call returned; None if Kubernetes is still creating the Pods.
        """
        count = self.desired.test.nodes

        def ready(pods: Pods) -> int:
            return sum(1 for each in pods.values() if reached(each))

        return self.runner.follow(
            one_per_job(self._nodes),
            seconds=seconds,
            done=lambda pods: (
                ready(pods) == count or any(each.failed for each in pods.values()) or bool(before and self._lost(pods))
            ),
            subject="the NCCL test",
            state=lambda pods: f"at {ready(pods)} of {count} Pods {stage}",
            before=before,
        )

    def _log(self, pod: Pod, most: int) -> str:
        """The log of a Pod, which always ends with a line break; empty if the container never ran."""
        if not pod.started:
            return ""
        log = answer(lambda: self.runner.log(pod, manifest.CONTAINER, most), self.runner.clock)
        return log if log.endswith("\n") else f"{log}\n"


def _trouble(pod: Pod) -> str:
    return (pod.trouble if pod.bound else pod.unscheduled) or "no reason was returned"
