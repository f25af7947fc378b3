# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects that the lab creates for quotas, a scheduler configuration and the add-on, on an API server in memory."""

from __future__ import annotations

import typing as t

import pytest
from lab.kubernetes.api import ApiError, Object
from lab.kueue import operator
from lab.kueue.governance import ADDON, TaskGovernance
from unit.lab.kueue.test_operator import Memory

GROUP = "/apis/kueue.x-k8s.io/v1beta2"
SPACE = "/api/v1/namespaces/hyperpod-ns-research"
QUEUE = f"{GROUP}/namespaces/hyperpod-ns-research/localqueues/hyperpod-ns-research-localqueue"
CLUSTER_QUEUE = f"{GROUP}/clusterqueues/hyperpod-ns-research-clusterqueue"
MANAGER = f"{operator.DEPLOYMENTS}/{operator.MANAGER}"
P5 = "ml.p5.48xlarge"


class Aws:
    """Fake clients of EKS and SageMaker."""

    def __init__(self) -> None:
        self.addon = "ACTIVE"
        self.quotas: dict[str, tuple[str, list[Object]]] = {}
        self.classes: list[Object] = []

    def list_addons(self, **_named: t.Any) -> Object:
        return {"addons": [ADDON] if self.addon else []}

    def describe_addon(self, **_named: t.Any) -> Object:
        return {"addon": {"status": self.addon}}

    def list_cluster_scheduler_configs(self) -> Object:
        return {"ClusterSchedulerConfigSummaries": [{"Status": "Created", "ClusterSchedulerConfigId": "a"}]}

    def describe_cluster_scheduler_config(self, **_named: t.Any) -> Object:
        return {"SchedulerConfig": {"PriorityClasses": self.classes}}

    def list_compute_quotas(self, **_named: t.Any) -> Object:
        found = [
            {"Status": status, "ComputeQuotaTarget": {"TeamName": team}, "ComputeQuotaConfig": {"ComputeQuotaResources": resources}}
            for team, (status, resources) in self.quotas.items()
        ]
        return {"ComputeQuotaSummaries": found}


@pytest.fixture
def api() -> Memory:
    return Memory()


@pytest.fixture
def aws() -> Aws:
    return Aws()


@pytest.fixture
def governance(api: Memory, aws: Aws, monkeypatch: pytest.MonkeyPatch) -> TaskGovernance:
    monkeypatch.setattr(operator.Kueue, "_define", lambda self, version: setattr(self, "version", version))
    return TaskGovernance(t.cast(t.Any, api), aws, aws, "pods")


def research(*, count: int = 2, status: str = "Created") -> dict[str, tuple[str, list[Object]]]:
    return {"research": (status, [{"InstanceType": P5, "Count": count}])}


def test_the_addon_installs_and_removes_kueue(governance: TaskGovernance, api: Memory, aws: Aws) -> None:
    for status, installed in (("CREATING", False), ("ACTIVE", True), ("UPDATING", True), ("DELETING", True), ("", False)):
        aws.addon = status
        governance.turn()
        assert (MANAGER in api.objects) is installed, status


def test_without_the_addon_a_quota_creates_nothing(governance: TaskGovernance, api: Memory, aws: Aws) -> None:
    aws.addon, aws.quotas = "", research()
    governance.turn()
    assert api.objects == {}


def test_a_created_quota_gives_its_team_queues(governance: TaskGovernance, api: Memory, aws: Aws) -> None:
    aws.quotas = research(status="Creating")
    governance.turn()
    assert SPACE not in api.objects
    aws.quotas = research()
    governance.turn()
    assert api.objects[QUEUE]["spec"] == {"clusterQueue": "hyperpod-ns-research-clusterqueue"} and SPACE in api.objects
    assert f"{GROUP}/resourceflavors/{P5}" in api.objects
    assert "'16'" in str(api.objects[CLUSTER_QUEUE]["spec"])
    aws.quotas = research(count=3, status="Updated")
    governance.turn()
    assert "'24'" in str(api.objects[CLUSTER_QUEUE]["spec"])


def test_the_queues_are_removed_with_the_quota(governance: TaskGovernance, api: Memory, aws: Aws) -> None:
    aws.quotas = research()
    governance.turn()
    aws.quotas = research(status="Deleted")
    governance.turn()
    assert SPACE not in api.objects and CLUSTER_QUEUE not in api.objects


def test_a_team_may_be_held(governance: TaskGovernance, api: Memory, aws: Aws) -> None:
    aws.quotas = research()
    governance.held.add("research")
    governance.turn()
    assert SPACE not in api.objects
    governance.held.clear()
    governance.turn()
    assert SPACE in api.objects


def test_a_terminating_namespace_is_created_again(
    governance: TaskGovernance, api: Memory, aws: Aws, monkeypatch: pytest.MonkeyPatch
) -> None:
    aws.quotas = research()
    create = api.create

    def refused(path: str, body: Object) -> Object:
        if path.endswith("/localqueues"):
            raise ApiError(403, {})
        return create(path, body)

    monkeypatch.setattr(api, "create", refused)
    governance.turn()
    assert QUEUE not in api.objects
    monkeypatch.setattr(api, "create", create)
    governance.turn()
    assert QUEUE in api.objects


def test_priority_classes_have_the_names_that_tasks_use(governance: TaskGovernance, api: Memory, aws: Aws) -> None:
    aws.classes = [{"Name": "training", "Weight": 80}, {"Name": "old", "Weight": 1}]
    governance.turn()
    assert api.objects[f"{GROUP}/workloadpriorityclasses/training-priority"]["value"] == 80
    aws.classes = [{"Name": "training", "Weight": 90}]
    governance.turn()
    assert api.objects[f"{GROUP}/workloadpriorityclasses/training-priority"]["value"] == 90
    assert f"{GROUP}/workloadpriorityclasses/old-priority" not in api.objects
