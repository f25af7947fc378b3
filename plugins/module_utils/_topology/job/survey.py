# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads all jobs that have a topology request or were submitted by ``topology_job``, with their Workloads, Pods and nodes."""

from __future__ import annotations

import collections
import dataclasses
import typing as t
from dataclasses import dataclass

from ..._core.failure import Refused
from ..._core.text import printable
from ..._core.wait import Clock
from ..._kubernetes.client import Kubernetes, Object
from ..._kubernetes.job_kinds import KINDS, Kind, Template, mapping
from ..._kubernetes.nodes.labels import NODES, PODS
from .cluster import Cluster
from .model import HASH, NONE, Desired, PodSet, Rendered, State, Wish
from .pods import labels_of, pods_of
from .proof import placement
from .render import TOPOLOGY, wish_of
from .workload import of_job

PAUSES = (1.0, 3.0)
"""Seconds before each repeated read of a placement that seems wrong."""
LONGEST = 253


@dataclass(frozen=True)
class Found:
    """An existing job."""

    desired: Desired
    """The request in its annotations."""
    state: State
    problem: str = ""
    """Why the request can't be read; empty if it was read."""

    @property
    def wrong(self) -> bool:
        return placement(self.desired.rendered.podsets, self.state).wrong


class Survey:
    """``unseen`` lists the objects that the caller may not read. An empty ``namespace`` means all namespaces."""

    def __init__(self, kubernetes: Kubernetes, namespace: str = "") -> None:
        self.cluster = Cluster(kubernetes)
        self.namespace = namespace

    @property
    def unseen(self) -> list[str]:
        return list(dict.fromkeys(self.cluster.unseen))

    def __call__(self) -> list[Found]:
        """The jobs, sorted by name.

        :raises KubernetesError: for failed requests, except denied ones.
        """
        jobs = self._jobs()
        if not jobs:
            return []
        workloads, pods = self._workloads(), self._by_namespace(self._path(PODS), "Pods")
        nodes = self.cluster.items(NODES, "Nodes")
        labels = None if nodes is None else labels_of(nodes)
        levels: dict[tuple[str, ...], tuple[str, ...]] = {}
        found = []
        for kind, job in sorted(jobs, key=_order):
            space, uid = job["metadata"]["namespace"], str(job["metadata"].get("uid") or "")
            workload = of_job(workloads[space], uid)
            own = pods_of(pods[space], job, kind.job_label, workload)
            flavors = tuple(name for each in (workload.assigned if workload else ()) for name in each.flavors)
            if flavors not in levels:
                levels[flavors] = self.cluster.levels_of(flavors) if flavors else ()
            found.append(found_of(kind, job, State(job, workload, own, labels, levels[flavors])))
        return found

    def _jobs(self) -> list[tuple[Kind, Object]]:
        """All jobs except those that another job created, such as the JobSet of a TrainJob, and its Jobs."""
        jobs = []
        for kind in filter(self.cluster.kind_served, KINDS):
            listed = self.cluster.items(kind.path(self.namespace), f"{kind.name}s") or ()
            jobs += [(kind, each) for each in listed if is_surveyed(kind, each)]
        known = {each["metadata"].get("uid") for _kind, each in jobs}
        return [(kind, each) for kind, each in jobs if not known & _makers(each)]

    def _workloads(self) -> t.Mapping[str, list[Object]]:
        if not self.cluster.kueue_versions():
            return collections.defaultdict(list)
        return self._by_namespace(self.cluster.path("workloads", self.namespace), "Workloads")

    def _by_namespace(self, path: str, what: str) -> t.Mapping[str, list[Object]]:
        found: dict[str, list[Object]] = collections.defaultdict(list)
        for each in self.cluster.items(path, what) or ():
            found[each["metadata"]["namespace"]].append(each)
        return found

    def _path(self, everywhere: str) -> str:
        base, _slash, plural = everywhere.rpartition("/")
        return f"{base}/namespaces/{self.namespace}/{plural}" if self.namespace else everywhere


def steady(read: t.Callable[[], list[Found]], clock: Clock = Clock()) -> list[Found]:
    """Read up to three times while a placement seems wrong: Pods from before an eviction disappear gradually."""
    found = read()
    for pause in PAUSES:
        if not any(each.wrong for each in found):
            return found
        clock.sleep(pause)
        found = read()
    return found


def is_surveyed(kind: Kind, job: Object) -> bool:
    """Whether the job has a topology request, or was submitted by ``topology_job``."""
    own = mapping(job, "metadata", "annotations")
    noted = [mapping(each.body, "metadata", "annotations") for each in kind.templates(job, False)]
    return HASH in own or any(name in notes for notes in (*noted, *([own] if kind.everywhere else ())) for name in TOPOLOGY)


def found_of(kind: Kind, job: Object, state: State) -> Found:
    templates = kind.templates(job, False)
    problem, podsets = "", tuple(PodSet(_line(each.podset), each.pods, Wish(), each.podset == kind.leader) for each in templates)
    try:
        requests = [_request(kind, job, each) for each in templates]
        podsets = tuple(dataclasses.replace(each, wish=wish) for each, wish in zip(podsets, requests))
    except Refused as error:
        problem = str(error)
    rendered = Rendered(kind, job, podsets, _line(state.hash))
    return Found(Desired(rendered, present=True, replace=False, force=False, stage=NONE, verify=False), state, problem)


def _request(kind: Kind, job: Object, template: Template) -> Wish:
    """:raises Refused: for annotations that exclude each other."""
    source = f"{kind.name} {job['metadata']['namespace']}/{job['metadata']['name']}"
    found = wish_of(template, source)
    if not found and kind.everywhere:
        found = wish_of(Template(template.podset, template.pods, job), source)
    return Wish(found.mode, _line(found.level), _line(found.slice_level), found.slice_size)


def _makers(job: Object) -> set[t.Any]:
    return {each.get("uid") for each in job["metadata"].get("ownerReferences") or () if each.get("controller")}


def _order(job: tuple[Kind, Object]) -> tuple[str, str, str]:
    kind, item = job
    return item["metadata"]["namespace"], item["metadata"]["name"], kind.name


def _line(value: t.Any) -> str:
    return printable(value)[:LONGEST]
