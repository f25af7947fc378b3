# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads a job, its Workload, its Pods and their nodes, and waits until the job reaches a stage."""

from __future__ import annotations

import dataclasses
import typing as t

from ..._core.failure import Failure
from ..._core.wait import WaitFailed, WaitTimeout
from ..._core.waits import Waits, repeated
from ..._kubernetes.client import Kubernetes, KubernetesError, Object
from ..._kubernetes.job_conditions import outcome
from ..._kubernetes.nodes.labels import NODES
from .cluster import FORBIDDEN, Cluster
from .deletion import until_deleted
from .denials import denied, why as why_denied
from .layers import flavor_layers
from .model import ADMITTED, NONE, Desired, Facts, FlavorLayers, PodAt, State, Workload
from .pods import labels_of, pods_of
from .proof import Placement, placement, table
from .reasons import WAIT_ON, lacks_domains, next_step
from .stages import WAITING, described, expected, reached, stage_of, why_never
from .workload import JOB_UID, of_job

PASSING = 5
"""Consecutive failed reads after which a wait ends with the error."""
NEXT = "Run again to continue waiting: the job stays in its queue and is not submitted twice. state=absent removes the job."
UNTIL_THEN = "Until then, the job stays in its queue, and another run does not submit it twice. state=absent removes the job."


class StillWaits(Failure):
    """The job did not reach the awaited stage in time, but may still reach it."""

    code = "topology-job-waits"


class Misplaced(Failure):
    code = "topology-job-misplaced"


class GivenUp(Failure):
    """The job can't reach the awaited stage any more."""

    code = "topology-job-failed"


class Observer:
    """:param waiting: False in check mode, which repeats reads only for a placement that seems wrong."""

    def __init__(self, kubernetes: Kubernetes, desired: Desired, *, waits: Waits, waiting: bool) -> None:
        self.kubernetes = kubernetes
        self.desired = desired
        self.waits = waits
        self.waiting = waiting
        self.stage = desired.stage if waiting else NONE
        self.cluster = Cluster(kubernetes)
        self.last = State()
        self._missed = 0
        self._known: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._flavors: t.Mapping[str, tuple[t.Mapping[str, str], tuple[str, ...]]] | None = None
        self._pods_path = f"/api/v1/namespaces/{desired.rendered.namespace}/pods"

    def __call__(self) -> State:
        """The current state. If the desired job exists, the call first waits until the job has reached the awaited stage.

        If the job of an earlier run is being deleted, the call may first wait for the end of this deletion.

        :raises Failure: if the job does not reach the stage, or is not placed as requested.
        """
        state = self._read()
        if self._awaits_deletion(state):
            until_deleted(self.kubernetes, self.desired.rendered, state.uid, self.waits)
            state = self._read()
        if not self._is_it(state):
            return state
        watched = _Watched(self.desired, self.stage, state)
        try:
            return self.waits.until(
                self._read_again,
                done=watched.done,
                failed=watched.failed,
                subject=self.desired.rendered.described,
                state=lambda seen: described(self.desired, seen),
            )
        except WaitTimeout as error:
            raise StillWaits(f"{error}. {_next(self.desired, self.last)}") from error
        except WaitFailed as error:
            raise (Misplaced if watched.misplaced else GivenUp)(str(error)) from error

    def _is_it(self, state: State) -> bool:
        same = state.hash == self.desired.rendered.hash and bool(state.hash)
        return self.desired.present and state.job is not None and same and not state.leaving

    def _awaits_deletion(self, state: State) -> bool:
        wanted = self.desired.replace if self.desired.present else self.stage != NONE
        return self.waiting and wanted and state.leaving

    def _read_again(self) -> State:
        """The current state, or the last known one if this read failed.

        :raises KubernetesError: after several consecutive failed reads.
        """
        try:
            state = self._read()
            self._missed = 0
        except KubernetesError as error:
            self._missed += 1
            if not error.passes or self._missed >= PASSING:
                raise
            return self.last
        return state

    def _read(self) -> State:
        rendered = self.desired.rendered
        job = self.kubernetes.find(rendered.path)
        if job is None or not self.desired.present:
            self.last = State(job, facts=self._facts() if self.desired.present else None)
            return self.last
        uid = str(job["metadata"].get("uid") or "")
        there = State(job)
        facts = self._facts() if self.desired.replace and (there.leaving or there.hash != rendered.hash) else None
        workload = self._workload(uid)
        pods = self._pods(job, workload)
        nodes = self._nodes() if workload is not None or pods else None
        flavors = tuple(name for each in (workload.assigned if workload else ()) for name in each.flavors)
        layers = self._layers(nodes) if nodes is not None and lacks_domains(workload) else ()
        self.last = State(job, workload, pods, nodes, self._levels(flavors), facts, layers)
        if stage_of(self.desired, self.last) == ADMITTED and len(pods) < expected(self.desired, self.last):
            self.last = dataclasses.replace(self.last, denied=denied(self.kubernetes, rendered, uid))
        return self.last

    def _layers(self, nodes: t.Mapping[str, t.Mapping[str, str]]) -> tuple[FlavorLayers, ...]:
        if self._flavors is None:
            self._flavors = self.cluster.flavors_of(self.desired.rendered)
        return flavor_layers(self._flavors, nodes)

    def _facts(self) -> Facts:
        """
        :raises KubernetesError: also if the caller may not read Workloads and Pods, without which the job can't be followed.
        """
        facts = self.cluster.facts(self.desired.rendered)
        if facts.kueue and facts.namespace in ("there", "unseen"):
            for path in (self.cluster.path("workloads", self.desired.rendered.namespace), self._pods_path):
                self.kubernetes.get(f"{path}?limit=1")
        return facts

    def _workload(self, uid: str) -> Workload | None:
        if not self.cluster.kueue_versions():
            return None
        path = self.cluster.path("workloads", self.desired.rendered.namespace)
        found = of_job(self.kubernetes.items(path, labelSelector=f"{JOB_UID}={uid}"), uid)
        return found or of_job(self.kubernetes.items(path), uid)

    def _pods(self, job: Object, workload: Workload | None) -> tuple[PodAt, ...]:
        label = self.desired.rendered.kind.job_label
        return pods_of(self.kubernetes.items(self._pods_path), job, label, workload)

    def _nodes(self) -> dict[str, dict[str, str]] | None:
        try:
            items = self.kubernetes.items(NODES)
        except KubernetesError as error:
            if error.status != FORBIDDEN:
                raise
            return None
        return labels_of(items)

    def _levels(self, flavors: tuple[str, ...]) -> tuple[str, ...]:
        """The levels of the Topology by which the job was placed. They do not change."""
        if flavors not in self._known:
            self._known[flavors] = self.cluster.levels_of(flavors) if flavors else ()
        return self._known[flavors]


