# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An in-memory API server with nodes and DaemonSets, whose Pods become ready while they are read."""

from __future__ import annotations

import copy
import typing as t

NODES, PODS = "/api/v1/nodes", "/api/v1/namespaces/kube-system/pods"
DAEMON_SETS, OURS = "/apis/apps/v1/daemonsets", "/apis/apps/v1/namespaces/kube-system/daemonsets"
GROUP = "/apis/resource.k8s.io"
GPU, EFA = "nvidia.com/gpu", "vpc.amazonaws.com/efa"
NVIDIA_SET, EFA_SET = "mlfleet-nvidia-device-plugin", "mlfleet-efa-device-plugin"
RESOURCES = {NVIDIA_SET: GPU, EFA_SET: EFA}
LABEL = {"app.kubernetes.io/managed-by": "mlfleet.hyperpod"}
TYPE, OTHER_TYPE = "p5.48xlarge", "g5.8xlarge"
IMAGE = "nvcr.io/nvidia/k8s-device-plugin:v0.20.0"
DIGEST = "sha256:" + "0123456789abcdef" * 4
READY = [{"type": "Ready", "status": "True"}]
PULL = {"waiting": {"reason": "ImagePullBackOff", "message": "no such image\x1b[2J"}}
Object = dict[str, t.Any]


def node(name: str, kind: str = TYPE, *, ready: bool = True, system: str = "Amazon Linux 2023", **labels: str) -> Object:
    conditions = READY if ready else [{"type": "Ready", "status": "False", "reason": "KubeletNotReady", "message": "no network"}]
    marks = {"node.kubernetes.io/instance-type": kind, **labels}
    return {"metadata": {"name": name, "labels": marks}, "spec": {}, "status": {"conditions": conditions, "nodeInfo": {"osImage": system}}}


def limited(*types: str, key: str = "node.kubernetes.io/instance-type") -> Object:
    """The affinity of Pods to nodes of the types."""
    terms = [{"matchExpressions": [{"key": key, "operator": "In", "values": list(types)}]}]
    return {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}}


def daemon_set(name: str, container: str = "nvidia-device-plugin-ctr", space: str = "gpu-operator", image: str = "", **spec: t.Any) -> Object:
    meta = {"name": name, "namespace": space, "uid": f"{space}/{name}"}
    containers = [{"name": container, "image": image, "volumeMounts": [{"name": "plugins", "mountPath": "/x"}]}]
    return {"metadata": meta, "spec": {"template": {"spec": {"containers": containers, **spec}}}}


def resource_slice(driver: str, on: str, *devices: Object) -> Object:
    return {"metadata": {"name": on}, "spec": {"driver": driver, "nodeName": on, "devices": list(devices) or [{"name": "gpu-0"}]}}


def fields_of(applied: Object) -> Object:
    """The fields that an object applies. A list counts as one field."""
    return {f"f:{name}": fields_of(value) if isinstance(value, dict) else {} for name, value in applied.items()}


