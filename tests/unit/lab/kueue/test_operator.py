# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab's Kueue follows its script and does nothing else, on an API server in memory."""

from __future__ import annotations

import copy
import typing as t

import pytest
from lab.kubernetes.api import ApiError, Object
from lab.kueue.operator import Kueue
from lab.kueue.script import Admits, Deactivates, Ends, Evicts, Moves, NextJob, Pauses, Waits
from unit.module_utils._topology.job.jobs import SPACE, hyperpod_job, job, pytorch_job

QUEUED = {"namespace": SPACE, "name": "mnist", "uid": "0f5c6d2e", "labels": {"kueue.x-k8s.io/queue-name": "queue"}}
JOBS, PODS = f"/apis/batch/v1/namespaces/{SPACE}/jobs", f"/api/v1/namespaces/{SPACE}/pods"


class Memory:
    """Objects by path."""

    def __init__(self) -> None:
        self.objects: dict[str, Object] = {}

    def get(self, path: str) -> Object:
        if path in self.objects:
            return copy.deepcopy(self.objects[path])
        name = path.rpartition("/")[2]
        inside = [item for place, item in sorted(self.objects.items()) if place.split("/")[-2] == name]
        return {"items": copy.deepcopy(inside)}

    def create(self, path: str, body: Object) -> Object:
        place = f"{path}/{body['metadata']['name']}"
        if place in self.objects:
            raise ApiError(409, {})
        self.objects[place] = copy.deepcopy(body)
        return body

    def merge(self, path: str, body: Object) -> Object:
        place = path.removesuffix("/status")
        self.objects[place] = _merged(self.objects[place], body)
        return self.objects[place]

    def delete(self, path: str, _body: Object | None = None) -> Object:
        if self.objects.pop(path, None) is None:
            raise ApiError(404, {})
        return {}


def _merged(current: t.Any, patch: t.Any) -> t.Any:
    if not isinstance(patch, dict):
        return patch
    made = dict(current) if isinstance(current, dict) else {}
    for name, value in patch.items():
        made[name] = _merged(made.get(name), value)
        if value is None:
            del made[name]
    return made


@pytest.fixture
def api() -> Memory:
    return Memory()


@pytest.fixture
def kueue(api: Memory) -> Kueue:
    return Kueue(t.cast(t.Any, api))


def submit(api: Memory, path: str, manifest: Object) -> None:
    api.create(path, {**manifest, "metadata": copy.deepcopy(QUEUED)})


def workload(api: Memory) -> Object:
    (found,) = [item for path, item in api.objects.items() if "/workloads/" in path]
    return found


def conditions(api: Memory) -> dict[str, str]:
    return {each["type"]: f"{each['status']} {each['reason']}" for each in workload(api)["status"]["conditions"]}


def nodes(api: Memory) -> dict[str, str]:
    return {each["metadata"]["name"]: each["spec"]["nodeName"] for each in api.get(PODS)["items"]}


def test_a_job_waits_is_admitted_and_finishes(api: Memory, kueue: Kueue) -> None:
    submit(api, JOBS, job(2))
    kueue.turn()
    assert "status" not in workload(api)
    podset = {"name": "main", "count": 2, "template": job(2)["spec"]["template"]}
    assert workload(api)["spec"] == {"active": True, "queueName": "queue", "podSets": [podset]}
    kueue.script["mn*"] = [Waits("TopologyPlacementFailed", "no room"), Admits({"main": ["n1", "n2"]}), Ends()]
    kueue.turn()
    assert conditions(api) == {"QuotaReserved": "False TopologyPlacementFailed"} and not nodes(api)
    assert all(value for each in workload(api)["status"]["conditions"] for value in each.values())
    kueue.turn()
    assert conditions(api)["Admitted"] == "True Admitted" and nodes(api) == {"mnist-main-0": "n1", "mnist-main-1": "n2"}
    kueue.turn()
    assert api.objects[f"{JOBS}/mnist"]["status"]["conditions"][0]["type"] == "Complete"
    kueue.turn()
    assert len(nodes(api)) == 2


def test_a_violation_and_a_pod_that_moves(api: Memory, kueue: Kueue) -> None:
    submit(api, f"/apis/kubeflow.org/v1/namespaces/{SPACE}/pytorchjobs", pytorch_job(2))
    assigned = {"master": ["n1"], "worker": ["n1", "n2"]}
    kueue.script["mnist"] = [Admits(assigned, at={"worker": ["n1", "n3"]}), Moves("worker", 0, "n4")]
    kueue.turn()
    assert nodes(api) == {"mnist-master-0": "n1", "mnist-worker-0": "n1", "mnist-worker-1": "n3"}
    kueue.turn()
    assert nodes(api)["mnist-worker-0"] == "n4"
    assert [each["name"] for each in workload(api)["status"]["admission"]["podSetAssignments"]] == ["master", "worker"]


