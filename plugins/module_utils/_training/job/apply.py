# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Runs one training job. All objects that it creates in Kubernetes are always removed, except our own namespace."""

from __future__ import annotations

import typing as t

from ..._core.wait import Clock
from ..._core.waits import Progress
from ..._kubernetes.client import CONFLICT, Kubernetes, KubernetesError, Object
from ..._kubernetes.lease import LEASE, Lease, seconds
from ..._kubernetes.namespace import BASELINE
from ..._kubernetes.nodes.observe import FORBIDDEN
from ..._kubernetes.pod_runner.mark import Mark
from ..._kubernetes.pod_runner.pods import Pod
from ..._kubernetes.pod_runner.runner import PodRunner, Pods
from ..._lock.claim import own_name
from . import manifest
from .evidence import Evidence
from .free import LEAVING_SECONDS, free_nodes
from .lives import Lives
from .logs import Logs
from .model import BUSY, CONTAINER, FIELDS, HELD, LATE_SECONDS, TRAINING, Desired, NotRun, Outcome, Planned, Ran
from .plan import dropped
from .priority import CLASSES, set_priority
from .refused import INVALID, answered, refused
from .replacement import Replacement
from .training_progress import Progressed
from .unstarted import failed_before_start, unmounted, unplaced, unstarted
from .way import Way

ENDED: tuple[str, str, t.Callable[[Pod], bool]] = ("running", "have ended", lambda pod: pod.over)
"""The phase of the training, and the stage that all Pods must reach."""


