# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Looks at a job, its Workload, its pods and their nodes, and waits until it is as far as somebody wants."""

from __future__ import annotations

import dataclasses
import typing as t

from ..._core.failure import Failure
from ..._core.wait import WaitFailed, WaitTimeout
from ..._core.waits import Waits, repeated
from ..._kubernetes.client import Kubernetes, KubernetesError, Object
from ..._kubernetes.nodes.labels import NODES
from .cluster import FORBIDDEN, Cluster
from .denials import denied, why as why_denied
from .layers import flavor_layers
from .leaving import until_gone
from .model import ADMITTED, NONE, Desired, Facts, FlavorLayers, PodAt, State, Workload
from .pods import labels_of, pods_of
from .proof import Placement, placement, table
from .reasons import WAIT_ON, lacks_domains, next_step
from .standing import WAITING, described, expected, outcome, reached, standing, why_never
from .workload import JOB_UID, of_job

PASSING = 5
"""Looks in a row that may get no answer while somebody waits."""
NEXT = "Run again to wait on: the job stays in its queue, and nothing is submitted twice. state=absent takes it back."
UNTIL_THEN = "Until then the job stays in its queue, and nothing is submitted twice by another run. state=absent takes it back."


class StillWaits(Failure):
    """It may become what is waited for, later."""

    code = "topology-job-waits"


class Misplaced(Failure):
    code = "topology-job-misplaced"


class GivenUp(Failure):
    """What is waited for can't come any more."""

    code = "topology-job-failed"


class Observer:
    """``waiting``: False in check mode, which looks again only at a placement that seems to be wrong."""

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
        """What is there; where it is the job that is asked for, once it is as far as it is waited for.

        What an earlier run has begun to delete is waited for, as that run would have waited.

        :raises Failure: where that does not happen, or the job is placed otherwise than asked.
        """
        state = self._look()
        if self._is_awaited_to_go(state):
            until_gone(self.kubernetes, self.desired.rendered, state.uid, self.waits)
            state = self._look()
        if not self._is_it(state):
            return state
        watched = _Watched(self.desired, self.stage, state)
        try:
            return self.waits.until(
                self._look_on,
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

    def _is_awaited_to_go(self, state: State) -> bool:
        wanted = self.desired.replace if self.desired.present else self.stage != NONE
        return self.waiting and wanted and state.leaving

    def _look_on(self) -> State:
        """:raises KubernetesError: where nothing is answered several times."""
        try:
            state = self._look()
            self._missed = 0
        except KubernetesError as error:
            self._missed += 1
            if not error.passes or self._missed >= PASSING:
                raise
            return self.last
        return state

    def _look(self) -> State:
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
        if standing(self.desired, self.last) == ADMITTED and len(pods) < expected(self.desired, self.last):
            self.last = dataclasses.replace(self.last, denied=denied(self.kubernetes, rendered, uid))
        return self.last

    def _layers(self, nodes: t.Mapping[str, t.Mapping[str, str]]) -> tuple[FlavorLayers, ...]:
        if self._flavors is None:
            self._flavors = self.cluster.flavors_of(self.desired.rendered)
        return flavor_layers(self._flavors, nodes)

    def _facts(self) -> Facts:
        """
        :raises KubernetesError: also where the caller may not see Workloads and pods: nobody could tell what becomes of the job.
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
        """Of the Topology by which it was placed; it does not change."""
        if flavors not in self._known:
            self._known[flavors] = self.cluster.levels_of(flavors) if flavors else ()
        return self._known[flavors]


def _next(desired: Desired, state: State) -> str:
    """What to do about a job that has not come as far as it was waited for."""
    now, denial = standing(desired, state), why_denied(state.denied)
    step = next_step(state.workload) if now == WAITING else denial.step if now == ADMITTED and denial else WAIT_ON
    return NEXT if step == WAIT_ON else f"{step}. {UNTIL_THEN}"


class _Watched:
    """Of one wait: what ends it."""

    def __init__(self, desired: Desired, stage: str, begin: State) -> None:
        self.desired = desired
        self.stage = stage
        self.before = begin
        """In which the job was seen last."""
        self.misplaced = False
        """It is why the wait failed."""
        self._wrong = repeated(self._misplaced)

    def done(self, state: State) -> bool:
        """A placement that is wrong is looked at again: pods of before an eviction go only little by little."""
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
    still = "" if ended else " The job runs on; state=absent takes it back."
    return f"it is not placed as asked: {found.described}.{still}\n{lines}"
