# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Creates the Pods and Services of PyTorchJobs, restarts Pods that failed, and keeps the status of each job.

Its rules are those that the operator's documentation and API reference state.
"""

from __future__ import annotations

import collections
import copy
import typing as t
from pathlib import Path

from lab.kubernetes import definitions
from lab.kubernetes.api import Api, ApiError, Object
from lab.kubernetes.played import Played

from . import objects, status as conditions

DEFINITIONS = Path(__file__).with_name("definitions.yml")
JOBS = "/apis/kubeflow.org/v1"
RETRYABLE = 128
"""The lowest exit code that restart policy ExitCode retries; lower ones are errors of the program."""


class TrainingOperator(Played):
    """Without gang scheduling, autoscaling and the init container by which workers wait for the master's name."""

    def __init__(self, api: Api) -> None:
        super().__init__()
        self.api = api
        self.annotations: dict[str, str] = {}
        """Of each Pod that it creates, such as those that hollow nodes understand (lab/kubernetes/kubelets.py)."""
        self._restarts: collections.Counter[str] = collections.Counter()

    def start(self) -> None:
        definitions.define(self.api, DEFINITIONS)
        super().start()

    def turn(self) -> None:
        for job in self.api.get(f"{JOBS}/pytorchjobs")["items"]:
            if "deletionTimestamp" not in job["metadata"]:
                self._reconcile(job)

    def _reconcile(self, job: Object) -> None:
        status: Object = copy.deepcopy(job.get("status") or {})
        pods = self._pods(job)
        policy = job["spec"].get("runPolicy") or {}
        if conditions.finished(status):
            self._clean_up(job, pods, status, policy)
            return
        conditions.put(status, conditions.CREATED, f"PyTorchJob {job['metadata']['name']} is created.")
        if policy.get("suspend"):
            self._remove(pods, job)
            conditions.put(status, conditions.SUSPENDED, f"PyTorchJob {job['metadata']['name']} is suspended.")
            status.pop("startTime", None)
            status["replicaStatuses"] = {kind: {} for kind in objects.replicas(job)}
        else:
            self._run(job, pods, status, policy)
        self._write(job, status)

    def _run(self, job: Object, pods: t.Sequence[Object], status: Object, policy: Object) -> None:
        if conditions.holds(status, conditions.SUSPENDED):
            message = f"PyTorchJob {job['metadata']['name']} is resumed."
            conditions.put(status, conditions.SUSPENDED, message, value=False, reason="PyTorchJobResumed")
        if not status.get("startTime"):
            status["startTime"] = conditions.now()
        exceeded = self._exceeded(job, pods, status, policy)
        if exceeded:
            self._remove(pods, job)
            conditions.put(status, conditions.FAILED, f"Job {job['metadata']['name']} has failed because {exceeded}")
        else:
            retried = self._retry(job, pods, status)
            self._complete(job, pods)
            status["replicaStatuses"] = conditions.counted(job, [pod for pod in pods if pod not in retried])
            if not retried:
                conditions.judge(job, status)
        if conditions.finished(status):
            status["completionTime"] = conditions.now()

    def _exceeded(self, job: Object, pods: t.Sequence[Object], status: Object, policy: Object) -> str:
        """Which limit of the run is exceeded; empty if none."""
        deadline, limit = policy.get("activeDeadlineSeconds"), policy.get("backoffLimit")
        if deadline is not None and conditions.age(status["startTime"]) >= deadline:
            return "it was active longer than specified deadline"
        if limit is None:
            return ""
        replaced = self._restarts[job["metadata"]["uid"]] + any(_worth_retrying(job, pod) for pod in pods)
        reached = sum(map(_restarts, pods)) >= max(limit, 1)  # restarts of containers may not even reach the limit
        return "it has reached the specified backoff limit" if reached or replaced > limit else ""

    def _retry(self, job: Object, pods: t.Sequence[Object], status: Object) -> list[Object]:
        """Delete failed Pods that may restart; a later turn creates them under the same name."""
        retried = [pod for pod in pods if _worth_retrying(job, pod)]
        for pod in retried:
            kind = pod["metadata"]["labels"][f"{objects.PREFIX}replica-type"].capitalize()
            message = f"PyTorchJob {job['metadata']['name']} is restarting because {kind} replica(s) failed."
            conditions.put(status, conditions.RESTARTING, message)
            if "deletionTimestamp" not in pod["metadata"]:
                self._restarts[job["metadata"]["uid"]] += 1
                self._delete(pod, "pods")
        return retried

    def _complete(self, job: Object, pods: t.Sequence[Object]) -> None:
        """Create missing Pods and Services."""
        existing = {pod["metadata"]["name"] for pod in pods}
        for kind, replica in objects.replicas(job).items():
            for index in range(objects.count(replica)):
                if objects.name(job, kind, index) not in existing:
                    self._make("services", objects.service(job, kind, index))
                    pod = objects.pod(job, kind, index)
                    pod["metadata"]["annotations"] |= self.annotations
                    self._make("pods", pod)

    def _clean_up(self, job: Object, pods: t.Sequence[Object], status: Object, policy: Object) -> None:
        """Delete the Pods that the clean-up policy names, and the job when its time to live is over."""
        clean, ttl = policy.get("cleanPodPolicy", "None"), policy.get("ttlSecondsAfterFinished")
        if clean != "None":
            self._remove([pod for pod in pods if clean == "All" or pod["status"].get("phase") == "Running"], job)
        if ttl is not None and conditions.age(status["completionTime"]) >= ttl:
            _ignore_missing(lambda: self.api.delete(_path(job["metadata"], "pytorchjobs", JOBS), {"propagationPolicy": "Background"}))

    # -- Kubernetes ---------------------------------------------------------------------------------------------------------

    def _pods(self, job: Object) -> list[Object]:
        meta = job["metadata"]
        query = f"labelSelector={objects.PREFIX}job-name={meta['name']}"
        pods = self.api.get(f"/api/v1/namespaces/{meta['namespace']}/pods?{query}")["items"]
        return [pod for pod in pods if meta["uid"] in {each["uid"] for each in pod["metadata"].get("ownerReferences") or []}]

    def _remove(self, pods: t.Sequence[Object], job: Object) -> None:
        """Delete these Pods and all Services of the job."""
        for pod in pods:
            if "deletionTimestamp" not in pod["metadata"]:
                self._delete(pod, "pods")
        query = f"labelSelector={objects.PREFIX}job-name={job['metadata']['name']}"
        for service in self.api.get(f"/api/v1/namespaces/{job['metadata']['namespace']}/services?{query}")["items"]:
            self._delete(service, "services")

    def _make(self, plural: str, body: Object) -> None:
        try:
            self.api.create(f"/api/v1/namespaces/{body['metadata']['namespace']}/{plural}", body)
        except ApiError as error:
            if error.status != 409:  # the next turn sees it
                raise

    def _delete(self, item: Object, plural: str) -> None:
        _ignore_missing(lambda: self.api.delete(_path(item["metadata"], plural)))

    def _write(self, job: Object, status: Object) -> None:
        if status != (job.get("status") or {}):
            _ignore_missing(lambda: self.api.call("PUT", f"{_path(job['metadata'], 'pytorchjobs', JOBS)}/status", {**job, "status": status}))


