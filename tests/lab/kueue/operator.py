# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Follows a script: creates Workloads for jobs in a queue, and runs the scripted steps of each job."""

from __future__ import annotations

import fnmatch
import json
import tempfile
import threading
import time
import traceback
import typing as t
from pathlib import Path

from lab.kubernetes import definitions
from lab.kubernetes.api import Api, ApiError, Object

from . import objects
from .admission import OF_TEAMS
from .objects import FLAVOR, KINDS, QUEUE, Kind
from .script import Admits, Deactivates, Ends, Evicts, Moves, NextJob, Pauses, Step, Waits

GPU = "nvidia.com/gpu"
EVERY_SECONDS = 0.2
DEFINITIONS = Path(__file__).with_name("definitions.yml")
GROUP, SYSTEM = "/apis/kueue.x-k8s.io", "kueue-system"
DEPLOYMENTS = f"/apis/apps/v1/namespaces/{SYSTEM}/deployments"
FRAMEWORKS = ("batch/job", "kubeflow.org/pytorchjob", "HyperPodPyTorchJob.v1.sagemaker.amazonaws.com")
FILE, MANAGER, IMAGE = "kueue-manager-config", "kueue-controller-manager", "registry.k8s.io/kueue/kueue"
REQUEUED_AT_ONCE = ("Preempted", "AdmissionCheck", "NodeFailures")


