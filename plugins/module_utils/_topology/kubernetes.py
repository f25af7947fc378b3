# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The topology of Kubernetes nodes, from their labels, and the jobs on them, from their Pods. All values are untrusted. No I/O.

Sources of the labels: Amazon EC2 instance topology on EKS nodes, and HyperPod's task governance.
"""

from __future__ import annotations

import collections
import typing as t

from .._core.text import printable
from .._kubernetes.nodes.labels import GROUP, SCHEDULABLE, TYPE, ZONE
from .._kubernetes.nodes.layers import layers_of
from .._kubernetes.nodes.model import PREFIX, KubernetesNode
from .._kubernetes.nodes.observe import node_of, pods_at_work
from .model import FREE, UNHEALTHY, USED, Place

Object = dict[str, t.Any]
ULTRASERVER = "topology.k8s.aws/ultraserver-id"
OF_JOB = (
    "training.kubeflow.org/job-name",
    "jobset.sigs.k8s.io/jobset-name",
    "trainer.kubeflow.org/trainjob-name",
    "batch.kubernetes.io/job-name",
    "job-name",
)
"""The labels of a Pod that contain the name of its job, the outermost kind first."""
LONGEST = 253


def places(nodes: t.Iterable[Object], pods: t.Iterable[Object]) -> list[Place]:
    """The places of all nodes.

    :param nodes: from the API server.
    :param pods: from the API server, of all namespaces.
    """
    jobs: dict[str, set[str]] = collections.defaultdict(set)
    for pod in pods_at_work(pods):
        jobs[pod["spec"]["nodeName"]].add(job_of(pod))
    return [_place(node, sorted(jobs.get(node["metadata"]["name"], ()))) for node in nodes]


def job_of(pod: Object) -> str:
    """The namespace and the name of a Pod's job, or of the Pod itself if it has no job."""
    meta = pod["metadata"]
    labels = meta.get("labels") or {}
    owner = next((each["name"] for each in meta.get("ownerReferences") or () if each.get("controller")), meta["name"])
    name = next((labels[each] for each in OF_JOB if labels.get(each)), owner)
    return _line(f"{meta['namespace']}/{name}")


def _place(node: Object, jobs: t.Sequence[str]) -> Place:
    labels = node["metadata"].get("labels") or {}
    name = str(node["metadata"]["name"])
    why = _unhealthy(node_of(node))
    return Place(
        name=name,
        layers=layers_of(labels),
        instance_id=name[len(PREFIX) :] if name.startswith(PREFIX) else "",
        instance_type=_line(labels.get(TYPE)),
        instance_group=_line(labels.get(GROUP)),
        zone=_line(labels.get(ZONE)),
        ultraserver=_line(labels.get(ULTRASERVER)),
        state=UNHEALTHY if why else USED if jobs else FREE,
        why=why,
        jobs=tuple(jobs),
    )


def _unhealthy(node: KubernetesNode) -> str:
    """Why the node gets no Pods; empty if it gets Pods."""
    if node.not_ready:
        return node.not_ready
    if node.health_status not in ("", SCHEDULABLE):
        return f"HyperPod labels it {node.health_status}"
    return "it is cordoned" if node.unschedulable else ""


def _line(value: t.Any) -> str:
    return printable(value or "")[:LONGEST]
