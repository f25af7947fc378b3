# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Runs the Jobs of one run. All objects that the run creates in Kubernetes are always removed, except a namespace."""

from __future__ import annotations

import typing as t

from ..._core.interrupts import Interrupts
from ..._core.wait import Clock, WaitTimeout
from ..._core.waits import Progress, Waits
from ..client import NOT_FOUND, Kubernetes, KubernetesError, Object
from ..lease import Lease, LeaseLost
from ..made import Made
from ..namespace import PRIVILEGED
from ..nodes.observe import FORBIDDEN
from ..patience import Patience
from . import leftovers
from .mark import Mark
from .pods import Pod

Pods = t.Mapping[str, Pod]
"""Pods, keyed by their Job's UID if each Job has one Pod, otherwise by their name."""
Choice = t.Callable[[t.Sequence[Pod]], Pods]
"""Selects the Pods of the run's Jobs among all Pods with the run's label, which other users can also set."""
T = t.TypeVar("T")


def one_per_job(nodes: t.Mapping[str, str]) -> Choice:
    """Select the Pod of each Job, in the order of the Jobs.

    :param nodes: the only node that a Job's Pod may have, keyed by the Job's UID.
    """

    def chosen(pods: t.Sequence[Pod]) -> Pods:
        ours = [pod for pod in pods if pod.job in nodes and pod.node in ("", nodes[pod.job])]
        found = {pod.job: pod for pod in sorted(ours, key=lambda pod: pod.bound)}
        return {job: found[job] for job in nodes if job in found}

    return chosen


