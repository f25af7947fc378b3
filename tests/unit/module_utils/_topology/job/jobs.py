# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs of all kinds, and the state that Kueue reports."""

from __future__ import annotations

import copy
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.model import (
    Condition,
    Desired,
    PodAt,
    Rendered,
    State,
    Wish,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.render import render

Object = dict[str, t.Any]
LAYER = "topology.k8s.aws/network-node-layer-"
SPACE, QUEUE = "hyperpod-ns-a", "hyperpod-ns-a-localqueue"
POD: Object = {"spec": {"containers": [{"name": "a", "image": "a"}], "restartPolicy": "Never"}}
UID = "0f5c6d2e"


def template() -> Object:
    return copy.deepcopy(POD)


def job(pods: int = 4, **spec: t.Any) -> Object:
    spec = {"parallelism": pods, "completions": pods, "template": template(), **spec}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "mnist"}, "spec": spec}


def pytorch_job(workers: int = 3) -> Object:
    specs = {"Master": {"replicas": 1, "template": template()}, "Worker": {"replicas": workers, "template": template()}}
    return {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": "mnist"}, "spec": {"pytorchReplicaSpecs": specs}}


def mpi_job() -> Object:
    specs = {"Launcher": {"template": template()}, "Worker": {"replicas": 4, "template": template()}}
    return {"apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob", "metadata": {"name": "mnist"}, "spec": {"mpiReplicaSpecs": specs}}


def hyperpod_job() -> Object:
    """As AWS's CLI sends it."""
    spec = {"nprocPerNode": "8", "replicaSpecs": [{"name": "pod", "replicas": 2, "template": template()}]}
    return {"apiVersion": "sagemaker.amazonaws.com/v1", "kind": "HyperPodPyTorchJob", "metadata": {"name": "mnist"}, "spec": spec}


def job_set() -> Object:
    jobs = [{"name": "workers", "replicas": 2, "template": {"spec": {"parallelism": 2, "completions": 2, "template": template()}}}]
    return {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "mnist"}, "spec": {"replicatedJobs": jobs}}


def train_job() -> Object:
    spec = {"runtimeRef": {"name": "torch-distributed"}, "trainer": {"image": "a", "numNodes": 4}}
    return {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob", "metadata": {"name": "mnist"}, "spec": spec}


def rendered(manifest: Object | None = None, wish: Wish = Wish(), **given: t.Any) -> Rendered:
    options = {"source": "manifest", "namespace": SPACE, "queue": QUEUE, "priority": None, "sent": True, **given}
    return render(manifest or job(), wish=wish, **options)


def desired(manifest: Object | None = None, wish: Wish = Wish(), **given: t.Any) -> Desired:
    options = {"present": True, "replace": False, "force": False, "stage": "running", "verify": True, **given}
    return Desired(rendered(manifest, wish), **options)


def live(of: Desired, **status: t.Any) -> Object:
    """The job as the API server returns it."""
    made = copy.deepcopy(of.rendered.manifest)
    made["metadata"]["uid"] = UID
    return {**made, "status": status}


def condition(kind: str, status: str = "True", reason: str = "", message: str = "") -> Object:
    return {"type": kind, "status": status, "reason": reason, "message": message}


def conditions(**given: tuple[str, str, str]) -> dict[str, Condition]:
    return {kind: Condition(*each) for kind, each in given.items()}


def node(name: str, *layers: str) -> dict[str, str]:
    return {"kubernetes.io/hostname": name, **{f"{LAYER}{number}": each for number, each in enumerate(layers, start=1)}}


NODES = {
    "n1": node("n1", "a", "aa", "aaa"),
    "n2": node("n2", "a", "aa", "aaa"),
    "n3": node("n3", "a", "ab", "aba"),
    "n4": node("n4", "a", "ab", "aba"),
    "n5": node("n5"),
}
LEVELS = (f"{LAYER}1", f"{LAYER}2", f"{LAYER}3", "kubernetes.io/hostname")


def pods(*nodes: str, podset: str = "main") -> tuple[PodAt, ...]:
    return tuple(PodAt(f"mnist-{number}", podset, each, "Running" if each else "Pending") for number, each in enumerate(nodes))


def state(**given: t.Any) -> State:
    return State(**{"nodes": NODES, "levels": LEVELS, **given})
