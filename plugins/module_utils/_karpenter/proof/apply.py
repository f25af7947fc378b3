# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Runs a proof: creates a Pod, waits for its node, always deletes the Pod, and waits until the node is removed."""

from __future__ import annotations

import typing as t

from ..._aws.client import AwsError
from ..._core.failure import Failure, Incomplete
from ..._core.interrupts import Interrupts
from ..._core.plan import Step
from ..._core.text import printable
from ..._core.wait import Clock, WaitFailed, WaitTimeout
from ..._core.waits import Progress, Waits, repeated
from ..._hyperpod.api import HyperPod
from ..._hyperpod.waits import LAGGING
from ..._kubernetes.client import KubernetesError
from ..pods import Pod
from . import timeline as at
from .model import Candidate, Desired, Proof
from .observe import Observer
from .plan import CLEAR
from .reasons import Reasons
from .timeline import Seen, Timeline
from .watch import Watch

FORBIDDEN, CONFLICT = 403, 409
REMOVALS = 4
"""The number of attempts to remove the Pod."""
PAUSE = 2.0


class Applier:
    """Applies the steps of one proof."""

    def __init__(
        self, api: HyperPod, observer: Observer, desired: Desired, reasons: Reasons, *, progress: Progress, clock: Clock = Clock()
    ) -> None:
        self.api = api
        self.observer = observer
        self.desired = desired
        self.reasons = reasons
        self.progress = progress
        self.clock = clock
        self.timeline = Timeline(now=clock.now)
        self.interrupts = Interrupts()

    def __call__(self, step: Step) -> None:
        state = self.observer.last
        if state is None:
            raise AssertionError("planned without an observation")
        choice = step.arguments["choice"]
        watch = Watch(self.observer.kubernetes, self.api, state.outside.cluster, self.desired, choice)
        with self.interrupts.caught():
            if step.operation == CLEAR:
                self._clear(step, watch)
            else:
                self._prove(step, watch)

    def _clear(self, step: Step, watch: Watch) -> None:
        pods: tuple[Pod, ...] = step.arguments["pods"]
        for pod in pods:
            self.observer.kubernetes.delete(f"/api/v1/namespaces/{pod.namespace}/pods/{pod.meta.name}")
            self.timeline.record(at.LEFTOVER_DELETED, pod.full_name)
        try:
            with self.interrupts.awaited():
                self._until_removed(watch, step)
        except (Failure, AwsError) as error:
            raise Incomplete(f"{_sentence(error)} No pod was created.", step.changes) from error

    def _prove(self, step: Step, watch: Watch) -> None:
        choice, manifest = step.arguments["choice"], step.arguments["manifest"]
        watch.look()  # fails before a Pod exists if the caller lacks permissions
        self.progress.say(f"a node of {choice.instance_type} for NodePool {self.desired.node_pool} costs {choice.cost.described}")
        try:
            self._create(manifest)
            with self.interrupts.awaited():
                seen = self._until_running(watch, manifest, choice)
        except Refusal:
            raise
        except (Failure, AwsError) as error:
            removed, outcome = self._remove()
            raise Incomplete(f"{_sentence(error)} {outcome}{self._cost(choice, watch)}", step.changes[: 1 + removed]) from error
        except BaseException:
            _removed, outcome = self._remove()
            self.progress.say(outcome)
            raise
        self._end(step, watch, seen)

    def _end(self, step: Step, watch: Watch, seen: Seen) -> None:
        """Delete the running Pod, and wait until its node is removed."""
        choice = step.arguments["choice"]
        removed, outcome = self._remove()
        if not removed:
            raise Incomplete(f"{outcome}{self._cost(choice, watch)}", step.changes[:1])
        deleted, running = self.timeline.last(at.POD_DELETED), self.timeline.last(at.POD_RUNNING)
        try:
            with self.interrupts.awaited():
                self._until_removed(watch, step)
        except (Failure, AwsError) as error:
            more = "" if isinstance(error, NotRemoved) else f" {outcome}{self._cost(choice, watch)}"
            raise Incomplete(f"{_sentence(error)}{more}", step.changes) from error
        group = next((claim.group for claim in self.timeline.tracked.claims.values() if claim.node == seen.node), "")
        created = next(each for each in self.timeline.moments if each.step == at.POD_CREATED)
        self.observer.proof = Proof(
            choice=choice,
            group=printable(group) or choice.groups[0],
            proven=True,
            timeline=tuple(self.timeline.moments),
            seconds_up=round(running.seconds - created.seconds, 1) if running else None,
            seconds_down=round(self.timeline.moments[-1].seconds - deleted.seconds, 1) if deleted else None,
        )

    def _create(self, manifest: dict[str, t.Any]) -> None:
        try:
            self.observer.kubernetes.create(self.desired.pods_path, manifest)
        except KubernetesError as error:
            if error.status == CONFLICT:
                raise Refusal(f"Another run has just created Pod {self.desired.pod}. Run again after that run ends.") from error
            if 400 <= error.status < 500:
                more = " Choose another namespace that allows such Pods." if error.status == FORBIDDEN else ""
                raise Refusal(f"{_sentence(error)}{more} No pod was created.") from error
            raise
        self.timeline.record(at.POD_CREATED, self.desired.pod)

    def _recreate(self, seen: Seen, manifest: dict[str, t.Any]) -> None:
        """Create the Pod again if it was removed before it ran, for example with its node, because AWS may still provide capacity.

        While the earlier Pod is still being deleted, the API server refuses the new Pod, and a later read tries again.
        """
        if seen.smoke is not None:
            self.observer.kubernetes.delete(self.desired.pod_path)
        try:
            self.observer.kubernetes.create(self.desired.pods_path, manifest)
        except KubernetesError as error:
            if error.status == CONFLICT or error.passes:
                return
            raise
        self.timeline.record(at.POD_CREATED_AGAIN, self.desired.pod)

    def _until_running(self, watch: Watch, manifest: dict[str, t.Any], choice: Candidate) -> Seen:
        def look() -> Seen:
            seen = watch.look()
            self.timeline.see(seen)
            if watch.sees and (seen.smoke is None or seen.smoke.lost):
                self._recreate(seen, manifest)
            return seen

        patience = self.desired.up_seconds
        subject = f"Pod {self.desired.pod} ({choice.instance_type}, at most {patience} s)"
        waits = self._waits(patience)
        try:
            return waits.until(look, done=lambda seen: seen.running, failed=_broken(), subject=subject, state=self._described)
        except WaitFailed as error:
            raise Failure(f"{_sentence(error)} So far: {self.timeline.described}.") from error
        except WaitTimeout as error:
            why = self.reasons.no_node(self.desired, watch.last)
            raise Failure(
                f"NodePool {self.desired.node_pool} did not run Pod {self.desired.pod} within {patience} s: {why} "
                f"So far: {self.timeline.described}."
            ) from error

    def _until_removed(self, watch: Watch, step: Step) -> None:
        patience, choice = step.arguments["down_seconds"], step.arguments["choice"]

        def look() -> Seen:
            seen = watch.look()
            self.timeline.see(seen)
            return seen

        def left(seen: Seen) -> list[str]:
            return [*([f"Pod {self.desired.pod}"] if seen.smoke else []), *self.timeline.tracked.left(seen)]

        subject = f"NodePool {self.desired.node_pool} (at most {patience} s)"
        waits = self._waits(patience)
        try:
            waits.until(
                look,
                done=lambda seen: not left(seen),
                subject=subject,
                state=lambda seen: f"waiting for the removal of {printable(', '.join(left(seen)))}",
            )
        except WaitTimeout as error:
            raise NotRemoved(
                f"NodePool {self.desired.node_pool} did not remove its nodes of {choice.instance_type} within {patience} s. "
                f"Remaining: {printable(', '.join(left(watch.last)))}. Each node costs {choice.cost.described}. "
                f"{self.reasons.held(self.desired, watch.last)} So far: {self.timeline.described}."
            ) from error

    def _remove(self) -> tuple[bool, str]:
        pod, last = self.desired.pod, ""
        for turn in range(REMOVALS):
            if turn:
                self.clock.sleep(PAUSE)
            try:
                self.observer.kubernetes.delete(self.desired.pod_path)
            except KubernetesError as error:
                last = str(error)
                continue
            self.timeline.record(at.POD_DELETED, pod)
            return True, f"Pod {pod} was removed."
        return False, (
            f"Pod {pod} could not be removed ({last}), so it uses its node until {self.desired.up_seconds} s after its start. "
            f"Run kubectl delete pod -n {self.desired.namespace} {self.desired.pod_name}."
        )

    def _cost(self, choice: Candidate, watch: Watch) -> str:
        """A sentence about the cost of nodes that Karpenter must still remove; empty without such nodes."""
        left = self.timeline.tracked.left(watch.last)
        if not left:
            return ""
        return f" Karpenter must still remove {printable(', '.join(left))}. Until then, each node costs {choice.cost.described}."

    def _described(self, seen: Seen) -> str:
        last = self.timeline.moments[-1]
        trouble = printable(seen.smoke.trouble) if seen.smoke else ""
        return f"not running (last step: {last.step}, {printable(last.name)}{f'; {trouble}' if trouble else ''})"

    def _waits(self, patience: float) -> Waits:
        return Waits(timeout=patience, interval=self.desired.interval, progress=self.progress, clock=self.clock)


class Refusal(Failure):
    """The API server refused the Pod, so there is none to remove."""


class NotRemoved(Failure):
    """A node was not removed in time."""


def _sentence(error: BaseException) -> str:
    return f"{str(error).rstrip('.')}."


def _broken() -> t.Callable[[Seen], str | None]:
    """A check that returns the next step if the Pod will never run. The wait then ends early, because the node costs money."""

    def in_trouble(seen: Seen) -> bool:
        return seen.smoke is not None and bool(seen.smoke.pod.trouble)

    for_long = repeated(in_trouble, LAGGING)

    def judged(seen: Seen) -> str | None:
        ended = seen.smoke is not None and seen.smoke.pod.phase == "Failed" and not seen.smoke.lost
        if for_long(seen) or ended:
            return "set option image to an image that the node can pull, that runs without root, and that keeps running"
        return None

    return judged
