# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An in-memory API server with one training job: the test defines the status of each Pod."""

from __future__ import annotations

import typing as t
import urllib.parse

NAMESPACE = "mlfleet-training"
SPACE = f"/api/v1/namespaces/{NAMESPACE}"
MAPS, SERVICES, SECRETS, PODS = (f"{SPACE}/{each}" for each in ("configmaps", "services", "secrets", "pods"))
JOBS, PYTORCH = f"/apis/batch/v1/namespaces/{NAMESPACE}/jobs", f"/apis/kubeflow.org/v1/namespaces/{NAMESPACE}/pytorchjobs"
LEASES = f"/apis/coordination.k8s.io/v1/namespaces/{NAMESPACE}/leases"
LEASE = f"{LEASES}/mlfleet-training"
CLASSES = "/apis/scheduling.k8s.io/v1/priorityclasses"
KUEUE = "/apis/kueue.x-k8s.io"
OF_JOBS = (
    *(JOBS, PYTORCH, f"/apis/sagemaker.amazonaws.com/v1/namespaces/{NAMESPACE}/hyperpodpytorchjobs"),
    f"/apis/trainer.kubeflow.org/v1alpha1/namespaces/{NAMESPACE}/trainjobs",
)
NOW = "2026-11-29T03:00:00Z"
CLAIM = f"{SPACE}/persistentvolumeclaims/fsx"
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
"""Answers that no test overrides."""
STEP = '{"mlfleet_training": "step", "rank": 0, "step": 7, "loss": 3.25}\n'
Object = dict[str, t.Any]


def ended(code: int = 0, **more: t.Any) -> Object:
    state = {"terminated": {"exitCode": code, "reason": "Error" if code else "Completed"}}
    return {"phase": "Failed" if code else "Succeeded", "containerStatuses": [{"state": state}], **more}


def with_image(status: Object, image: str, **of_container: t.Any) -> Object:
    """A status whose container has an image ID."""
    (container,) = status["containerStatuses"]
    return {**status, "containerStatuses": [{**container, "name": "pytorch", "imageID": image, **of_container}]}


def _owned(item: Object, owner: Object) -> bool:
    return any(owner.items() <= each.items() for each in item.get("metadata", {}).get("ownerReferences", ()))


