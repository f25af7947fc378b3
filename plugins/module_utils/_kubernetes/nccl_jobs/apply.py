# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""One test over nodes. What it makes in Kubernetes is removed whatever happens, but for the namespace."""

from __future__ import annotations

import typing as t

from ..._core.interrupts import Interrupts
from ..._core.wait import Clock, WaitTimeout
from ..._core.waits import Progress, Waits
from ..._node.slurm.nccl.model import ALLOCATION, IMAGE, NOT_RUN, OUTPUT, TIMEOUT, Outcome, Ran
from ..accelerator_jobs.leftovers import left_behind
from ..client import Kubernetes, KubernetesError
from ..made import Made
from ..nodes.observe import FORBIDDEN
from ..patience import Patience, answer
from . import manifest
from .model import TEST, Desired, Share
from .pods import Member

ALL, LARGEST = 64 * 2**20, 8 * 2**20
"""Bytes of all logs, and of one: that of the first pod has the table, and is read first."""
LEAVING_SECONDS = 60
"""After which pods that were deleted are gone, unless something holds them."""
Members = t.Mapping[int, Member]
"""By the number of the node."""


class Runner:
    """Of one test."""

    def __init__(
        self, kubernetes: Kubernetes, desired: Desired, *, run: str, progress: Progress, interval: float, clock: Clock = Clock()
    ) -> None:
        self.kubernetes = kubernetes
        self.desired = desired
        self.run = run
        self.progress = progress
        self.interval = interval
        self.clock = clock
        self.made = Made(kubernetes, desired.namespace, clock)
        self._numbers: dict[str, int] = {}
        space = f"namespaces/{desired.namespace}"
        self._jobs = f"/apis/batch/v1/{space}/jobs"
        self._services, self._pods = (f"/api/v1/{space}/{kind}" for kind in ("services", "pods"))

    def __call__(self, share: Share) -> Ran | Outcome:
        """What the pods have printed, or why they have not.

        :raises KubernetesError: where the API server refuses what is needed.
        :raises Interrupted: where this process was asked to end.
        """
        interrupts = Interrupts()
        with interrupts.caught():
            try:
                with interrupts.awaited():
                    self._make(share)
                    found = self._followed()
            finally:
                self.made.remove()
            if not self.made.left:
                with interrupts.awaited():
                    self._until_gone()
        return found

    def _make(self, share: Share) -> None:
        """What was left behind goes first, so that it has no node any more."""
        first = self._job(0, share)
        for path in (self._jobs, self._services):
            old = left_behind(self.kubernetes.items(path, labelSelector=TEST), first["metadata"]["creationTimestamp"])
            self.made.remove_others(f"{path}/{name}" for name in old)
        self.made.create(self._services, manifest.service(self.run, self.desired, first))
        for number in range(1, self.desired.test.nodes):
            self._job(number, share)

    def _job(self, number: int, share: Share) -> t.Any:
        made = self.made.create(self._jobs, manifest.job(self.run, self.desired, number, share))
        self._numbers[made["metadata"]["uid"]] = number
        return made

    def _followed(self) -> Ran | Outcome:
        members, late = self._until("with a node", Member.is_bound, self.desired.queue_timeout)
        if late:
            waited = f"in {self.desired.queue_timeout} s"
            why = self._why_not(members, Member.is_bound).rstrip(".")
            return self._not_run(ALLOCATION, f"Kubernetes did not give the nodes to the test {waited}: {why}.")
        members, late = self._until("running", Member.has_begun, self.desired.start_timeout, members)
        wrong = [each for each in members.values() if each.failed and not each.pod.started]
        if any(each.pod.hopeless for each in wrong):
            return self._not_run(IMAGE, f"A pod can't be started ({wrong[0].trouble}): name an image that the nodes can pull.")
        if wrong:
            return self._not_run(ALLOCATION, f"A node did not take its pod ({wrong[0].trouble}).")
        if not self._lost(members) and late:
            trouble = self._why_not(members, Member.has_begun)
            return self._not_run(TIMEOUT, f"Not all pods had started after {self.desired.start_timeout} s ({trouble}).")
        if not self._lost(members):
            members, late = self._until("over", Member.is_over, self.desired.test.timeout, members)
        if self._lost(members):
            return self._not_run(ALLOCATION, f"Kubernetes took nodes back from the test: {self._lost(members)}.")
        return self._ran(members, late=late)

    def _ran(self, members: Members, *, late: bool) -> Ran | Outcome:
        """A pod that has failed tells by itself why, and Kubernetes of how it ended."""
        failed = [each for each in members.values() if each.failed]
        status = (failed[0].status or 1) if failed else None if late else 0
        logs, unread = [], []
        for number in sorted(members):
            try:
                logs.append(self._log(members[number]))
            except KubernetesError as error:
                if error.status == FORBIDDEN:
                    raise
                unread.append(str(error))
        if unread and status == 0:
            return self._not_run(OUTPUT, f"The test ended well, and what it has printed could not be read: {unread[0]}")
        ends = [f"error: {each.pod.node}: {each.trouble}\n" for each in failed]
        return Ran("".join((*logs, *ends)), status)

    def _lost(self, members: Members) -> str:
        """That pods have not come, or have gone; empty where all are there."""
        missing = self.desired.test.nodes - len(members)
        return f"there is no pod for {missing} of {self.desired.test.nodes} Jobs" if missing else ""

    def _why_not(self, members: Members, so_far: t.Callable[[Member], bool]) -> str:
        return self._lost(members) or next(each.trouble for each in members.values() if not so_far(each))

    def _not_run(self, failure: str, text: str) -> Outcome:
        return Outcome(NOT_RUN, text, failure, self.desired.nodes)

    def _until(
        self, stage: str, so_far: t.Callable[[Member], bool], seconds: float, before: Members | None = None
    ) -> tuple[Members, bool]:
        """The pods once all are so far, or one has failed or is gone, and whether the time was over before.

        :param before: all of them; None where they come only now.
        """
        look: Patience[Members] = Patience(self._look, before or {})
        count = self.desired.test.nodes

        def ready(members: Members) -> int:
            return sum(1 for each in members.values() if so_far(each))

        waits = Waits(timeout=seconds, interval=self.interval, progress=self.progress, clock=self.clock)
        try:
            seen = waits.until(
                look,
                done=lambda members: (
                    ready(members) == count or any(each.failed for each in members.values()) or bool(before and self._lost(members))
                ),
                subject="the test of NCCL",
                state=lambda members: f"at {ready(members)} of {count} pods {stage}",
            )
        except WaitTimeout:
            return look.last, True
        return seen, False

    def _look(self) -> Members:
        """Of the Jobs of this test alone, whatever others say that they are, and on their own nodes."""
        items = self.kubernetes.items(self._pods, labelSelector=f"{TEST}={self.run}")
        found = [Member.of(each) for each in items]
        mine = {self._numbers[each.pod.job]: each for each in found if each.pod.job in self._numbers}
        return {number: each for number, each in mine.items() if each.pod.node in ("", self.desired.nodes[number])}

    def _log(self, member: Member) -> str:
        """It ends with a line's end. None of a pod whose container never ran."""
        if not member.pod.started:
            return ""
        most = min(LARGEST, ALL // self.desired.test.nodes) if member.pod.job != next(iter(self._numbers)) else LARGEST
        path = f"{self._pods}/{member.pod.name}/log?container={manifest.CONTAINER}&limitBytes={most}"
        log = answer(lambda: self.kubernetes.text(path, most=most), self.clock)
        return log if log.endswith("\n") else f"{log}\n"

    def _until_gone(self) -> None:
        """The next test finds the nodes idle."""

        def count() -> int:
            return len(self.kubernetes.items(self._pods, labelSelector=f"{TEST}={self.run}"))

        waits = Waits(timeout=LEAVING_SECONDS, interval=self.interval, progress=self.progress, clock=self.clock)
        look: Patience[int] = Patience(count, self.desired.test.nodes)
        pods = f"pods of {manifest.name(self.run)}"
        try:
            waits.until(look, done=lambda left: left == 0, subject="the end of the test", state=lambda left: f"at {left} pods left")
        except WaitTimeout:
            self.made.left.append(f"{look.last} {pods} (they do not end)")
        except KubernetesError as error:
            self.made.left.append(f"{pods}, unless they have ended ({error})")
