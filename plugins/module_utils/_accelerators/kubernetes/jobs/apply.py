# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Checks nodes batch by batch. At the end, also after an error, all created objects except the namespace are removed."""

from __future__ import annotations

import typing as t

from ...._core.wait import Clock
from ...._core.waits import Progress
from ...._kubernetes.client import CONFLICT, Kubernetes, KubernetesError
from ...._kubernetes.lease import Lease
from ...._kubernetes.pod_runner.manifest import CONTROLLER_SECONDS
from ...._kubernetes.pod_runner.mark import Mark
from ...._kubernetes.pod_runner.pods import Pod
from ...._kubernetes.pod_runner.runner import PodRunner, Pods, one_per_job
from ...node.health import settling
from . import log, manifest, unanswered
from .model import LOOK, Answer, Desired, Target

LATE_SECONDS = 30
"""Seconds to wait for a Pod after its time limit, which the kubelet enforces."""
AGAIN_SECONDS = 60
"""Seconds between two checks of a node that has just booted and lacks devices."""


class Looks:
    """The checks of one run."""

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
        mark = Mark(LOOK, run)
        self.runner = PodRunner(kubernetes, desired.namespace, mark, progress=progress, interval=interval, clock=clock, lease=lease)
        self.progress = progress
        self.clock = clock
        self._stuck: dict[str, str] = {}

    def __call__(self, batches: t.Sequence[t.Sequence[Target]]) -> dict[str, Answer]:
        """The results of the checks, keyed by instance ID.

        :raises KubernetesError: if the API server refuses a required request.
        :raises LeaseLost: if another run holds the Lease.
        :raises Interrupted: if this process gets a termination signal.
        """
        return self.runner.run(lambda: self._checked(batches))

    def _checked(self, batches: t.Sequence[t.Sequence[Target]]) -> dict[str, Answer]:
        found: dict[str, Answer] = {}
        self.runner.require_lease()
        self._prepare(len(batches))
        for number, batch in enumerate(batches, start=1):
            answers = self._batch(batch, f"batch {number} of {len(batches)}")
            found.update(answers)
            if not any(each.ran for each in answers.values()):
                found.update(_given_up(batches[number:], answers))
                break
        self._again([target for batch in batches for target in batch], found)
        return found

    def _prepare(self, batches: int) -> None:
        """Create the ConfigMap with the program, and remove objects of earlier runs."""
        once = batches * (self.desired.seconds + LATE_SECONDS + CONTROLLER_SECONDS)
        needed = once + settling.longest(self.desired.settings["profile"]) + once
        maps = f"{self.runner.core}/configmaps"
        made = self.runner.made.create(maps, manifest.config_map(self.run, self.desired, needed=needed))
        now = made["metadata"]["creationTimestamp"]
        self.runner.remove_left_behind(now, maps)
        self._stuck = self.runner.stuck(now)

    def _again(self, nodes: t.Sequence[Target], found: dict[str, Answer]) -> None:
        """Repeat the check of nodes that have just booted, until they lack no devices or have settled. A repeated check without a
        result does not replace the previous result of the node.
        """

        def seconds(target: Target) -> int:
            return settling.settles_in(found[target.instance_id].health, self.desired.settings["profile"])

        end = self.clock.now() + max(map(seconds, nodes), default=0)
        while (young := [target for target in nodes if seconds(target)]) and (left := end - self.clock.now()) > 0:
            self.progress.say(f"newly booted nodes that lack devices: {len(young)}; checks are repeated for up to {left:.0f} s")
            self.clock.sleep(min(AGAIN_SECONDS, left))
            for begin in range(0, len(young), self.desired.batch):
                answers = self._batch(young[begin : begin + self.desired.batch], "another check")
                found.update({iid: each for iid, each in answers.items() if each.health is not None})

    def _batch(self, batch: t.Sequence[Target], subject: str) -> dict[str, Answer]:
        begin = len(self.runner.made.paths)
        answers: dict[str, Answer] = {}
        jobs: dict[str, Target] = {}
        for target in batch:
            if target.node in self._stuck:
                answers[target.instance_id] = Answer(why=unanswered.STUCK.format(pod=self._stuck[target.node]))
                continue
            try:
                jobs[self.runner.start(manifest.job(self.run, self.desired, target))["metadata"]["uid"]] = target
            except KubernetesError as error:
                if not error.passes and error.status != CONFLICT:  # the Job of the previous check could not be removed
                    raise
                answers[target.instance_id] = Answer(why=unanswered.NO_JOB.format(error=error))
        pods = self._ended(jobs, subject)
        answers.update({target.instance_id: self._answer(target, pods.get(uid)) for uid, target in jobs.items()})
        self.runner.made.remove(begin)
        return answers

    def _ended(self, jobs: t.Mapping[str, Target], subject: str) -> Pods:
        """Wait until all Pods have ended or the deadline has passed. Return the Pods, keyed by the UID of their Job."""

        def over(pods: Pods) -> int:
            return sum(1 for pod in pods.values() if pod.over)

        return self.runner.follow(
            one_per_job({uid: target.node for uid, target in jobs.items()}),
            seconds=self.desired.seconds + LATE_SECONDS,
            done=lambda pods: over(pods) == len(jobs),
            subject=subject,
            state=lambda pods: f"at {over(pods)} of {len(jobs)} nodes",
        )[0]

    def _answer(self, target: Target, pod: Pod | None) -> Answer:
        """The result of a check. A result that the Pod has printed counts even if the Pod does not end."""
        if pod is None:
            name = manifest.job_name(self.run, target)
            job = self.runner.kubernetes.find(f"{self.runner.jobs}/{name}")
            return Answer(why=unanswered.of_job(name, job, self.desired.seconds + LATE_SECONDS))
        why = unanswered.of_pod(pod, self.desired.seconds)
        if not pod.started:
            return Answer(why=why)
        try:
            return Answer(log.health(self.runner.log(pod, manifest.CONTAINER, log.LARGEST)), ran=True)
        except log.NoAnswer as error:
            return Answer(why=str(error) if pod.phase == "Succeeded" else f"{why} {error}", ran=True)
        except KubernetesError as error:
            return Answer(why=f"{why} The Pod's log could not be read: {error}", ran=True)


def _given_up(batches: t.Sequence[t.Sequence[Target]], last: t.Mapping[str, Answer]) -> dict[str, Answer]:
    """Results for the nodes of the remaining batches. These nodes are not checked, because no Pod of the last batch ran."""
    why = next((each.why for each in last.values()), "")
    return {target.instance_id: Answer(why=unanswered.GIVEN_UP.format(why=why)) for batch in batches for target in batch}
