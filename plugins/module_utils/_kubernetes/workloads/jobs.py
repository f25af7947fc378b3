# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads the jobs of all kinds of ``job_kinds``: those of this collection, and those of people that have not ended.

A job without Pods, for example a suspended one, is lost with the cluster too.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from ..._core.text import printable
from ..client import NOT_FOUND, Kubernetes, KubernetesError, Object
from ..job_conditions import outcome
from ..job_kinds import KINDS, Kind
from ..objects.model import MANAGED_BY, US
from .model import SYSTEM

DENIED = 403
GROUPS = {each.name: each.group for each in KINDS}


@dataclass(frozen=True)
class Job:
    api_version: str
    kind: str
    namespace: str
    name: str

    def to_result(self) -> dict[str, str]:
        return dataclasses.asdict(self)


@dataclass(frozen=True)
class Jobs:
    """Jobs that no other job controls, such as the JobSet of a TrainJob."""

    ours: tuple[Job, ...] = ()
    """Jobs that this collection created, also those that have ended."""
    unfinished: tuple[Job, ...] = ()
    """Jobs of people outside of kube-system."""
    unread: tuple[str, ...] = ()
    """The kinds that could not be read, and why."""


def read_jobs(kubernetes: Kubernetes) -> Jobs:
    """A kind that cannot be read does not stop the others, because a cluster can have a kind whose operator is broken."""
    ours, unfinished, unread = [], [], []
    for kind in KINDS:
        try:
            served, items = _listed(kubernetes, kind)
        except KubernetesError as error:
            unread.append(f"{kind.name}s: {str(error).rstrip('.')}")
            continue
        for item in items:
            if _is_controlled(item):
                continue
            if (item["metadata"].get("labels") or {}).get(MANAGED_BY) == US:
                ours.append(_job(served, item))
            elif _is_unfinished(item):
                unfinished.append(_job(served, item))
    return Jobs(tuple(ours), tuple(unfinished), tuple(unread))


def _listed(kubernetes: Kubernetes, kind: Kind) -> tuple[Kind, list[Object]]:
    """The jobs of a kind, in the first version that the API server serves. Kueue does not manage the other versions, but users may
    have such jobs.
    """
    for version in (kind.version, *kind.refused):
        served = dataclasses.replace(kind, version=version)
        try:
            return served, kubernetes.items(served.path())
        except KubernetesError as error:
            if not _is_unserved(kubernetes, served, error):
                raise
    return kind, []


def _is_unserved(kubernetes: Kubernetes, kind: Kind, error: KubernetesError) -> bool:
    """A caller without permission gets 403 also for a kind that is not served. Discovery is open to all callers."""
    if error.status != DENIED:
        return error.status == NOT_FOUND
    resources = (kubernetes.find(f"/apis/{kind.api_version}") or {}).get("resources") or ()
    return all(each.get("name") != kind.plural for each in resources)


def _is_controlled(item: Object) -> bool:
    """Whether a job of one of these kinds controls the job."""
    controllers = [each for each in item["metadata"].get("ownerReferences") or () if each.get("controller")]
    return any(GROUPS.get(each["kind"]) == each["apiVersion"].rpartition("/")[0] for each in controllers)


def _is_unfinished(item: Object) -> bool:
    meta = item["metadata"]
    return not outcome(item) and "deletionTimestamp" not in meta and meta["namespace"] != SYSTEM


def _job(kind: Kind, item: Object) -> Job:
    meta = item["metadata"]
    return Job(kind.api_version, kind.name, printable(meta["namespace"]), printable(meta["name"]))
