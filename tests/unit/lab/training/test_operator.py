# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""States of a job as its Pods change, turn by turn."""

from __future__ import annotations

import copy
import typing as t

import pytest
from lab.kubernetes.api import Api, ApiError
from lab.training.operator import JOBS, TrainingOperator

JOB = f"{JOBS}/namespaces/ml/pytorchjobs/train"
PODS = "/api/v1/namespaces/ml/pods"
LONG_AGO = "2026-01-01T00:00:00Z"


class Stored:
    """Objects by path; all are of one job, so selectors select all."""

    def __init__(self) -> None:
        self.items: dict[str, dict[str, t.Any]] = {}

    def get(self, path: str) -> dict[str, t.Any]:
        path = path.partition("?")[0].replace(f"{JOBS}/pytorchjobs", f"{JOBS}/namespaces/ml/pytorchjobs")
        return {"items": [copy.deepcopy(item) for place, item in self.items.items() if place.rpartition("/")[0] == path]}

    def create(self, path: str, body: dict[str, t.Any]) -> None:
        place = f"{path}/{body['metadata']['name']}"
        if place in self.items:
            raise ApiError(409, {})
        self.items[place] = {"status": {"phase": "Pending"}, **body}

    def call(self, _verb: str, path: str, body: dict[str, t.Any]) -> None:
        self.items[path.removesuffix("/status")] = body

    def delete(self, path: str, _options: object = None) -> None:
        if self.items.pop(path, None) is None:
            raise ApiError(404, {})


class Story:
    def __init__(self, policy: str = "OnFailure", kind: str = "Worker", **run: t.Any) -> None:
        self.stored = Stored()
        self.operator = TrainingOperator(t.cast(Api, self.stored))
        replica = {"replicas": 2, "restartPolicy": policy, "template": {"spec": {"containers": [{"name": "pytorch"}]}}}
        spec = {"runPolicy": run, "pytorchReplicaSpecs": {kind: replica}}
        self.stored.items[JOB] = {"metadata": {"name": "train", "namespace": "ml", "uid": "u"}, "spec": spec}
        self.turn()

    def turn(self) -> None:
        self.operator.turn()

    def change(self, number: int, phase: str, code: int = 0, restarts: int = 0) -> None:
        """Change the state of a worker and let the operator take its turn."""
        state = {"terminated": {"exitCode": code}} if phase != "Running" else {"running": {}}
        container = {"name": "pytorch", "restartCount": restarts, "state": state}
        self.stored.items[f"{PODS}/train-worker-{number}"]["status"] = {"phase": phase, "containerStatuses": [container]}
        self.turn()

    def suspend(self, value: bool) -> None:
        self.stored.items[JOB]["spec"]["runPolicy"]["suspend"] = value
        self.turn()

    @property
    def pods(self) -> list[str]:
        return [place.rpartition("/")[2] for place in self.stored.items if place.startswith(PODS)]

    @property
    def status(self) -> dict[str, t.Any]:
        return self.stored.items[JOB]["status"]

    @property
    def conditions(self) -> dict[str, bool]:
        return {each["type"]: each["status"] == "True" for each in self.status["conditions"]}


def test_pods_and_services_are_made_and_counted() -> None:
    story = Story()
    assert story.pods == ["train-worker-0", "train-worker-1"] and story.conditions == {"Created": True}
    assert "/api/v1/namespaces/ml/services/train-worker-1" in story.stored.items
    story.change(0, "Running")
    assert story.conditions == {"Created": True, "Running": True}
    story.change(1, "Succeeded")
    assert story.status["replicaStatuses"] == {"Worker": {"active": 1, "succeeded": 1}} and "completionTime" not in story.status
    story.change(0, "Succeeded")
    assert story.conditions == {"Created": True, "Running": False, "Succeeded": True} and story.status["completionTime"]