class Cluster:
    """``changes``: method and name of each PATCH and DELETE."""

    def __init__(self, *nodes: Object) -> None:
        self.nodes = list(nodes)
        self.sets: dict[str, Object] = {}
        """DaemonSets, keyed by namespace and name."""
        self.lists: dict[str, list[Object]] = {}
        """Objects of DRA, keyed by version and plural."""
        self.pending = 0
        """Reads of Pods until the Pods of changed DaemonSets are ready."""
        self.waiting: Object = {"waiting": {"reason": "ContainerCreating"}}
        self.stuck: set[str] = set()
        """Nodes whose Pods stay in the state ``waiting``."""
        self.podless: set[str] = set()
        self.without_devices: set[str] = set()
        self.mirror = ""
        """The image that a webhook sets in DaemonSets."""
        self.changes: list[tuple[str, str]] = []
        self.refused: dict[str, int] = {}
        """Statuses by the end of a path."""
        self.reads: list[str] = []
        self._left = 0

    def add(self, *items: Object) -> None:
        for item in items:
            self.sets[f"{item['metadata']['namespace']}/{item['metadata']['name']}"] = item

    def serve(self, plural: str, *items: Object, version: str = "v1") -> None:
        self.lists[f"{version}/{plural}"] = list(items)

    def ours(self, name: str) -> Object:
        return self.sets[f"kube-system/{name}"]

    def answer(self, method: str, target: str, body: Object | None) -> tuple[int, Object]:
        path = target.partition("?")[0]
        refused = next((status for end, status in self.refused.items() if path.endswith(end)), 0)
        if refused:
            return refused, {"message": "no\x1b[2J"}
        if method != "GET":
            return self._change(method, path.rpartition("/")[2], body)
        self.reads.append(path)
        if path == "/apis/apps/v1":
            return 200, {"resources": [{"name": "daemonsets", "kind": "DaemonSet", "namespaced": True}]}
        if path.startswith(f"{OURS}/"):
            found = self.sets.get(f"kube-system/{path.rpartition('/')[2]}")
            return (200, found) if found else (404, {})
        items = self._items(path)
        return (404, {}) if items is None else (200, items)

    def _items(self, path: str) -> Object | None:
        if path == GROUP:
            return {"versions": [{"version": each.partition("/")[0]} for each in self.lists]} if self.lists else None
        if path == NODES:
            return {"items": [self._node(each) for each in self.nodes]}
        if path == DAEMON_SETS:
            return {"items": list(self.sets.values())}
        if path == PODS:
            self._left -= 1
            return {"items": [pod for name in RESOURCES for pod in self._pods(name)]}
        items = self.lists.get(path.removeprefix(f"{GROUP}/"))
        return None if items is None else {"items": items}

    def _change(self, method: str, name: str, body: Object | None) -> tuple[int, Object]:
        self.changes.append((method, name))
        self._left = self.pending
        if method == "DELETE":
            return (200, {}) if self.sets.pop(f"kube-system/{name}", None) else (404, {})
        made = copy.deepcopy(body or {})
        made["metadata"]["uid"] = f"uid-{name}"
        made["metadata"]["managedFields"] = [{"manager": "mlfleet.hyperpod", "operation": "Apply", "fieldsV1": fields_of({"spec": made["spec"]})}]
        pod = made["spec"]["template"]["spec"]
        pod["containers"][0]["image"] = self.mirror or pod["containers"][0]["image"]
        pod["containers"][0]["terminationMessagePath"] = "/dev/termination-log"  # as a default of the API server
        made["spec"]["template"]["spec"] = {field: value for field, value in pod.items() if value != []}
        made["spec"]["updateStrategy"]["rollingUpdate"] = {"maxUnavailable": 1}
        self.sets[f"kube-system/{name}"] = made
        return 200, made

    def _works(self, name: str, on: str) -> bool:
        return f"kube-system/{name}" in self.sets and self._left <= 0 and on not in self.stuck and on not in self.podless

    def _node(self, item: Object) -> Object:
        made = copy.deepcopy(item)
        name = made["metadata"]["name"]
        kind = made["metadata"]["labels"]["node.kubernetes.io/instance-type"]
        offered = {RESOURCES[each]: "8" for each in RESOURCES if self._works(each, name) and kind in self._types(each)}
        made["status"]["allocatable"] = {} if name in self.without_devices else offered
        return made

    def _types(self, name: str) -> list[str]:
        spec = self.ours(name)["spec"]["template"]["spec"]
        terms = spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
        return list(terms[0]["matchExpressions"][0]["values"])

    def _pods(self, name: str) -> t.Iterator[Object]:
        if f"kube-system/{name}" not in self.sets:
            return
        found = self.ours(name)
        for each in self.nodes:
            on = each["metadata"]["name"]
            if each["metadata"]["labels"]["node.kubernetes.io/instance-type"] in self._types(name) and on not in self.podless:
                yield self._pod(found, on, ready=self._works(name, on))

    def _pod(self, found: Object, on: str, *, ready: bool) -> Object:
        (container,) = found["spec"]["template"]["spec"]["containers"]
        owner = {"kind": "DaemonSet", "uid": found["metadata"]["uid"], "controller": True}
        marks = found["spec"]["template"]["metadata"]["annotations"]
        meta = {"name": f"{found['metadata']['name']}-{on}", "namespace": "kube-system", "ownerReferences": [owner], "annotations": marks}
        state = {"running": {}} if ready else self.waiting
        digest = {"imageID": f"registry.example.com/plugin@{DIGEST}"} if ready else {}
        statuses = [{"name": container["name"], "state": state, **digest}]
        status = {"phase": "Running", "conditions": READY if ready else [], "containerStatuses": statuses}
        return {"metadata": meta, "spec": {"nodeName": on, "containers": [container]}, "status": status}
