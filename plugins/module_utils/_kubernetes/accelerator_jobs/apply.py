# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Looks at nodes, batch by batch. What it makes in Kubernetes is removed whatever happens, but for the namespace."""

from __future__ import annotations

import typing as t

from ..._core.interrupts import Interrupts
from ..._core.text import printable
from ..._core.wait import Clock, WaitTimeout
from ..._core.waits import Progress, Waits
from ..._node.accelerators.health import settling
from ..client import CONFLICT, Kubernetes, KubernetesError
from ..made import Made
from ..patience import Patience
from . import leftovers, log, manifest
from .model import LOOK, Answer, Asked, Desired
from .pods import Pod

LATE_SECONDS = 30
"""That are waited for longer than the kubelets have."""
AGAIN_SECONDS = 60
"""Between two looks at a node that has just booted and lacks devices."""

_STUCK = "Pod {pod} of an earlier look does not end there: a tool may hang in the driver, which a reboot of the node alone ends."


class Looks:
    """Of one run."""

    def __init__(
        self, kubernetes: Kubernetes, desired: Desired, *, run: str, progress: Progress, interval: float, clock: Clock = Clock()
    ) -> None:
        self.kubernetes = kubernetes
        self.desired = desired
        self.run = run
        self.progress = progress
        self.interval = interval
        self.clock = clock
        self.interrupts = Interrupts()
        self.made = Made(kubernetes, desired.namespace, clock)
        self._stuck: dict[str, str] = {}
        space = f"namespaces/{desired.namespace}"
        self._maps, self._pods = (f"/api/v1/{space}/{kind}" for kind in ("configmaps", "pods"))
        self._jobs = f"/apis/batch/v1/{space}/jobs"

    def __call__(self, batches: t.Sequence[t.Sequence[Asked]]) -> dict[str, Answer]:
        """By instance ID.

        :raises KubernetesError: where the API server refuses what is needed.
        :raises Interrupted: where this process was asked to end.
        """
        found: dict[str, Answer] = {}
        with self.interrupts.caught():
            try:
                with self.interrupts.awaited():
                    self._prepare(len(batches))
                    for number, batch in enumerate(batches, start=1):
                        answers = self._batch(batch, f"batch {number} of {len(batches)}")
                        found.update(answers)
                        if not any(each.ran for each in answers.values()):
                            found.update(_given_up(batches[number:], answers))
                            break
                    self._again([asked for batch in batches for asked in batch], found)
            finally:
                self.made.remove()
        return found

    def _prepare(self, batches: int) -> None:
        """The program is there, and what was left behind is gone."""
        once = batches * (self.desired.seconds + LATE_SECONDS + manifest.CONTROLLER_SECONDS)
        needed = once + settling.longest(self.desired.settings["profile"]) + once
        made = self.made.create(self._maps, manifest.config_map(self.run, self.desired, needed=needed))
        now = made["metadata"]["creationTimestamp"]
        for path in (self._jobs, self._maps):
            old = leftovers.left_behind(self.kubernetes.items(path, labelSelector=LOOK), now)
            self.made.remove_others(f"{path}/{name}" for name in old)
        self._stuck = leftovers.stuck(self.kubernetes.items(self._pods, labelSelector=LOOK), now)

    def _again(self, nodes: t.Sequence[Asked], found: dict[str, Answer]) -> None:
        """Those that have just booted, until they lack nothing or have settled. A look without an answer changes nothing."""

        def seconds(asked: Asked) -> int:
            return settling.settles_in(found[asked.instance_id].health, self.desired.settings["profile"])

        end = self.clock.now() + max(map(seconds, nodes), default=0)
        while (young := [asked for asked in nodes if seconds(asked)]) and (left := end - self.clock.now()) > 0:
            self.progress.say(f"nodes that have just booted and lack devices: {len(young)}; looked at again for {left:.0f} s")
            self.clock.sleep(min(AGAIN_SECONDS, left))
            for begin in range(0, len(young), self.desired.batch):
                answers = self._batch(young[begin : begin + self.desired.batch], "another look")
                found.update({iid: each for iid, each in answers.items() if each.health is not None})

    def _batch(self, batch: t.Sequence[Asked], subject: str) -> dict[str, Answer]:
        begin = len(self.made.paths)
        answers: dict[str, Answer] = {}
        jobs: dict[str, Asked] = {}
        for asked in batch:
            if asked.node in self._stuck:
                answers[asked.instance_id] = Answer(why=_STUCK.format(pod=self._stuck[asked.node]))
                continue
            try:
                jobs[self.made.create(self._jobs, manifest.job(self.run, self.desired, asked))["metadata"]["uid"]] = asked
            except KubernetesError as error:
                if not error.passes and error.status != CONFLICT:  # that of the look before could not be removed
                    raise
                answers[asked.instance_id] = Answer(why=f"No Job could be made for it: {error}")
        pods = self._ended(jobs, subject)
        answers.update({asked.instance_id: self._answer(asked, pods.get(uid)) for uid, asked in jobs.items()})
        self.made.remove(begin)
        return answers

    def _ended(self, jobs: t.Mapping[str, Asked], subject: str) -> dict[str, Pod]:
        """The pods by the UIDs of their Jobs, once nothing more comes of them, or time is over."""
        def look() -> dict[str, Pod]:
            pods = [Pod.of(each) for each in self.kubernetes.items(self._pods, labelSelector=f"{LOOK}={self.run}")]
            return {pod.job: pod for pod in pods if pod.job in jobs and pod.node == jobs[pod.job].node}

        def over(pods: t.Mapping[str, Pod]) -> int:
            return sum(1 for pod in pods.values() if pod.over)

        patient: Patience[dict[str, Pod]] = Patience(look, {})
        waits = Waits(
            timeout=self.desired.seconds + LATE_SECONDS, interval=self.interval, progress=self.progress, clock=self.clock
        )
        try:
            return waits.until(
                patient,
                done=lambda pods: over(pods) == len(jobs),
                subject=subject,
                state=lambda pods: f"at {over(pods)} of {len(jobs)} nodes",
            )
        except WaitTimeout:
            return patient.last

    def _answer(self, asked: Asked, pod: Pod | None) -> Answer:
        """Also of a pod that has printed its answer and does not end."""
        if pod is None:
            return Answer(why=self._without_pod(asked))
        why = pod.why(self.desired.seconds)
        if not pod.started:
            return Answer(why=why)
        path = f"{self._pods}/{pod.name}/log?container={manifest.CONTAINER}&limitBytes={log.LARGEST}"
        try:
            return Answer(log.health(self.kubernetes.text(path, most=log.LARGEST)), ran=True)
        except log.NoAnswer as error:
            return Answer(why=str(error) if pod.phase == "Succeeded" else f"{why} {error}", ran=True)
        except KubernetesError as error:
            return Answer(why=f"{why} Its log could not be read: {error}", ran=True)

    def _without_pod(self, asked: Asked) -> str:
        name = manifest.job_name(self.run, asked)
        job = self.kubernetes.find(f"{self._jobs}/{name}") or {}
        conditions = (job.get("status") or {}).get("conditions") or ()
        said = "; ".join(printable(each.get("message") or each.get("reason") or "")[:500] for each in conditions)
        waited = self.desired.seconds + LATE_SECONDS
        return f"Kubernetes has made no pod for Job {name} in {waited} s ({said or 'it does not say why'})."


def _given_up(batches: t.Sequence[t.Sequence[Asked]], last: t.Mapping[str, Answer]) -> dict[str, Answer]:
    """Of nodes after a batch in which no pod ran at all."""
    why = next((each.why for each in last.values()), "")
    said = f"No pod ran on any node of the batch before it, so none was tried here. There: {why}"
    return {asked.instance_id: Answer(why=said) for batch in batches for asked in batch}
