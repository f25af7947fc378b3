# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kubernetes objects of Kueue and of job operators."""

from __future__ import annotations

import time
import typing as t
from dataclasses import dataclass

from lab.kubernetes.api import Object

HOSTNAME = "kubernetes.io/hostname"
QUEUE = "kueue.x-k8s.io/queue-name"
FLAVOR = "gpus"
REQUESTED = "lab/parallelism"
"""Annotation of a held Job with its requested parallelism."""


@dataclass(frozen=True)
class Kind:
    """A kind of managed jobs."""

    name: str
    api_version: str
    plural: str
    ends: str
    """Condition of a successful job."""

    @property
    def path(self) -> str:
        return f"/apis/{self.api_version}/{self.plural}"

    def of(self, item: Object) -> str:
        meta = item["metadata"]
        return f"/apis/{self.api_version}/namespaces/{meta['namespace']}/{self.plural}/{meta['name']}"


KINDS = (
    Kind("Job", "batch/v1", "jobs", "Complete"),
    Kind("PyTorchJob", "kubeflow.org/v1", "pytorchjobs", "Succeeded"),
    Kind("HyperPodPyTorchJob", "sagemaker.amazonaws.com/v1", "hyperpodpytorchjobs", "Completed"),
)


def podsets(kind: Kind, item: Object) -> dict[str, tuple[int, Object]]:
    """Number of pods and their template by name of the pod set in Kueue."""
    spec = item["spec"]
    if kind.name == "PyTorchJob":
        return {name.lower(): (each.get("replicas", 1), each["template"]) for name, each in spec["pytorchReplicaSpecs"].items()}
    if kind.name == "HyperPodPyTorchJob":
        return {each["name"]: (each.get("replicas", 1), each["template"]) for each in spec["replicaSpecs"]}
    requested = (item["metadata"].get("annotations") or {}).get(REQUESTED)
    return {"main": (int(requested) if requested else spec.get("parallelism", 1), spec["template"])}


def owner(kind: Kind, item: Object, *, controls: bool) -> Object:
    return {
        "apiVersion": kind.api_version,
        "kind": kind.name,
        "name": item["metadata"]["name"],
        "uid": item["metadata"]["uid"],
        "controller": controls,
        "blockOwnerDeletion": True,
    }


def workload(version: str, kind: Kind, item: Object) -> Object:
    meta = item["metadata"]
    return {
        "apiVersion": f"kueue.x-k8s.io/{version}",
        "kind": "Workload",
        "metadata": {
            "name": f"{kind.name.lower()}-{meta['name']}-{meta['uid'][:5]}",
            "namespace": meta["namespace"],
            "labels": {"kueue.x-k8s.io/job-uid": meta["uid"]},
            "ownerReferences": [owner(kind, item, controls=True)],
        },
        "spec": {
            "active": True,
            "queueName": meta["labels"][QUEUE],
            "podSets": [
                {"name": name, "count": count, "template": template} for name, (count, template) in podsets(kind, item).items()
            ],
        },
    }


def admission(version: str, assigned: t.Mapping[str, t.Sequence[str]]) -> Object:
    """The admission with the nodes of each pod set; for a Topology that ends in the hostname, only this level is stored."""
    return {
        "clusterQueue": "all",
        "podSetAssignments": [
            {
                "name": name,
                "count": len(nodes),
                "flavors": {"nvidia.com/gpu": FLAVOR},
                "topologyAssignment": {"levels": [HOSTNAME], **_assigned(version, nodes)},
            }
            for name, nodes in assigned.items()
        ],
    }


def _assigned(version: str, nodes: t.Sequence[str]) -> Object:
    """``domains`` of v1beta1 or ``slices`` of v1beta2, as in Kueue's API reference."""
    counts = {each: list(nodes).count(each) for each in sorted(nodes)}
    if version == "v1beta1":
        return {"domains": [{"values": [name], "count": count} for name, count in counts.items()]}
    prefix = _prefix(min(counts), max(counts)) if len(counts) > 1 else ""
    roots = [name[len(prefix) :] for name in counts]
    level = {"individual": {**({"prefix": prefix} if prefix else {}), "roots": roots}}
    same = len(set(counts.values())) == 1
    pods = {"universal": next(iter(counts.values()))} if same else {"individual": list(counts.values())}
    return {"slices": [{"domainCount": len(counts), "valuesPerLevel": [level], "podCounts": pods}]}


def _prefix(one: str, other: str) -> str:
    same = next((place for place, signs in enumerate(zip(one, other)) if signs[0] != signs[1]), min(len(one), len(other)))
    return one[:same]


def _not_adopted(labels: t.Mapping[str, str]) -> dict[str, str]:
    """Labels without the one by which a Job adopts pods, because Kubernetes deletes pods of a Job with parallelism 0."""
    return {name: value for name, value in labels.items() if name != "controller-uid"}


def pod(kind: Kind, item: Object, podset: str, number: int, node: str, of: str) -> Object:
    """A pod of the operator after its admission, on the node that Kueue's gates and selectors would lead to.

    :param of: the Workload.
    """
    meta = item["metadata"]
    template = podsets(kind, item)[podset][1]
    metadata = template.get("metadata") or {}
    labels = {
        "Job": {"job-name": meta["name"]},
        "PyTorchJob": {
            "training.kubeflow.org/job-name": meta["name"],
            "training.kubeflow.org/replica-type": podset,
            "training.kubeflow.org/replica-index": str(number),
        },
    }.get(kind.name, {})
    return {
        "metadata": {
            "name": f"{meta['name']}-{podset}-{number}",
            "namespace": meta["namespace"],
            "labels": {**_not_adopted(metadata.get("labels") or {}), **labels, "kueue.x-k8s.io/podset": podset},
            "annotations": {**(metadata.get("annotations") or {}), "kueue.x-k8s.io/workload": of},
            "ownerReferences": [owner(kind, item, controls=kind.name != "Job")],
        },
        "spec": {**template["spec"], **_restart_policy(item, podset), "nodeName": node},
    }


def _restart_policy(item: Object, podset: str) -> dict[str, str]:
    """The policy of a PyTorchJob's replicas, which replaces that of their template."""
    replicas = {name.lower(): each for name, each in (item["spec"].get("pytorchReplicaSpecs") or {}).items()}
    policy = replicas.get(podset, {}).get("restartPolicy")
    return {"restartPolicy": policy} if policy else {}


def failed_create(kind: Kind, item: Object, pod: str, message: str) -> Object:
    """The event of an operator for a pod that the API server refused."""
    meta, now = item["metadata"], time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    about = {"apiVersion": kind.api_version, "kind": kind.name, **{name: meta[name] for name in ("name", "namespace", "uid")}}
    return {
        "metadata": {"name": f"{pod}.refused", "namespace": meta["namespace"]},
        "involvedObject": about,
        "type": "Warning",
        "reason": "FailedCreate",
        "message": f"Error creating: {message}",
        "firstTimestamp": now,
        "lastTimestamp": now,
        "count": 1,
        "source": {"component": "job-controller"},
    }