class Kueue:
    """``script``: steps by name of the job, or by a pattern such as ``training-*``; a step runs once, and its effect stays. Changes of
    the script apply at once.
    """

    def __init__(self, api: Api) -> None:
        self.api = api
        self.version = "v1beta2"
        self.script: dict[str, list[Step]] = {}
        self._until: dict[str, float] = {}
        self._before: dict[str, str] = {}
        self._turn = threading.Lock()
        self._ended = threading.Event()

    def start(self, version: str, levels: t.Sequence[str], *, release: str = "v0.19.2", frameworks: t.Sequence[str] = FRAMEWORKS) -> None:
        """Start with the visible objects of Kueue, a Topology, a flavor, and a ClusterQueue."""
        self.install(version, release=release, frameworks=frameworks)
        self.put("topologies", "Topology", "nodes", {"levels": [{"nodeLabel": each} for each in levels]})
        self.put("resourceflavors", "ResourceFlavor", FLAVOR, {"topologyName": "nodes"})
        flavor = {"name": FLAVOR, "resources": [{"name": GPU, "nominalQuota": "1000"}]}
        self.put("clusterqueues", "ClusterQueue", "all", {"resourceGroups": [{"coveredResources": [GPU], "flavors": [flavor]}]})
        self.put("workloadpriorityclasses", "WorkloadPriorityClass", "high-priority", value=80)
        threading.Thread(target=self._follow, daemon=True).start()

    def install(self, version: str, *, release: str = "v0.19.2", frameworks: t.Sequence[str] = FRAMEWORKS) -> None:
        """Create the definitions in one version, the configuration, and the manager, which is available without pods."""
        self._define(version)
        self.space(SYSTEM)
        self.configure(frameworks)
        labels = {"control-plane": "controller-manager"}
        pod = {"containers": [{"name": "manager", "image": f"{IMAGE}:{release}"}]}
        spec = {"replicas": 0, "selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": pod}}
        self._make(DEPLOYMENTS, {"metadata": {"name": MANAGER}, "spec": spec})

    def uninstall(self) -> None:
        """Remove the manager; definitions stay, as after Helm."""
        self.delete(f"{DEPLOYMENTS}/{MANAGER}")

    def configure(self, frameworks: t.Sequence[str], gates: t.Mapping[str, bool] | None = None) -> None:
        """Set the managed kinds and feature gates in the configuration; this stand-in always manages all kinds and ignores gates."""
        own = [each for each in frameworks if "/" in each]
        outside = [each for each in frameworks if "/" not in each]
        text = "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
        text += f"integrations: {{frameworks: {_listed(own)}, externalFrameworks: {_listed(outside)}}}\n"
        text += f"featureGates: {json.dumps(dict(gates))}\n" if gates else ""
        content = {"metadata": {"name": FILE}, "data": {"controller_manager_config.yaml": text}}
        path = f"/api/v1/namespaces/{SYSTEM}/configmaps"
        self._make(path, content)
        self.api.merge(f"{path}/{FILE}", {"data": content["data"]})

    def team(self, namespace: str, queue: str) -> None:
        """Create a namespace with a LocalQueue, as task governance does for a compute allocation."""
        self.space(namespace, OF_TEAMS)
        self.put("localqueues", "LocalQueue", queue, {"clusterQueue": "all"}, namespace)

    def space(self, name: str, labels: t.Mapping[str, str] | None = None) -> None:
        self._make("/api/v1/namespaces", {"metadata": {"name": name, "labels": dict(labels or {})}})

    def delete(self, path: str) -> None:
        """Delete an object, if it exists."""
        _ignore_missing(lambda: self.api.delete(path))

    def put(self, plural: str, kind: str, name: str, spec: Object | None = None, namespace: str = "", **more: t.Any) -> None:
        body: Object = {"apiVersion": f"kueue.x-k8s.io/{self.version}", "kind": kind, "metadata": {"name": name}}
        self._make(self.path(plural, namespace), {**body, **({"spec": spec} if spec else {}), **more})

    def path(self, plural: str, namespace: str = "") -> str:
        return f"{GROUP}/{self.version}{f'/namespaces/{namespace}' if namespace else ''}/{plural}"

    def stop(self) -> None:
        self._ended.set()

    def restart(self, version: str, levels: t.Sequence[str], **given: t.Any) -> None:
        """Restart as another release of Kueue, without any of the old objects."""
        self._ended.set()
        with self._turn:
            for each in definitions.chosen(DEFINITIONS):
                path = f"{definitions.PATH}/{each['metadata']['name']}"
                _ignore_missing(lambda path=path: self.api.delete(path))
                while _exists(lambda path=path: self.api.get(path)):
                    time.sleep(0.1)
            self.script.clear()
            self._ended = threading.Event()
        self.start(version, levels, **given)

    def _define(self, version: str) -> None:
        self.version = version
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "definitions.yml")
            file.write_text(DEFINITIONS.read_text("utf-8").replace("v1beta2", version), "utf-8")
            definitions.define(self.api, file, version=version)

    def _make(self, path: str, body: Object) -> None:
        try:
            self.api.create(path, body)
        except ApiError as error:
            if error.status != 409:
                raise

    # -- turns --------------------------------------------------------------------------------------------------------------

    def _follow(self) -> None:
        ended = self._ended
        while not ended.wait(EVERY_SECONDS):
            try:
                with self._turn:
                    if not ended.is_set():
                        self.turn()
            except Exception:  # the next turn retries; the traceback helps tests that wait for it
                if not ended.is_set():
                    traceback.print_exc()

    def turn(self) -> None:
        for kind in KINDS:
            for item in self.api.get(kind.path)["items"]:
                meta = item["metadata"]
                if QUEUE in (meta.get("labels") or {}) and "deletionTimestamp" not in meta:
                    self._reconcile(kind, item)

    def _reconcile(self, kind: Kind, item: Object) -> None:
        made = objects.workload(self.version, kind, item)
        path = self.path("workloads", item["metadata"]["namespace"])
        self._make(path, made)
        name = item["metadata"]["name"]
        steps = next((steps for pattern, steps in self.script.items() if fnmatch.fnmatchcase(name, pattern)), [])
        if not steps or time.monotonic() < self._until.get(name, 0.0):
            return
        step = steps[0]
        if isinstance(step, NextJob):
            if self._before.setdefault(name, item["metadata"]["uid"]) == item["metadata"]["uid"]:
                return
            del self._before[name]
        elif isinstance(step, Pauses):
            self._until[name] = time.monotonic() + step.seconds
        else:
            self._do(step, kind, item, f"{path}/{made['metadata']['name']}")
        steps.pop(0)  # a failed step is retried

    def _do(self, step: Step, kind: Kind, item: Object, workload: str) -> None:
        if isinstance(step, Waits):
            self._set_conditions(workload, QuotaReserved=("False", step.reason, step.message))
        elif isinstance(step, Admits):
            self.api.merge(f"{workload}/status", {"status": {"admission": objects.admission(self.version, step.assigned)}})
            conditions = {"QuotaReserved": ("True", "QuotaReserved", ""), "Admitted": ("True", "Admitted", "")}
            self._set_conditions(workload, **conditions, **self._reset(workload))
            for podset, nodes in step.assigned.items():
                for number, node in enumerate(step.at.get(podset, nodes)):
                    self._pod(kind, item, podset, number, node, workload)
        elif isinstance(step, Moves):
            self._remove_pods(kind, item, f"{item['metadata']['name']}-{step.podset}-{step.number}")
            self._pod(kind, item, step.podset, step.number, step.node, workload)
        elif isinstance(step, (Evicts, Deactivates)):
            self._evict(step, kind, item, workload)
        elif isinstance(step, Ends):
            self._end(step, kind, item)

    def _pod(self, kind: Kind, item: Object, podset: str, number: int, node: str, workload: str) -> None:
        body, space = objects.pod(kind, item, podset, number, node, workload.rpartition("/")[2]), item["metadata"]["namespace"]
        try:
            self._make(f"/api/v1/namespaces/{space}/pods", body)
        except ApiError as error:
            if error.status != 403 or "admission webhook" not in str(error):
                raise
            self._make(f"/api/v1/namespaces/{space}/events", objects.failed_create(kind, item, body["metadata"]["name"], str(error)))

    def _evict(self, step: Evicts | Deactivates, kind: Kind, item: Object, workload: str) -> None:
        reason = step.reason if isinstance(step, Evicts) else "Deactivated"
        if isinstance(step, Deactivates):
            self.api.merge(workload, {"spec": {"active": False}})
        cause = (reason, step.message)
        waits = {"QuotaReserved": ("False", "Pending", step.message), "Admitted": ("False", "NoReservation", "")}
        self._set_conditions(workload, Evicted=("True", *cause), Requeued=(str(reason in REQUEUED_AT_ONCE), *cause), **waits)
        self.api.merge(f"{workload}/status", {"status": {"admission": None}})
        self._remove_pods(kind, item)

    def _reset(self, workload: str) -> dict[str, tuple[str, str, str]]:
        """Reset conditions on admission: the message of an eviction stays, its reason does not."""
        for each in (self.api.get(workload).get("status") or {}).get("conditions") or ():
            if (each["type"], each["status"]) == ("Evicted", "True"):
                return {"Evicted": ("False", "QuotaReserved", f"Previously: {each['message']}")}
        return {}

    def _remove_pods(self, kind: Kind, item: Object, only: str = "") -> None:
        """Delete pods at once, without kubelets, because the next step may reuse their names."""
        path = f"/api/v1/namespaces/{item['metadata']['namespace']}/pods"
        for each in self.api.get(path)["items"]:
            owners = [owner["uid"] for owner in each["metadata"].get("ownerReferences") or ()]
            if item["metadata"]["uid"] in owners and only in ("", each["metadata"]["name"]):
                place = f"{path}/{each['metadata']['name']}"
                _ignore_missing(lambda place=place: self.api.delete(place, {"gracePeriodSeconds": 0}))

    def _end(self, step: Ends, kind: Kind, item: Object) -> None:
        condition = kind.ends if step.condition == "Succeeded" else step.condition
        self.api.merge(f"{kind.of(item)}/status", {"status": {"conditions": [_condition(condition, "True", step.reason, step.message)]}})

    def _set_conditions(self, workload: str, **changes: tuple[str, str, str]) -> None:
        conditions = {each["type"]: each for each in (self.api.get(workload).get("status") or {}).get("conditions") or ()}
        for kind, (status, reason, message) in changes.items():
            conditions[kind] = _condition(kind, status, reason, message)
        self.api.merge(f"{workload}/status", {"status": {"conditions": list(conditions.values())}})


def _condition(kind: str, status: str, reason: str, message: str) -> Object:
    """A condition without empty fields, because the definitions require each of them."""
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    return {"type": kind, "status": status, "reason": reason or "None", "message": message or "-", "lastTransitionTime": now}


def _listed(names: t.Sequence[str]) -> str:
    return f"[{', '.join(names)}]"


def _ignore_missing(call: t.Callable[[], object]) -> None:
    try:
        call()
    except ApiError as error:
        if error.status != 404:
            raise


def _exists(call: t.Callable[[], object]) -> bool:
    try:
        call()
    except ApiError as error:
        if error.status != 404:
            raise
        return False
    return True