def _path(meta: Object, plural: str, group: str = "/api/v1") -> str:
    return f"{group}/namespaces/{meta['namespace']}/{plural}/{meta['name']}"


def _ignore_missing(call: t.Callable[[], object]) -> None:
    """Ignore that an object was deleted or changed in the meantime; the next turn reads it again."""
    try:
        call()
    except ApiError as error:
        if error.status not in (404, 409):
            raise


def _policy(job: Object, pod: Object) -> str:
    kind = pod["metadata"]["labels"][f"{objects.PREFIX}replica-type"].capitalize()
    return str(objects.replicas(job)[kind].get("restartPolicy", "OnFailure"))


def _worth_retrying(job: Object, pod: Object) -> bool:
    policy = _policy(job, pod)
    if pod["status"].get("phase") != "Failed" or policy == "Never":
        return False
    return policy != "ExitCode" or _exit_code(pod) >= RETRYABLE


def _exit_code(pod: Object) -> int:
    """Of container pytorch; 0 if it did not end, for example in an evicted Pod."""
    for each in pod["status"].get("containerStatuses") or []:
        if each["name"] == objects.CONTAINER:
            return int((each["state"].get("terminated") or {}).get("exitCode", 0))
    return 0


def _restarts(pod: Object) -> int:
    return sum(each["restartCount"] for each in pod["status"].get("containerStatuses") or [])