class PodRunner:
    def __init__(
        self,
        kubernetes: Kubernetes,
        namespace: str,
        mark: Mark,
        *,
        progress: Progress,
        interval: float,
        clock: Clock = Clock(),
        level: str | None = PRIVILEGED,
        lease: Lease | None = None,
    ) -> None:
        """
        :param interval: seconds between two reads of the Pods.
        :param level: as in ``Made``.
        :param lease: the Lease that the work acquires. It is renewed before reads of Pods and logs, and released at the end. A
            Lease that other processes share is released only after a signal, which usually ends these processes as well.
        """
        self.kubernetes = kubernetes
        self.mark = mark
        self.progress = progress
        self.interval = interval
        self.clock = clock
        self.made = Made(kubernetes, namespace, clock, level)
        self.lease = lease
        self.core, self.jobs = f"/api/v1/namespaces/{namespace}", f"/apis/batch/v1/namespaces/{namespace}/jobs"
        self.pods = f"{self.core}/pods"

    def run(self, work: t.Callable[[], T], *, leaving: float = 0) -> T:
        """Run ``work``, remove all objects that it created, and return its result.

        A context manager could not do this: a signal between its exit and the generator's ``finally`` would skip the removal.

        :param leaving: seconds to wait for the end of the Pods after the removal. If some do not end, ``made.left`` reports it.
        :raises Interrupted: if this process gets a termination signal.
        """
        interrupts = Interrupts()
        with interrupts.caught():
            try:
                try:
                    with interrupts.awaited():
                        done = work()
                finally:
                    self.made.remove()
                if leaving and not self.made.left:
                    with interrupts.awaited():
                        self._until_gone(leaving)
            finally:
                self._release(interrupts.came)
        return done

    def require_lease(self) -> None:
        """Acquire the Lease, if there is one. Its namespace must exist.

        :raises LeaseLost: if another run holds it.
        """
        if self.lease:
            self.lease.require(self.kubernetes.create)

    def _keep(self) -> None:
        if self.lease:
            self.lease.keep()

    def _release(self, interrupted: bool) -> None:
        why = self.lease.release() if self.lease and (interrupted or not self.lease.shared) else ""
        if why:
            self.made.left.append(why)

    def remove_left_behind(self, now: str, *paths: str) -> None:
        """Remove objects of earlier runs: Jobs, and the objects at ``paths``.

        :param now: the API server's time.
        """
        for path in (self.jobs, *paths):
            old = leftovers.left_behind(self.kubernetes.items(path, labelSelector=self.mark.label), now)
            self.made.remove_others(f"{path}/{name}" for name in old)

    def remove_of_other_runs(self, paths: t.Iterable[str], *labels: str) -> None:
        """Remove the objects of all other runs. The Lease must be held, so that none of these runs is active.

        :param paths: kinds that the API server lacks, or that the caller may not list, are skipped.
        :param labels: further conditions of the label selector.
        """
        for path in paths:
            try:
                items = self.kubernetes.items(path, labelSelector=",".join((self.mark.label, *labels)))
            except KubernetesError as error:
                if error.status not in (NOT_FOUND, FORBIDDEN):
                    raise
                continue
            self.made.remove_others(f"{path}/{name}" for name in leftovers.of_other_runs(items, self.mark))

    def pods_of_other_runs(self, seconds: float) -> list[str]:
        """Wait until the Pods of all other runs have ended. Return those that have not."""

        def others() -> list[str]:
            pods = self.kubernetes.items(self.pods, labelSelector=self.mark.label)
            return [Pod.of(each).name for each in pods if each["metadata"]["labels"][self.mark.label] != self.mark.run]

        looks: Patience[list[str]] = Patience(others, [])
        waits = Waits(timeout=seconds, interval=self.interval, progress=self.progress, clock=self.clock)
        try:
            return waits.until(
                looks,
                done=lambda left: not left,
                subject="an earlier run",
                state=lambda left: f"ending ({len(left)} Pods left)",
            )
        except WaitTimeout:
            return looks.last

    def stuck(self, now: str) -> dict[str, str]:
        """The Pods of earlier runs that do not end, keyed by node."""
        return leftovers.stuck(self.kubernetes.items(self.pods, labelSelector=self.mark.label), now)

    def start(self, job: Object) -> Object:
        """Create the Job, and return it as the API server stores it.

        :raises KubernetesError:
        """
        return self.made.create(self.jobs, job)

    def follow(
        self,
        choice: Choice,
        *,
        seconds: float,
        done: t.Callable[[Pods], bool],
        subject: str,
        state: t.Callable[[Pods], str],
        before: Pods | None = None,
    ) -> tuple[Pods, bool]:
        """Wait until ``done`` holds. Return the last known Pods, and whether the timeout ended first.

        :param before: the Pods as last read before the wait.
        """
        looks: Patience[Pods] = Patience(lambda: self._look(choice), before or {})
        waits = Waits(timeout=seconds, interval=self.interval, progress=self.progress, clock=self.clock)
        try:
            return waits.until(looks, done=done, subject=subject, state=state), False
        except WaitTimeout:
            return looks.last, True

    def log(self, pod: Pod, container: str, most: int, *, lines: int = 0, previous: bool = False) -> str:
        """
        :param most: the maximum size, in bytes.
        :param lines: the number of lines from the log's end; 0 for all.
        :param previous: the log of the container before its last restart.
        :raises KubernetesError:
        """
        self._keep()
        more = f"{f'&tailLines={lines}' if lines else ''}{'&previous=true' if previous else ''}"
        return self.kubernetes.text(f"{self.pods}/{pod.name}/log?container={container}&limitBytes={most}{more}", most=most)

    def _look(self, choice: Choice) -> Pods:
        self._keep()
        return choice([Pod.of(each) for each in self.kubernetes.items(self.pods, labelSelector=self.mark.selector)])

    def _until_gone(self, seconds: float) -> None:
        def count() -> int:
            self._keep()
            return len(self.kubernetes.items(self.pods, labelSelector=self.mark.selector))

        def state(left: int | None) -> str:
            return "not known yet" if left is None else f"waiting until all Pods have ended ({left} left)"

        looks: Patience[int | None] = Patience(count, None)  # None: no reply yet
        waits = Waits(timeout=seconds, interval=self.interval, progress=self.progress, clock=self.clock)
        pods = f"Kubernetes is deleting the Pods with {self.mark.selector}, but they may not all have ended (last count: "
        try:
            waits.until(looks, done=lambda left: left == 0, subject="the removal", state=state)
        except WaitTimeout:
            self.made.left.append(f"{pods}{'unknown' if looks.last is None else looks.last}).")
        except (KubernetesError, LeaseLost) as error:
            self.made.left.append(f"{pods}unknown; {error}).")