@pytest.mark.parametrize(("step", "active", "reason"), [(Evicts("Preempted"), True, "Preempted"), (Deactivates(), False, "Deactivated")])
def test_an_eviction(api: Memory, kueue: Kueue, step: Evicts | Deactivates, active: bool, reason: str) -> None:
    submit(api, f"/apis/sagemaker.amazonaws.com/v1/namespaces/{SPACE}/hyperpodpytorchjobs", hyperpod_job())
    kueue.script["mnist"] = [Admits({"pod": ["n1", "n2"]}), step]
    kueue.turn()
    kueue.turn()
    assert nodes(api) == {} and "admission" not in workload(api)["status"] and workload(api)["spec"]["active"] is active
    assert conditions(api) == {
        "QuotaReserved": "False Pending", "Admitted": "False NoReservation", "Evicted": f"True {reason}", "Requeued": f"{active} {reason}",
    }  # fmt: skip


def test_a_job_admitted_again_keeps_the_message_of_its_eviction(api: Memory, kueue: Kueue) -> None:
    submit(api, JOBS, job(2))
    kueue.script["mnist"] = [Admits({"main": ["n1", "n2"]}), Evicts("Preempted", "for another"), Admits({"main": ["n3", "n4"]})]
    for _turn in range(3):
        kueue.turn()
    assert conditions(api) == {
        "QuotaReserved": "True QuotaReserved", "Admitted": "True Admitted", "Evicted": "False QuotaReserved", "Requeued": "True Preempted",
    }  # fmt: skip
    assert [each["message"] for each in workload(api)["status"]["conditions"] if each["type"] == "Evicted"] == ["Previously: for another"]
    assert set(nodes(api).values()) == {"n3", "n4"}


def test_a_pause_delays_the_next_step(api: Memory, kueue: Kueue) -> None:
    submit(api, JOBS, job(2))
    kueue.script["mnist"] = [Pauses(3600), Waits("a", "b")]
    for _turn in range(3):
        kueue.turn()
    assert kueue.script["mnist"] == [Waits("a", "b")]


def test_steps_of_the_next_job_of_the_same_name(api: Memory, kueue: Kueue) -> None:
    submit(api, JOBS, job(2))
    kueue.script["mnist"] = [NextJob(), Waits("a", "b")]
    for _turn in range(3):
        kueue.turn()
    assert kueue.script["mnist"] == [NextJob(), Waits("a", "b")]
    api.objects[f"{JOBS}/mnist"]["metadata"]["uid"] = "another"
    kueue.turn()
    assert kueue.script["mnist"] == [Waits("a", "b")]


def test_failed_steps_are_retried(api: Memory, kueue: Kueue) -> None:
    submit(api, JOBS, job(2))
    kueue.script["mnist"] = [Admits({"main": ["n1", "n2"]})]
    create = api.create

    def refused(path: str, body: Object) -> Object:
        if path == PODS:
            raise ApiError(403, {"message": "no service account yet"})
        return create(path, body)

    api.create = refused  # type: ignore[method-assign]
    with pytest.raises(ApiError):
        kueue.turn()
    api.create = create  # type: ignore[method-assign]
    kueue.turn()
    assert len(nodes(api)) == 2


def test_jobs_without_a_queue_are_left_alone(api: Memory, kueue: Kueue) -> None:
    api.create(JOBS, {**job(2), "metadata": {**QUEUED, "labels": {}}})
    kueue.turn()
    assert list(api.objects) == [f"{JOBS}/mnist"]


def test_refused_pods_are_an_event_of_their_owner(api: Memory, kueue: Kueue, monkeypatch: pytest.MonkeyPatch) -> None:
    submit(api, JOBS, job(1))
    kueue.script["mnist"] = [Admits({"main": ["n1"]})]
    create = api.create

    def refusing(path: str, body: Object) -> Object:
        if path == PODS:
            raise ApiError(403, {"message": 'admission webhook "queue" denied the request: label is missing'})
        return create(path, body)

    monkeypatch.setattr(api, "create", refusing)
    kueue.turn()
    (event,) = [item for path, item in api.objects.items() if "/events/" in path]
    assert event["reason"] == "FailedCreate" and event["involvedObject"]["uid"] == QUEUED["uid"] and "label is missing" in event["message"]
    assert kueue.script["mnist"] == [], "the step is not repeated"
