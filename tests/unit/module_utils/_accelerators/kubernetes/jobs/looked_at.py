# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An in-memory API server whose nodes are checked. A test sets the outcome of each pod by its node."""

from __future__ import annotations

import typing as t
import urllib.parse

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.jobs.model import Desired, Target
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.pod.answer import text_of

NAMESPACE = "looks"
SPACE = f"/api/v1/namespaces/{NAMESPACE}"
JOBS, MAPS, PODS = f"/apis/batch/v1/namespaces/{NAMESPACE}/jobs", f"{SPACE}/configmaps", f"{SPACE}/pods"
NOW = "2026-11-25T03:00:00Z"
FIT = {"verdict": "fit", "problems": []}
Object = dict[str, t.Any]


def iid(number: int) -> str:
    return f"i-{number:017x}"


def targets(*numbers: int) -> tuple[Target, ...]:
    options = {"instance_type": "ml.p5.48xlarge", "expected_gpus": 8, "expected_efa_devices": None, "expected_neuron_devices": None}
    return tuple(Target(iid(number), {**options, "instance_id": iid(number)}) for number in numbers)


def desired(*numbers: int, **more: t.Any) -> Desired:
    settings = {"profile": None, "dcgm": True, "timeout": 30}
    return Desired(**{"nodes": targets(*numbers), "settings": settings, "image": "python:3", "namespace": NAMESPACE, "batch": 2, "seconds": 60, **more})


def node(number: int, *, ready: str = "True", **meta: t.Any) -> Object:
    conditions = [{"type": "Ready", "status": ready, "reason": "KubeletSaysSo", "message": "no\nmore"}]
    return {"metadata": {"name": f"hyperpod-{iid(number)}", **meta}, "spec": {}, "status": {"conditions": conditions}}


def ended(reason: str = "Completed", message: str = "") -> Object:
    return {"terminated": {"reason": reason, "message": message}}


class LookedAt:
    """``said``: by number of the node, the log or the status of its pod, or None if no pod is created. Other nodes are fit."""

    def __init__(self, *numbers: int, **said: t.Any) -> None:
        self.nodes = [node(number) for number in numbers]
        self.others: list[Object] = []
        """Pods of others, in all namespaces."""
        self.said: dict[int, t.Any] = {int(name[1:]): each for name, each in said.items()}
        self.there: dict[str, Object] = {}
        self.refused: dict[tuple[str, str], list[int]] = {}
        """By method and end of the path: the HTTP statuses of the next replies, in order. 0 accepts the request."""
        self.asked: list[tuple[str, str]] = []
        self.at_once = 0
        """The most Jobs that existed at the same time."""

    def answer(self, method: str, target: str, body: Object | None) -> tuple[int, t.Any]:
        path, _mark, query = target.partition("?")
        self.asked.append((method, path))
        for (verb, end), statuses in self.refused.items():
            if method == verb and path.endswith(end) and statuses:
                status = statuses.pop(0)
                if status:
                    return status, {"message": f"{path} is refused"}
        if method == "GET" and path.endswith("/log"):
            return 200, self._log(path)
        if method == "POST":
            return self._create(path, body or {})
        if method == "DELETE":
            return (200, {}) if self.there.pop(path, None) else (404, {})
        if path in self.there:
            return 200, self.there[path]
        return self._listed(path, urllib.parse.parse_qs(query).get("labelSelector", [""])[0])

    def paths(self, kind: str) -> list[str]:
        return [path for path in self.there if path.startswith(kind)]

    def _create(self, path: str, body: Object) -> tuple[int, Object]:
        name = body["metadata"]["name"]
        if f"{path}/{name}" in self.there:
            return 409, {"message": f"{name} is there"}
        made = {**body, "metadata": {**body["metadata"], "uid": f"uid-{name}", "creationTimestamp": NOW}}
        self.there[f"{path}/{name}"] = made
        self.at_once = max(self.at_once, len(self.paths(JOBS)))
        return 201, made

    def _listed(self, path: str, selector: str) -> tuple[int, Object]:
        if path == "/api/v1/nodes":
            return 200, {"items": self.nodes}
        if path == "/api/v1/pods":
            return 200, {"items": self.others}
        if path not in (JOBS, MAPS, PODS):
            return 404, {"message": "not found"}
        label, _equals, value = selector.partition("=")
        items = [item for place, item in self.there.items() if place.rpartition("/")[0] == path]
        items += [self._pod(self.there[place]) for place in self.paths(JOBS) if self._outcome(self.there[place]) is not None] if path == PODS else []
        return 200, {"items": [item for item in items if item["metadata"]["labels"].get(label) == (value or item["metadata"]["labels"].get(label))]}

    def _number(self, job: Object) -> int:
        return int(job["spec"]["template"]["spec"]["nodeName"].rpartition("-")[2], 16)

    def _outcome(self, job: Object) -> t.Any:
        return self.said.get(self._number(job), text_of({"health": FIT})) if "spec" in job else None

    def _pod(self, job: Object) -> Object:
        outcome, meta = self._outcome(job), job["metadata"]
        owner = {"uid": meta["uid"], "controller": True}
        status = outcome if isinstance(outcome, dict) else {"phase": "Succeeded", "containerStatuses": [{"state": ended()}]}
        pod_meta = {"name": f"{meta['name']}-x", "labels": meta["labels"], "ownerReferences": [owner]}
        return {"metadata": pod_meta, "spec": job["spec"]["template"]["spec"], "status": status}

    def _log(self, path: str) -> str:
        job = self.there[f"{JOBS}/{path.split('/')[-2][:-2]}"]
        outcome = self._outcome(job)
        return outcome if isinstance(outcome, str) else str(outcome.get("log", ""))


def config_map(name: str, created: str, needed: str | None = "100") -> tuple[str, Object]:
    """A ConfigMap of an earlier run, by its path."""
    notes = {} if needed is None else {"mlfleet.hyperpod/needed-seconds": needed}
    meta = {"name": name, "creationTimestamp": created, "labels": {"mlfleet.hyperpod/look": "old"}, "annotations": notes}
    return f"{MAPS}/{name}", {"metadata": meta}
