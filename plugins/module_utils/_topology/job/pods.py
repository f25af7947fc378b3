# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Selects the Pods of a job from the Pods of its namespace. No I/O."""

from __future__ import annotations

import typing as t

from ..._core.text import printable
from ..._kubernetes.client import Object
from ..._kubernetes.job_kinds import PODSET_LABELS
from .model import PodAt, Workload


def belongs(pod: Object, job: Object, label: str, workload: Workload | None) -> bool:
    """Whether a Pod belongs to the job. The kind's label counts only on a Job's Pods: other kinds may use the same label."""
    meta = pod["metadata"]
    owners = meta.get("ownerReferences") or ()
    if any(each.get("uid") == job["metadata"].get("uid") for each in owners):
        return True
    if workload is not None and (meta.get("annotations") or {}).get("kueue.x-k8s.io/workload") == workload.name:
        return True
    by_job = any(each.get("kind") == "Job" and each.get("controller") for each in owners)
    return by_job and bool(label) and (meta.get("labels") or {}).get(label) == job["metadata"]["name"]


def pod_at(item: Object) -> PodAt:
    labels = item["metadata"].get("labels") or {}
    podset = next((str(labels[each]) for each in PODSET_LABELS if labels.get(each)), "main")
    node = (item.get("spec") or {}).get("nodeName")
    phase = (item.get("status") or {}).get("phase")
    return PodAt(*(printable(each or "")[:253] for each in (item["metadata"]["name"], podset.lower(), node, phase)))


def pods_of(items: t.Iterable[Object], job: Object, label: str, workload: Workload | None) -> tuple[PodAt, ...]:
    """The Pods of the job, except those that are being deleted, and except failed Pods if others exist."""
    own = [each for each in items if belongs(each, job, label, workload)]
    found = [pod_at(each) for each in own if "deletionTimestamp" not in each["metadata"]]
    alive = [each for each in found if each.phase != "Failed"]
    return tuple(alive or found)


def labels_of(nodes: t.Iterable[Object]) -> dict[str, dict[str, str]]:
    """The labels of nodes, keyed by name of the node."""
    return {str(each["metadata"]["name"]): _labels(each) for each in nodes}


def _labels(node: Object) -> dict[str, str]:
    return {printable(name): printable(value)[:253] for name, value in (node["metadata"].get("labels") or {}).items()}