def _next(desired: Desired, state: State) -> str:
    """The next step for a job that has not reached the awaited stage."""
    now, denial = stage_of(desired, state), why_denied(state.denied)
    step = next_step(state.workload) if now == WAITING else denial.step if now == ADMITTED and denial else WAIT_ON
    return NEXT if step == WAIT_ON else f"{step}. {UNTIL_THEN}"


class _Watched:
    """Decides when one wait ends."""

    def __init__(self, desired: Desired, stage: str, begin: State) -> None:
        self.desired = desired
        self.stage = stage
        self.before = begin
        """The last state with the job."""
        self.misplaced = False
        """Whether a wrong placement ended the wait."""
        self._wrong = repeated(self._misplaced)

    def done(self, state: State) -> bool:
        """Whether the wait can end. A wrong placement is read again: Pods from before an eviction disappear gradually."""
        return reached(self.desired, state, self.stage) and not self._misplaced(state)

    def failed(self, state: State) -> str | None:
        if self.stage != NONE or state.job is None:
            why = why_never(self.desired, state, self.before)
            if why:
                return why
            self.before = state
        wrong = self._wrong(state)
        self.misplaced = wrong is not None
        return wrong

    def _misplaced(self, state: State) -> str | None:
        if not self.desired.verify or state.job is None:
            return None
        found = placement(self.desired.rendered.podsets, state)
        return _sentence(found, outcome(state.job)) if found.wrong else None


def _sentence(found: Placement, ended: str) -> str:
    lines = "\n".join(table(found.rows))
    more = "" if ended else " The job continues to run; state=absent removes the job."
    return f"it is not placed as requested: {found.described}.{more}\n{lines}"