class Trained:
    """``statuses`` of the Pods on the nodes a and b; None for a Pod that was not created. By default both have succeeded."""

    def __init__(self, *statuses: Object | None) -> None:
        self.statuses: list[Object | None] = list(statuses or (ended(), ended()))
        self.nodes, self.owner = ["a", "b"], ""
        """Nodes and owner of the Pods; an empty owner means the job."""
        self.logs = ["first\n", "second\n"]
        self.drops: tuple[str, ...] = ()
        """Fields of a job's specification that the API server does not know."""
        self.there: dict[str, Object] = {f"/api/v1/namespaces/{NAMESPACE}": {"metadata": {"labels": {"app.kubernetes.io/managed-by": "mlfleet.hyperpod"}}}}
        self.refused: dict[tuple[str, str], list[int]] = {}
        """Statuses of answers by method and end of the target, in order; 0 for an accepted request."""
        self.message = "admission webhook: no"
        """The message of these answers."""
        self.requests: list[tuple[str, str]] = []
        self.turns: list[t.Callable[[Trained], None]] = []
        """The events before each listing of the job's Pods, in order."""
        self.lives = [0, 0]
        """How often each Pod was replaced by another one with its name."""
        self.previous: dict[int, str] = {}
        """Logs of containers before their restart, by Pod."""
        self.read: dict[str, Object] = {}
        """Further answers."""
        self.events: list[Object] = []
        self.cut, self.changes = 0, 0
        """The number of the POST or DELETE at which the connection breaks, and the number of requests so far."""
        self.cut_after = False
        """The broken request takes effect; with ``dead``, no later request is answered."""
        self.dead = False
        self.killed: t.Callable[[], None] | None = None
        """Kills the run instead of breaking its connection."""
        self.queued = ""
        """The message with which Kueue does not admit the job; empty for a cluster without Kueue."""
        self.now = NOW
        """Time of the API server."""
        self.version = 0
        """The newest resourceVersion."""

    @property
    def left(self) -> list[str]:
        """All objects except the namespace and the claim."""
        return [path for path in self.there if path not in (f"/api/v1/namespaces/{NAMESPACE}", CLAIM)]

    def answer(self, method: str, target: str, body: Object | None) -> tuple[int, t.Any]:
        """:raises ConnectionError: for a broken connection."""
        self.changes += method != "GET"
        broken = self.cut == self.changes and method != "GET"
        if (broken and not self.cut_after) or (self.dead and 0 < self.cut < self.changes):
            raise ConnectionError
        found = self._answer(method, target, body)
        if broken and self.killed:
            self.killed()
        if broken:
            raise ConnectionError
        return found

    def _answer(self, method: str, target: str, body: Object | None) -> tuple[int, t.Any]:
        path, _mark, query = target.partition("?")
        self.requests.append((method, target))
        for (verb, end), statuses in self.refused.items():
            if method == verb and target.endswith(end) and statuses and (status := statuses.pop(0)):
                return status, {"message": self.message}
        if method != "GET":
            return self._change(method, path, body or {}, dry="dryRun=All" in query)
        if path in self.there:
            return 200, self.there[path]
        if path in self.read or path in READ:
            return 200, self.read.get(path) or READ[path]
        if path.startswith(KUEUE):
            return self._kueue(path)
        if path.endswith("/log"):
            return self._log(int(path.split("/")[-2][-1]), previous="previous=true" in query)
        if path.endswith("/events"):
            return 200, {"items": self._events(urllib.parse.parse_qs(query)["fieldSelector"][0])}
        selected = urllib.parse.parse_qs(query).get("labelSelector")
        return (200, {"items": self._labelled(path, selected[0])}) if selected else (404, {"message": "not found"})

    def event(self, uid: str, reason: str, message: str, when: str = NOW) -> None:
        """:param uid: of the object, with ``{job}`` for the name of the job."""
        self.events.append({"uid": uid, "reason": reason, "message": message, "lastTimestamp": when})

    def _kueue(self, path: str) -> tuple[int, Object]:
        pending = {"type": "QuotaReserved", "status": "False", "reason": "Pending", "message": self.queued}
        answers: dict[str, Object] = {
            KUEUE: {"versions": [{"version": "v1beta1"}]},
            f"{KUEUE}/v1beta1": {"resources": [{"name": "workloads"}]},
        }
        if path.endswith("/workloads"):
            meta = {"name": "w", "ownerReferences": [{"uid": self._job["metadata"]["uid"]}]}
            answers[path] = {"items": [{"metadata": meta, "status": {"conditions": [pending]}}]}
        return (200, answers[path]) if self.queued else (404, {})

    def _log(self, pod: int, *, previous: bool) -> tuple[int, t.Any]:
        if previous:
            return (200, self.previous[pod]) if pod in self.previous else (400, {"message": "previous terminated container not found"})
        return 200, self.logs[pod]

    def _events(self, selector: str) -> list[Object]:
        return [each for each in self.events if f"involvedObject.uid={each['uid'].format(job=self._job['metadata']['name'])}" == selector]

    @property
    def _job(self) -> t.Any:
        """The job; None without one."""
        return next((item for path, item in self.there.items() if path.startswith(OF_JOBS) and "spec" in item), None)

    def _change(self, method: str, path: str, body: Object, *, dry: bool) -> tuple[int, Object]:
        if method == "DELETE":
            return self._delete(path, body)
        if method == "PATCH":
            return self._merge(path, body)
        called = body["metadata"]["name"]
        if f"/namespaces/{NAMESPACE}/" in path and SPACE not in self.there:
            return 404, {"message": f'namespaces "{NAMESPACE}" not found'}
        if f"{path}/{called}" in self.there:
            return 409, {"message": "already exists"}
        meta = {"uid": f"uid-{called}", "resourceVersion": self._next(), "creationTimestamp": self.now}
        made = {**body, "metadata": {**body["metadata"], **meta}}
        if "spec" in made:
            made["spec"] = {name: value for name, value in made["spec"].items() if name not in self.drops}
        if not dry:
            self.there[f"{path}/{called}"] = made
        return 201, made

    def _next(self) -> str:
        self.version += 1
        return str(self.version)

    def _merge(self, path: str, body: Object) -> tuple[int, Object]:
        """Change metadata and specification of an object, unless it has another version."""
        found = self.there.get(path)
        if found is None:
            return 404, {"message": "not found"}
        if body["metadata"]["resourceVersion"] != found["metadata"]["resourceVersion"]:
            return 409, {"message": "the object has been modified"}
        metadata = {**found["metadata"], **body["metadata"], "resourceVersion": self._next()}
        self.there[path] = {**found, "metadata": metadata, "spec": {**found["spec"], **body["spec"]}}
        return 200, self.there[path]

    def _delete(self, path: str, options: Object) -> tuple[int, Object]:
        """Delete an object, and the Secrets that a ConfigMap owns."""
        gone = self.there.get(path)
        if gone is None:
            return 404, {}
        if not options.get("preconditions", {}).items() <= gone["metadata"].items():
            return 409, {"message": "the precondition does not hold"}
        del self.there[path]
        owner = {"kind": "ConfigMap", "uid": gone["metadata"].get("uid")}
        owned = [each for each, item in self.there.items() if path.startswith(MAPS) and _owned(item, owner)]
        for each in owned:
            del self.there[each]
        return 200, {}

    def _labelled(self, path: str, selector: str) -> list[Object]:
        first, _comma, more = selector.partition(",")
        if more:
            label, _equals, value = more.partition("=")
            return [item for item in self._labelled(path, first) if item["metadata"]["labels"].get(label) == value]
        label, _equals, value = selector.partition("=")
        items = [item for place, item in self.there.items() if place.rpartition("/")[0] == path]
        if path == PODS:
            items = self._pods()
        return [item for item in items if item["metadata"]["labels"].get(label, "") == (value or item["metadata"]["labels"].get(label))]

    def _pods(self) -> list[Object]:
        job = self._job
        if job is not None and self.turns:
            self.turns.pop(0)(self)
        return [] if job is None else [self._pod(job, number, one) for number, one in enumerate(self.statuses) if one is not None]

    def _pod(self, job: Object, number: int, status: Object) -> Object:
        meta = {
            "name": f"{job['metadata']['name']}-worker-{number}",
            "uid": f"uid-{job['metadata']['name']}-worker-{number}-{self.lives[number]}",
            "labels": {LABEL: job["metadata"]["labels"][LABEL]},
            "ownerReferences": [{"uid": self.owner or job["metadata"]["uid"], "controller": True}],
        }
        unscheduled = any(each["type"] == "PodScheduled" for each in status.get("conditions") or ())
        where = {} if unscheduled else {"nodeName": self.nodes[number]}
        return {"metadata": meta, "spec": {"containers": [], **where}, "status": status}