class Runner:
    """Runs one job."""

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
        mark, level, space = Mark(TRAINING, planned.run), BASELINE if desired.owned else None, desired.namespace
        holder, shared = desired.lease_holder or f"{planned.name} of {own_name()}", bool(desired.lease_holder)
        self.lease = Lease(kubernetes, space, LEASE, holder=holder, seconds=seconds(interval), clock=clock, shared=shared)
        self.runner = PodRunner(
            kubernetes, space, mark, progress=progress, interval=interval, clock=clock, level=level, lease=self.lease
        )
        container = CONTAINER[self.kind.name]
        self.progressed, self.logs = Progressed(self.runner, container), Logs(self.runner, container)
        self.lives, self.evidence = Lives(clock.now), Evidence(kubernetes, desired.namespace, planned)
        self.replacement = Replacement(self.runner, self.logs, self.lives, manifest.rendezvous(planned.run))
        self._maps, self._services = f"{self.runner.core}/configmaps", f"{self.runner.core}/services"
        self.way = Way(kubernetes, desired, clock.now)
        self.warnings: list[str] = []
        self._uid = ""
        """The UID of the job. The job owns its Pods, unless its kind creates Jobs that own them."""

    def __call__(self) -> Outcome:
        """
        :raises KubernetesError: if the API server does not reply, or refuses a read.
        :raises Interrupted: if this process gets a termination signal.
        """
        return self.runner.run(lambda: self._not_free() or self._trained(), leaving=LEAVING_SECONDS)

    def _not_free(self) -> NotRun | None:
        """Acquire the Lease, and remove everything that killed runs left. Return why the nodes cannot be used."""
        try:
            other = self.lease.acquire(self.runner.made.create_unregistered)
        except KubernetesError as error:
            return self._not_taken({"kind": "Lease"}, error)
        if other:
            return NotRun(HELD, self.lease.held_by(other))
        why = free_nodes(self.runner, self.desired.namespace)
        return NotRun(BUSY, why) if why else None

    def _trained(self) -> Outcome:
        """Create the job and wait for its end."""
        if not self.desired.queue.name:
            self.way.begin()
        jobs = self.kind.path(self.desired.namespace)
        made = self._created(self._maps, self.planned.program)
        if isinstance(made, NotRun):
            return made
        if self.planned.priority:
            self._prioritize(self.planned.priority)
        reason = self._refused(jobs)
        if reason:
            return reason
        secret = manifest.secret(self.planned.run, self.desired, made) if self.desired.token else None
        paths = {self._services: self.planned.service, f"{self.runner.core}/secrets": secret, jobs: self.planned.job}
        for path, body in paths.items():
            made = self._created(path, body) if body else made
            if isinstance(made, NotRun):
                return made
        self._uid = made["metadata"]["uid"]
        return self._followed()

    def _created(self, path: str, body: Object) -> Object | NotRun:
        try:
            return self.runner.made.create(path, body)
        except KubernetesError as error:
            return self._not_taken(body, error)

    def _prioritize(self, body: Object) -> None:
        """Create the PriorityClass. If the caller may not create it, the Pods get the default priority."""
        try:
            self.runner.made.create(CLASSES, body)
        except KubernetesError as error:
            if error.status not in (CONFLICT, FORBIDDEN):
                raise
            self.runner.made.paths.pop()
            if error.status == CONFLICT:  # the class has another owner
                raise
            set_priority(self.planned.job, self.kind, "")
            text = "The Pods of the job have the default priority, because the caller may not create a PriorityClass"
            self.warnings.append(f"{text} ({error}). They may preempt Pods with a negative priority.")

    def _refused(self, jobs: str) -> NotRun | None:
        """Why the API server does not accept the complete job, from a dry run; None if it accepts the job."""
        try:
            kept = self.runner.kubernetes.create(f"{jobs}?dryRun=All", self.planned.job).get("spec")
        except KubernetesError as error:
            return self._not_taken(self.planned.job, error)
        lost = ", ".join(dropped(self.planned.job["spec"], kept))
        if not lost:
            return None
        text = f"The API server discards fields of a {self.kind.name}: {lost}. Choose a different kind, or upgrade its operator."
        return NotRun(FIELDS, text)

    def _not_taken(self, body: Object, error: KubernetesError) -> NotRun:
        """Return the failure for an object that the API server refuses.

        :raises KubernetesError: if ``error`` has a different cause than a refusal.
        """
        if error.status not in INVALID:
            raise error
        return refused(self.desired, f"the {body['kind']}", answered(error))

    def _followed(self) -> Outcome:
        pods, late = self._until("queued", "have a node", lambda pod: pod.bound, self.desired.queue_timeout)
        if self.way.given or late:
            return self.way.given or self._unplaced(pods)
        pods, late = self._until("pulling the image", "run", lambda pod: pod.begun, self.desired.start_timeout, pods)
        reason = self.way.given or failed_before_start(self.desired, self.evidence.with_pulls(pods))
        if not reason and late:
            found = self.evidence.unmounted(pod for pod in pods.values() if not pod.begun)
            reason = unmounted(self.desired, *found) if found else unstarted(self.desired, pods)
        if reason:
            return reason
        return self._ended(pods)

    def _ended(self, pods: Pods) -> Outcome:
        """Wait for the end of the training. The timeout includes a planned restart."""
        now = self.runner.clock.now
        deadline = now() + self.desired.timeout + LATE_SECONDS
        if self.desired.program.replace_pod:
            pods, _late = self._until(*ENDED, deadline - now(), pods, self.replacement.due)
            reason = self.way.given or self.replacement.delete(self.desired)
            if reason:
                return reason
        pods, late = self._until(*ENDED, deadline - now(), pods)
        return self.way.given or Ran(self.logs(pods, self.lives), late=late, unreplaced=self.replacement.missing(pods))

    def _unplaced(self, pods: Pods) -> NotRun:
        missing = len(pods) < len(self.desired.nodes)
        denied = self.evidence.denied(self._uid) if missing else ""
        queued = self.evidence.queued(self._uid) if missing and self.desired.queue.name else None
        return unplaced(self.desired, self.kind.name, pods, denied=denied, queued=queued)

    def _until(
        self,
        phase: str,
        stage: str,
        so_far: t.Callable[[Pod], bool],
        seconds: float,
        before: Pods | None = None,
        enough: t.Callable[[Pods], bool] = lambda pods: False,
    ) -> tuple[Pods, bool]:
        """Wait until all Pods reach a stage, or one fails, restarts or no longer exists. Return the Pods, and whether time was up.

        :param phase: the phase of the job, as a text for the progress.
        :param stage: the stage that all Pods must reach, as a text for the progress.
        :param so_far: whether a Pod has reached the stage.
        :param enough: another condition that ends the wait.
        """
        count = len(self.desired.nodes)

        def ready(pods: Pods) -> int:
            return sum(1 for each in pods.values() if so_far(each))

        def state(pods: Pods) -> str:
            return f"{phase} ({ready(pods)} of {count} Pods {stage}, limit {seconds:.0f} s){self.progressed.text(pods)}"

        def done(pods: Pods) -> bool:
            if ready(pods) == count or self.way.needed(pods):
                return True
            return self.lives.over or any(map(self.lives.disturbed, pods.values())) or enough(pods)

        return self.runner.follow(
            self._ours,
            seconds=seconds,
            done=done,
            subject=f"{self.kind.name} {self.planned.name}",
            state=state,
            before=before,
        )

    def _ours(self, pods: t.Sequence[Pod]) -> Pods:
        """The job's Pods, keyed by name. Other users can set the label, so the owner and the node must also match."""
        allowed = ("", *self.desired.nodes)
        ours = [pod for pod in pods if pod.node in allowed and (pod.job if self.kind.job_label else pod.job == self._uid)]
        found = {pod.name: pod for pod in sorted(ours, key=lambda pod: pod.name)}
        self.lives.see(found)
        return found
