# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An in-memory API server with Kueue's objects, which changes from read to read as the test declares."""

from __future__ import annotations

import re
import typing as t
import urllib.parse

from .jobs import LEVELS, NODES, QUEUE, SPACE, UID

Object = dict[str, t.Any]
KUEUE, SYSTEM = "/apis/kueue.x-k8s.io", "/namespaces/kueue-system"
FILE, MANAGER = f"/api/v1{SYSTEM}/configmaps/kueue-manager-config", f"/apis/apps/v1{SYSTEM}/deployments/kueue-controller-manager"
SETTINGS = "integrations: {frameworks: [batch/job, jobset.x-k8s.io/jobset]}"
IMAGE = "registry.k8s.io/kueue/kueue:v0.19.2"
HOST = "kubernetes.io/hostname"
LISTED = ("localqueues", "workloadpriorityclasses", "workloads", "pods", "nodes", "events")
KINDS = {"batch/v1": ["jobs"], "kubeflow.org/v1": ["pytorchjobs"]}


class World:
    """``turns``: the events before each read of the job once it exists; the last one repeats."""

    def __init__(self, version: str = "v1beta2") -> None:
        self.version = version
        self.kinds = dict(KINDS)
        """The kinds of jobs that are served, by version."""
        self.objects: dict[str, Object] = {}
        self.turns: list[t.Callable[[World], None]] = []
        self.refusing: dict[str, list[int]] = {}
        """Statuses of refusals by prefix of method and path, in order."""
        self.changes: list[tuple[str, str]] = []
        self.deleting: Object = {}
        self._set_up()

    def _set_up(self) -> None:
        self.put(f"/api/v1/namespaces/{SPACE}", {})
        self.put(FILE, {"data": {"controller_manager_config.yaml": SETTINGS}})
        template = {"spec": {"containers": [{"name": "manager", "image": IMAGE}]}}
        self.put(MANAGER, {"spec": {"template": template}})
        self.put(self.kueue("localqueues", QUEUE, SPACE), {"spec": {"clusterQueue": "all"}})
        self.put(self.kueue("clusterqueues", "all"), {"spec": {"resourceGroups": [{"flavors": [{"name": "gpus"}]}]}})
        self.put(self.kueue("resourceflavors", "gpus"), {"spec": {"topologyName": "nodes"}})
        self.put(self.kueue("topologies", "nodes"), {"spec": {"levels": [{"nodeLabel": each} for each in LEVELS]}})
        self.put(self.kueue("workloadpriorityclasses", "high-priority"), {})
        for name, labels in NODES.items():
            self.put(f"/api/v1/nodes/{name}", {"metadata": {"labels": labels}})

    def kueue(self, plural: str, name: str, namespace: str = "") -> str:
        inside = f"/namespaces/{namespace}" if namespace else ""
        return f"{KUEUE}/{self.version}{inside}/{plural}/{name}"

    def put(self, path: str, item: Object) -> None:
        inside = re.search("/namespaces/([^/]+)/", path)
        meta = {"name": path.rpartition("/")[2], **({"namespace": inside[1]} if inside else {}), **item.get("metadata", {})}
        self.objects[path] = {**item, "metadata": meta}

    # -- events -------------------------------------------------------------------------------------------------------------

    def workload(self, *conditions: Object, nodes: t.Sequence[str] = (), **spec: t.Any) -> None:
        """Put a Workload with conditions, and an assignment to nodes by name."""
        status: Object = {"conditions": list(conditions)}
        if nodes:
            assignment = {"name": "main", "count": len(nodes), "flavors": {"nvidia.com/gpu": "gpus"}, "topologyAssignment": self._assigned(nodes)}
            status["admission"] = {"podSetAssignments": [assignment]}
        meta = {"labels": {"kueue.x-k8s.io/job-uid": UID}}
        self.put(self.kueue("workloads", "job-mnist", SPACE), {"metadata": meta, "spec": spec, "status": status})

    def _assigned(self, nodes: t.Sequence[str]) -> Object:
        if self.version == "v1beta1":
            return {"levels": [HOST], "domains": [{"values": [each], "count": 1} for each in nodes]}
        roots = [each.removeprefix("n") for each in nodes]
        values = [{"individual": {"prefix": "n", "roots": roots}}]
        return {"levels": [HOST], "slices": [{"domainCount": len(nodes), "valuesPerLevel": values, "podCounts": {"universal": 1}}]}

    def admit(self, *nodes: str) -> None:
        self.workload({"type": "Admitted", "status": "True"}, nodes=nodes)

    def run(self, *nodes: str) -> None:
        for number, name in enumerate(nodes):
            meta = {"ownerReferences": [{"uid": UID}], "labels": {"job-name": "mnist"}}
            body = {"metadata": meta, "spec": {"nodeName": name}, "status": {"phase": "Running"}}
            self.put(f"/api/v1/namespaces/{SPACE}/pods/mnist-{number}", body)

    def event(self, message: str, uid: str = UID) -> None:
        about = {"involvedObject": {"uid": uid}, "reason": "FailedCreate", "message": message}
        self.put(f"/api/v1/namespaces/{SPACE}/events/{len(self.objects)}", about)

    def end(self, kind: str = "Complete", reason: str = "") -> None:
        self.objects[self.job_path]["status"] = {"conditions": [{"type": kind, "status": "True", "reason": reason}]}

    @property
    def job_path(self) -> str:
        return f"/apis/batch/v1/namespaces/{SPACE}/jobs/mnist"

    # -- answers ------------------------------------------------------------------------------------------------------------

    def answer(self, method: str, target: str, body: Object | None) -> tuple[int, Object]:
        path, _mark, query = target.partition("?")
        if method == "GET" and path == self.job_path and path in self.objects and self.turns:
            (self.turns.pop(0) if len(self.turns) > 1 else self.turns[0])(self)
        if method != "GET":
            self.changes.append((method, path))
        for begin, statuses in self.refusing.items():
            if f"{method} {path}".startswith(begin) and statuses:
                return statuses.pop(0), {"message": "not today"}
        if method == "POST":
            made = f"{path}/{(body or {})['metadata']['name']}"
            if made in self.objects:
                return 409, {"message": "already exists"}
            self.put(made, {**(body or {}), "metadata": {**(body or {})["metadata"], "uid": UID}})
            return 201, self.objects[made]
        if method == "DELETE":
            self.deleting = body or {}
            return (200, {}) if self.objects.pop(path, None) else (404, {"message": "not found"})
        return self._read(path, query)

    def _read(self, path: str, query: str) -> tuple[int, Object]:
        if path in self.objects:
            return 200, self.objects[path]
        if path == KUEUE:
            return 200, {"versions": [{"version": each} for each in ("v1beta1", "v1beta2") if each <= self.version]}
        if path == f"{KUEUE}/{self.version}":
            plurals = {place.split("/")[-2] for place in self.objects if place.startswith(path)} | {"workloads"}
            return 200, {"resources": [{"name": each} for each in plurals]}
        if path.removeprefix("/apis/") in self.kinds:
            return 200, {"resources": [{"name": each} for each in self.kinds[path.removeprefix("/apis/")]]}
        if path.rpartition("/")[2] in (*LISTED, *(each for plurals in self.kinds.values() for each in plurals)):
            items = [item for place, item in self.objects.items() if path in (place.rpartition("/")[0], everywhere(place))]
            field = urllib.parse.parse_qs(query).get("fieldSelector", [""])[0].partition("=")
            if field[0] == "involvedObject.uid":
                items = [each for each in items if each["involvedObject"]["uid"] == field[2]]
            label = urllib.parse.parse_qs(query).get("labelSelector", [""])[0].partition("=")
            if label[0]:
                items = [each for each in items if (each["metadata"].get("labels") or {}).get(label[0]) == label[2]]
            return 200, {"items": items}
        return 404, {"message": "not found"}


def everywhere(place: str) -> str:
    """The path that lists the objects of all namespaces."""
    return re.sub("/namespaces/[^/]+/([^/]+)/[^/]+$", r"/\1", place)