def test_pods_have_the_annotations_of_the_lab_and_those_of_their_template() -> None:
    story = Story()
    story.operator.annotations = {"lab/run-seconds": "5"}
    story.stored.items[JOB]["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["metadata"] = {"annotations": {"team": "a"}}
    del story.stored.items[f"{PODS}/train-worker-1"]
    story.turn()
    assert story.stored.items[f"{PODS}/train-worker-1"]["metadata"]["annotations"] == {"team": "a", "lab/run-seconds": "5"}
    assert story.stored.items[JOB]["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["metadata"] == {"annotations": {"team": "a"}}


def test_a_missing_pod_is_created_again_under_its_name() -> None:
    story = Story()
    story.change(0, "Running")
    del story.stored.items[f"{PODS}/train-worker-1"]
    story.turn()
    assert sorted(story.pods) == ["train-worker-0", "train-worker-1"]


@pytest.mark.parametrize(
    ("policy", "code", "again"), [("OnFailure", 1, True), ("ExitCode", 137, True), ("ExitCode", 1, False), ("Never", 137, False)]
)
def test_a_failed_pod_is_created_again_if_its_policy_allows(policy: str, code: int, again: bool) -> None:
    story = Story(policy)
    story.change(0, "Running")
    story.change(1, "Failed", code)
    assert story.conditions.get("Restarting", False) is again and story.conditions.get("Failed", False) is not again
    story.turn()
    assert story.stored.items[f"{PODS}/train-worker-1"]["status"]["phase"] == ("Pending" if again else "Failed")
    if again:
        story.change(1, "Running")
        assert story.conditions == {"Created": True, "Running": True}


def test_restarts_are_limited() -> None:
    story = Story(backoffLimit=2)
    story.change(0, "Running", restarts=1)
    assert story.conditions == {"Created": True, "Running": True}
    story.change(1, "Running", restarts=1)
    assert story.conditions["Failed"] and story.pods == []
    once = Story(backoffLimit=1)
    once.change(0, "Failed", 1)
    once.turn()
    assert once.conditions == {"Created": True, "Restarting": True} and len(once.pods) == 2
    none = Story(backoffLimit=0)
    none.change(0, "Failed", 1)
    assert none.conditions == {"Created": True, "Failed": True} and "backoff limit" in none.status["conditions"][-1]["message"]


def test_a_deadline_ends_the_job_and_its_pods() -> None:
    story = Story(activeDeadlineSeconds=60)
    story.change(0, "Running")
    story.status["startTime"] = LONG_AGO
    story.turn()
    assert story.conditions == {"Created": True, "Running": False, "Failed": True} and story.pods == []
    assert not [place for place in story.stored.items if "/services/" in place]


@pytest.mark.parametrize(("clean", "left"), [("None", ["train-worker-0", "train-worker-1"]), ("Running", ["train-worker-1"]), ("All", [])])
def test_pods_of_a_job_that_has_ended_stay_or_go(clean: str, left: list[str]) -> None:
    story = Story("Never", cleanPodPolicy=clean)
    story.change(0, "Running")
    story.change(1, "Failed", 1)
    story.turn()
    assert story.pods == [{"Running": "train-worker-1"}.get(clean, name) for name in left]


def test_a_finished_job_is_removed_after_its_time_to_live() -> None:
    story = Story("Never", ttlSecondsAfterFinished=60)
    story.change(0, "Failed", 1)
    story.turn()
    assert JOB in story.stored.items
    story.status["completionTime"] = LONG_AGO
    story.turn()
    assert JOB not in story.stored.items


def test_a_job_is_suspended_and_resumed() -> None:
    story = Story()
    story.change(0, "Running")
    story.suspend(True)
    assert story.pods == [] and story.conditions == {"Created": True, "Running": False, "Suspended": True}
    assert "startTime" not in story.status
    story.suspend(False)
    story.change(0, "Running")
    assert len(story.pods) == 2 and story.conditions == {"Created": True, "Suspended": False, "Running": True} and story.status["startTime"]
