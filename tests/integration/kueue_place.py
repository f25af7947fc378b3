# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster with EKS that has the nodes of AWS's article and a scripted Kueue, and jobs for it."""

from __future__ import annotations

import contextlib
import typing as t

from eks_world import EKS, EksWorld, until, workers
from lab.kueue.operator import Kueue
from lab.kueue.script import Admits

TYPE = "ml.p5.48xlarge"
LAYER = "topology.k8s.aws/network-node-layer-"
LEVELS = (f"{LAYER}1", f"{LAYER}2", f"{LAYER}3", "kubernetes.io/hostname")
SPACE, QUEUE = "hyperpod-ns-research", "hyperpod-ns-research-localqueue"
ARTICLE = (
    ("nn-1", "nn-21", "nn-31"),
    ("nn-1", "nn-21", "nn-31"),
    ("nn-1", "nn-22", "nn-32"),
    ("nn-1", "nn-22", "nn-32"),
    ("nn-1", "nn-22", "nn-33"),
)
NO_ROOM = (
    'couldn\'t assign flavors to pod set worker: topology "nodes" allows to fit only 2 out of 3 pod(s). Total nodes: 5; excluded: '
    'resource "nvidia.com/gpu": 3, taint "sagemaker.amazonaws.com/node-health-status=Unschedulable:NoSchedule": 1'
)


class Place:
    """A world with Kueue and the nodes of the article, sorted by name."""

    def __init__(self, world: EksWorld) -> None:
        self.world = world
        self.kueue = Kueue(world.api)
        self.nodes = sorted(each["metadata"]["name"] for each in world.seen("nodes")["items"])
        for name, layers in zip(self.nodes, ARTICLE):
            labels = {f"{LAYER}{number}": each for number, each in enumerate(layers, start=1)}
            world.api.merge(f"/api/v1/nodes/{name}", {"metadata": {"labels": labels}})
        self.kueue.start("v1beta2", LEVELS)
        self.team()

    def team(self) -> None:
        self.kueue.team(SPACE, QUEUE)
        until(lambda: self.world.kubectl("get", "serviceaccount", "default", "-n", SPACE).returncode == 0)

    def submit(self, manifest: dict[str, t.Any], *, check: bool = False, **options: t.Any) -> dict[str, t.Any]:
        given = {"eks_cluster": EKS, "manifest": manifest, "namespace": SPACE, "queue": QUEUE, "poll_interval": 1, "wait_timeout": 180}
        topology = {} if {"preferred_topology", "slice_topology"} & set(options) else {"required_topology": f"{LAYER}3"}
        return self.world.module("topology_job", {**given, **topology, **options}, check=check)

    def at(self, *numbers: int) -> list[str]:
        return [self.nodes[each] for each in numbers]

    def changes(self) -> list[tuple[str, str]]:
        """Verbs and names of the changes through EKS's endpoint since the last call."""
        found = [(verb, name) for verb, _resource, name in self.world.changes()]
        self.world.reset_changes()
        return found


@contextlib.contextmanager
def article() -> t.Iterator[Place]:
    """The HyperPod cluster ``ml`` in a new world."""
    with EksWorld() as world:
        world.hyperpod("ml", [workers("gpus", len(ARTICLE), TYPE)])
        until(lambda: len(world.seen("nodes")["items"]) == len(ARTICLE))
        place = Place(world)
        try:
            yield place
        finally:
            place.kueue.stop()


def template(**meta: t.Any) -> dict[str, t.Any]:
    container = {"name": "pytorch", "image": "registry.k8s.io/pause:3.10", "resources": {"limits": {"nvidia.com/gpu": "8"}}}
    return {"metadata": meta, "spec": {"restartPolicy": "Never", "containers": [container]}}


def pytorch_job(name: str, count: int = 2, **meta: t.Any) -> dict[str, t.Any]:
    specs = {"Master": {"replicas": 1, "template": template()}, "Worker": {"replicas": count, "template": template()}}
    return {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": name, **meta}, "spec": {"pytorchReplicaSpecs": specs}}


def hyperpod_job(name: str, count: int = 2) -> dict[str, t.Any]:
    spec = {"nprocPerNode": "8", "replicaSpecs": [{"name": "pod", "replicas": count, "template": template()}]}
    return {"apiVersion": "sagemaker.amazonaws.com/v1", "kind": "HyperPodPyTorchJob", "metadata": {"name": name}, "spec": spec}


def job(name: str, count: int = 2) -> dict[str, t.Any]:
    spec = {"parallelism": count, "completions": count, "template": template()}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name}, "spec": spec}


def workers_at(place: Place, *numbers: int, **more: t.Any) -> Admits:
    return Admits({"master": place.at(0), "worker": place.at(*numbers)}, **more)
