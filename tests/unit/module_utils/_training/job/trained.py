# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An API server in memory with one training job: a test defines the status of each Pod."""

from __future__ import annotations

import typing as t
import urllib.parse

NAMESPACE = "mlfleet-training"
SPACE = f"/api/v1/namespaces/{NAMESPACE}"
MAPS, SERVICES, PODS = f"{SPACE}/configmaps", f"{SPACE}/services", f"{SPACE}/pods"
JOBS, PYTORCH = f"/apis/batch/v1/namespaces/{NAMESPACE}/jobs", f"/apis/kubeflow.org/v1/namespaces/{NAMESPACE}/pytorchjobs"
NOW = "2026-11-29T03:00:00Z"
LABEL = "mlfleet.hyperpod/training"
RUNNING = {"phase": "Running", "containerStatuses": [{"state": {"running": {}}}]}
UNSCHEDULED = {"type": "PodScheduled", "status": "False", "message": "0/3 nodes are available:\n1 Insufficient nvidia.com/gpu."}
WAITING = {"phase": "Pending", "conditions": [UNSCHEDULED]}
READ: dict[str, dict[str, t.Any]] = {
    "/api/v1/pods": {"items": []},
    "/api/v1/nodes": {
        "items": [
            {"metadata": {"name": name}, "status": {"conditions": [{"type": "Ready", "status": "True"}], "allocatable": {"nvidia.com/gpu": "8"}}}
            for name in "ab"
        ]
    },
    "/apis/kubeflow.org/v1": {"resources": [{"name": "pytorchjobs"}]},
    "/apis/batch/v1": {"resources": [{"name": "jobs"}]},
    "/apis/sagemaker.amazonaws.com/v1": {},
    "/apis/trainer.kubeflow.org/v1alpha1": {},
}
"""Answers that no test changes."""
STEP = '{"mlfleet_training": "step", "rank": 0, "step": 7, "loss": 3.25}\n'
Object = dict[str, t.Any]


def ended(code: int = 0, **more: t.Any) -> Object:
    state = {"terminated": {"exitCode": code, "reason": "Error" if code else "Completed"}}
    return {"phase": "Failed" if code else "Succeeded", "containerStatuses": [{"state": state}], **more}


class Trained:
    """``statuses``: of the Pods on the nodes a and b; None for a Pod that was not created. By default both have ended well."""

    def __init__(self, *statuses: Object | None) -> None:
        self.statuses: list[Object | None] = list(statuses or (ended(), ended()))
        self.nodes, self.owner = ["a", "b"], ""
        """Of the Pods; an empty owner is the job."""
        self.logs = ["first\n", "second\n"]
        self.drops: tuple[str, ...] = ()
        """Fields of a job's specification that the API server does not know."""
        self.there: dict[str, Object] = {f"/api/v1/namespaces/{NAMESPACE}": {"metadata": {"labels": {"app.kubernetes.io/managed-by": "mlfleet.hyperpod"}}}}
        self.refused: dict[tuple[str, str], list[int]] = {}
        """Statuses of answers to requests of a method whose target ends so, one after the other; 0 for one that is accepted."""
        self.requests: list[tuple[str, str]] = []

    @property
    def left(self) -> list[str]:
        return [path for path in self.there if path != f"/api/v1/namespaces/{NAMESPACE}"]

    def answer(self, method: str, target: str, body: Object | None) -> tuple[int, t.Any]:
        path, _mark, query = target.partition("?")
        self.requests.append((method, target))
        for (verb, end), statuses in self.refused.items():
            if method == verb and target.endswith(end) and statuses and (status := statuses.pop(0)):
                return status, {"message": "admission webhook: no"}
        if method == "POST":
            return self._create(path, body or {}, dry="dryRun=All" in query)
        if method == "DELETE":
            return (200, {}) if self.there.pop(path, None) else (404, {})
        if path in self.there:
            return 200, self.there[path]
        if path in READ:
            return 200, READ[path]
        if path.endswith("/log"):
            return 200, self.logs[int(path.split("/")[-2][-1])]
        return 200, {"items": self._labelled(path, urllib.parse.parse_qs(query)["labelSelector"][0])}

    def _create(self, path: str, body: Object, *, dry: bool) -> tuple[int, Object]:
        called = body["metadata"]["name"]
        made = {**body, "metadata": {**body["metadata"], "uid": f"uid-{called}", "creationTimestamp": NOW}}
        if "spec" in made:
            made["spec"] = {name: value for name, value in made["spec"].items() if name not in self.drops}
        if not dry:
            self.there[f"{path}/{called}"] = made
        return 201, made

    def _labelled(self, path: str, selector: str) -> list[Object]:
        label, _equals, value = selector.partition("=")
        items = [item for place, item in self.there.items() if place.rpartition("/")[0] == path]
        if path == PODS:
            items = self._pods()
        return [item for item in items if item["metadata"]["labels"].get(label, "") == (value or item["metadata"]["labels"].get(label))]

    def _pods(self) -> list[Object]:
        job = next((item for path, item in self.there.items() if path.startswith((JOBS, PYTORCH)) and "spec" in item), None)
        return [] if job is None else [self._pod(job, number, one) for number, one in enumerate(self.statuses) if one is not None]

    def _pod(self, job: Object, number: int, status: Object) -> Object:
        meta = {
            "name": f"{job['metadata']['name']}-worker-{number}",
            "labels": {LABEL: job["metadata"]["labels"][LABEL]},
            "ownerReferences": [{"uid": self.owner or job["metadata"]["uid"], "controller": True}],
        }
        where = {} if status.get("conditions") else {"nodeName": self.nodes[number]}
        return {"metadata": meta, "spec": {"containers": [], **where}, "status": status}
