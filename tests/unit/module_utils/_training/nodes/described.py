# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of a cluster with nodes for training, as its API server returns them."""

from __future__ import annotations

import typing as t

Object = dict[str, t.Any]
GPU, EFA = "nvidia.com/gpu", "vpc.amazonaws.com/efa"
TYPE = "ml.p5.48xlarge"
NODES, PODS, DAEMON_SETS = "/api/v1/nodes", "/api/v1/pods", "/apis/apps/v1/daemonsets"
GROUP = "/apis/resource.k8s.io"
READY = [{"type": "Ready", "status": "True"}]
CONTAINERS = {GPU: "nvidia-device-plugin-ctr", EFA: "aws-efa-k8s-device-plugin"}
LABELS = {
    "node.kubernetes.io/instance-type": TYPE,
    "kubernetes.io/arch": "amd64",
    "nvidia.com/cuda.driver-version.full": "580.159.03",
}
OF_EFA = {"dra.net/pciDevice": {"string": "Elastic Fabric Adapter (EFA)"}}


def node(name: str, gpus: int = 8, efa: int = 32, taints: t.Sequence[Object] = (), labels: Object | None = None) -> Object:
    offered = {GPU: str(gpus), EFA: str(efa), "hugepages-2Mi": "5128Mi"}
    status = {"conditions": READY, "allocatable": offered}
    return {"metadata": {"name": name, "labels": LABELS if labels is None else labels}, "spec": {"taints": list(taints)}, "status": status}


def daemon_set(resource: str, container: str = "") -> Object:
    """Its UID is the resource."""
    spec = {"containers": [{"name": "config-manager"}, {"name": container or CONTAINERS[resource]}]}
    return {"metadata": {"namespace": "kube-system", "name": "plugin", "uid": resource}, "spec": {"template": {"spec": spec}}}


def pod(resource: str, on: str, status: Object | None = None, **metadata: t.Any) -> Object:
    """Of the device plugin; by default it is ready."""
    owner = [{"kind": "DaemonSet", "uid": resource, "controller": True}]
    meta = {"namespace": "kube-system", "name": f"plugin-{on}", "ownerReferences": owner, **metadata}
    spec = {"nodeName": on, "containers": [{"name": CONTAINERS[resource]}]}
    return {"metadata": meta, "spec": spec, "status": status or {"phase": "Running", "conditions": READY}}


def resource_slice(driver: str, on: str, *devices: Object) -> Object:
    return {"spec": {"driver": driver, "nodeName": on, "pool": {"name": on}, "devices": list(devices) or [{"name": "gpu-0"}]}}


class Cluster:
    """``lists``: items by path. ``objects``: objects by path. ``refused``: statuses by the end of a path."""

    def __init__(self, *names: str) -> None:
        self.lists: dict[str, list[Object]] = {
            NODES: [node(each) for each in names],
            DAEMON_SETS: [daemon_set(GPU), daemon_set(EFA)],
            PODS: [pod(resource, each) for each in names for resource in (GPU, EFA)],
        }
        self.objects: dict[str, Object] = {}
        self.refused: dict[str, int] = {}
        self.requests: list[str] = []

    def serve_slices(self, version: str, *slices: Object) -> None:
        self.lists[f"{GROUP}/{version}/resourceslices"] = list(slices)

    def answer(self, method: str, target: str, _body: Object | None) -> tuple[int, Object]:
        path = target.partition("?")[0]
        self.requests.append(f"{method} {path}")
        for end, status in self.refused.items():
            if path.endswith(end):
                return status, {"message": "no\x1b[2J" + "x" * 10_000}
        if path in self.objects:
            return 200, self.objects[path]
        versions = [{"version": each.split("/")[3]} for each in self.lists if each.startswith(GROUP)]
        if path == GROUP:
            return (200, {"versions": versions}) if versions else (404, {})
        return (200, {"items": self.lists[path]}) if path in self.lists else (404, {})
