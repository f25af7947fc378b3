# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods of a job as the operator of its kind creates them: their owners and labels.

Sources: kubernetes-sigs/jobset ``api/jobset/v1alpha2/jobset_types.go``; kubeflow/mpi-operator
``pkg/controller/mpi_job_controller.go``, which owns its workers and creates a Job for the launcher; Kubeflow's trainer, which creates a
JobSet with the TrainJob's name; the training operator's labels of a PyTorchJob. AWS does not document the labels of the pods of a
HyperPodPyTorchJob: only Kueue's own marks are known, which each pod has that Kueue places.
"""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from .jobs import UID, Object

JOB_SET, TRAINING = "jobset.sigs.k8s.io", "training.kubeflow.org"
OTHER_UID = "7a1b9c3d"


@dataclass(frozen=True)
class Operator:
    """``podset``: the pods to place; ``leads``: the pod set of a separate leader, if the kind has one."""

    kind: str
    podset: str
    pod: t.Callable[[str, str, str, int], Object]
    """A function of the job's name and UID, the pod set and a number that returns the metadata of a pod."""
    leads: str = ""


def _owned_by(kind: str, uid: str) -> list[Object]:
    return [{"kind": kind, "uid": uid, "controller": True}]


def _of_job(job: str, uid: str, _podset: str, number: int) -> Object:
    labels = {"batch.kubernetes.io/job-name": job, "job-name": job, "batch.kubernetes.io/job-completion-index": str(number)}
    return {"ownerReferences": _owned_by("Job", uid), "labels": labels}


def _of_pytorch_job(job: str, uid: str, podset: str, number: int) -> Object:
    labels = {"job-name": job, "operator-name": "pytorchjob-controller", "replica-type": podset, "replica-index": str(number)}
    role = {"job-role": "master"} if podset == "master" else {}
    return {"ownerReferences": _owned_by("PyTorchJob", uid), "labels": _below(TRAINING, {**labels, **role})}


def _of_hyperpod(job: str, _uid: str, podset: str, _number: int) -> Object:
    return {"annotations": {"kueue.x-k8s.io/workload": f"{job}-w"}, "labels": {"kueue.x-k8s.io/podset": podset}}


def _of_job_set(job: str, uid: str, podset: str, number: int) -> Object:
    """A JobSet creates Jobs, and these create the pods."""
    labels = {"jobset-name": job, "jobset-uid": uid, "replicatedjob-name": podset, "job-index": str(number)}
    return {"ownerReferences": _owned_by("Job", f"{podset}-of-{uid}"), "labels": _below(JOB_SET, labels)}


def _of_mpi_job(job: str, uid: str, podset: str, number: int) -> Object:
    labels = {"job-name": job, "operator-name": "mpi-operator", "job-role": podset, "replica-index": str(number)}
    owners = _owned_by("Job", f"launcher-of-{uid}") if podset == "launcher" else _owned_by("MPIJob", uid)
    return {"ownerReferences": owners, "labels": _below(TRAINING, labels)}


def _below(prefix: str, labels: Object) -> Object:
    return {f"{prefix}/{name}": value for name, value in labels.items()}


OPERATORS = {
    each.kind: each
    for each in (
        Operator("Job", "main", _of_job),
        Operator("PyTorchJob", "worker", _of_pytorch_job, "master"),
        Operator("HyperPodPyTorchJob", "pod", _of_hyperpod),
        Operator("JobSet", "workers", _of_job_set),
        Operator("TrainJob", "node", _of_job_set),
        Operator("MPIJob", "worker", _of_mpi_job, "launcher"),
    )
}


def pods_of(operator: Operator, nodes: t.Sequence[str], *, job: str = "mnist", uid: str = UID, leader: str = "n5") -> list[Object]:
    """Running pods of a job on nodes; a separate leader is on ``leader``."""
    places = [(operator.podset, number, each) for number, each in enumerate(nodes)]
    places += [(operator.leads, 0, leader)] if operator.leads else []
    return [_pod(operator.pod(job, uid, podset, number), f"{job}-{podset}-{number}", node) for podset, number, node in places]


def _pod(meta: Object, name: str, node: str) -> Object:
    return {"metadata": {"name": name, **meta}, "spec": {"nodeName": node}, "status": {"phase": "Running"}}
