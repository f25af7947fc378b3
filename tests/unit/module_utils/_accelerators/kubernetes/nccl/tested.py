# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An in-memory API server whose nodes run NCCL tests. A test sets the outcome of each pod by its node."""

from __future__ import annotations

import typing as t
import urllib.parse

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.nccl.model import Desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.nccl.model import Desired as Test
from lab.accelerators.nccl import AllReduce

NAMESPACE = "tests"
SPACE = f"/api/v1/namespaces/{NAMESPACE}"
JOBS, SERVICES, PODS = f"/apis/batch/v1/namespaces/{NAMESPACE}/jobs", f"{SPACE}/services", f"{SPACE}/pods"
NOW = "2026-11-25T03:00:00Z"
LABEL = "mlfleet.hyperpod/nccl-test"
WELL = AllReduce(label=False).text()
RUNNING = {"phase": "Running", "containerStatuses": [{"state": {"running": {}}}]}
UNSCHEDULED = {"type": "PodScheduled", "status": "False", "message": "0/3 nodes are available:\n1 Insufficient nvidia.com/gpu."}
WAITING = {"phase": "Pending", "conditions": [UNSCHEDULED]}
Object = dict[str, t.Any]


def iid(number: int) -> str:
    return f"i-{number:017x}"


def name(number: int) -> str:
    return f"hyperpod-{iid(number)}"


def desired(*numbers: int, **more: t.Any) -> Desired:
    ids = tuple(iid(number) for number in numbers or (1, 2))
    test = Test(addresses=ids, instance_type="ml.p5.48xlarge", gpus=8, bytes=4 * 2**30, mpi="", timeout=600)
    return Desired(**{"test": test, "image": "pytorch:2", "namespace": NAMESPACE, "queue_timeout": 60, "start_timeout": 900, **more})


def node(number: int, *, ready: str = "True", unschedulable: bool = False, **offers: str) -> Object:
    """:param offers: Allocatable resources that differ: ``gpu``, ``efa`` and ``pages``."""
    allocated = {"gpu": "8", "efa": "32", "pages": "10256Mi", **offers}
    allocatable = {"nvidia.com/gpu": allocated["gpu"], "vpc.amazonaws.com/efa": allocated["efa"], "hugepages-2Mi": allocated["pages"]}
    conditions = [{"type": "Ready", "status": ready, "reason": "KubeletSaysSo", "message": "no\nmore"}]
    spec = {"unschedulable": True} if unschedulable else {}
    return {"metadata": {"name": name(number)}, "spec": spec, "status": {"conditions": conditions, "allocatable": allocatable}}


def working(number: int, **status: t.Any) -> Object:
    """A running pod of others."""
    container = {"name": "a", "resources": {"limits": {"nvidia.com/gpu": "8"}}}
    meta = {"name": "train-0", "namespace": "research"}
    return {"metadata": meta, "spec": {"nodeName": name(number), "containers": [container]}, "status": {"phase": "Running", **status}}


def ended(code: int = 0, **more: t.Any) -> Object:
    state = {"terminated": {"exitCode": code, "reason": "Error" if code else "Completed"}}
    return {"phase": "Failed" if code else "Succeeded", "containerStatuses": [{"state": state}], **more}


class Measured:
    """``said``: by number of the node, the status of its pod, or None if no pod is created. Other pods have succeeded."""

    def __init__(self, *numbers: int, **said: t.Any) -> None:
        self.nodes = [node(number) for number in numbers or (1, 2)]
        self.others: list[Object] = []
        """Pods of others, in all namespaces."""
        self.said: dict[int, t.Any] = {int(key[1:]): each for key, each in said.items()}
        self.logs: dict[int, str] = {1: WELL}
        self.there: dict[str, Object] = {}
        self.leaving: list[Object] = []
        """Pods that remain after their Job is deleted."""
        self.refused: dict[tuple[str, str], list[int]] = {}
        """By method and end of the path: the HTTP statuses of the next replies, in order. 0 accepts the request."""
        self.asked: list[tuple[str, str]] = []
        self.made: list[Object] = []

    def answer(self, method: str, target: str, body: Object | None) -> tuple[int, t.Any]:
        path, _mark, query = target.partition("?")
        self.asked.append((method, path))
        for (verb, end), statuses in self.refused.items():
            if method == verb and path.endswith(end) and statuses:
                status = statuses.pop(0)
                if status:
                    return status, {"message": f"{path} is refused"}
        if method == "POST":
            return self._create(path, body or {})
        if method == "DELETE":
            return (200, {}) if self.there.pop(path, None) else (404, {})
        if path == SPACE:
            return (200, self.there[path]) if path in self.there else (404, {})
        if path.endswith("/log"):
            return 200, self.logs.get(self._number(self.there[f"{JOBS}/{path.split('/')[-2][:-2]}"]), "")
        items = {"/api/v1/nodes": self.nodes, "/api/v1/pods": self.others}.get(path)
        if items is not None:
            return 200, {"items": items}
        return 200, {"items": self._labelled(path, urllib.parse.parse_qs(query)["labelSelector"][0])}

    def _create(self, path: str, body: Object) -> tuple[int, Object]:
        called = body["metadata"]["name"]
        made = {**body, "metadata": {**body["metadata"], "uid": f"uid-{called}", "creationTimestamp": NOW}}
        self.there[f"{path}/{called}"] = made
        self.made.append(made)
        return 201, made

    def _labelled(self, path: str, selector: str) -> list[Object]:
        label, _equals, value = selector.partition("=")
        items = [item for place, item in self.there.items() if place.rpartition("/")[0] == path]
        if path == PODS:
            jobs = [item for place, item in self.there.items() if place.startswith(JOBS) and "template" in item["spec"]]
            items = [*items, *self.leaving, *(self._pod(each) for each in jobs if self._status(each) is not None)]
        return [item for item in items if item["metadata"]["labels"].get(label, "") == (value or item["metadata"]["labels"].get(label))]

    @staticmethod
    def _number(job: Object) -> int:
        terms = job["spec"]["template"]["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
        return int(terms["nodeSelectorTerms"][0]["matchFields"][0]["values"][0].rpartition("-")[2], 16)

    def _status(self, job: Object) -> Object | None:
        found: Object | None = self.said.get(self._number(job), ended())
        return found

    def _pod(self, job: Object) -> Object:
        meta, status = job["metadata"], self._status(job) or {}
        where = {} if status.get("conditions") else {"nodeName": name(self._number(job))}
        owner = {"uid": meta["uid"], "controller": True}
        pod_meta = {"name": f"{meta['name']}-x", "labels": meta["labels"], "ownerReferences": [owner]}
        return {"metadata": pod_meta, "spec": {**job["spec"]["template"]["spec"], **where}, "status": status}


def old_job(called: str, created: str, needed: str) -> tuple[str, Object]:
    """A Job of an earlier test, by its path."""
    meta = {"name": called, "creationTimestamp": created, "labels": {LABEL: "old"}, "annotations": {"mlfleet.hyperpod/needed-seconds": needed}}
    return f"{JOBS}/{called}", {"metadata": meta, "spec": {}}
