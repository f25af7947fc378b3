# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When an update of software has ended: a state that AWS tells may be that of the update before."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure, LostRace
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Waits
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import HyperPod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_software.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_software.model import Desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_software.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.waits import LAGGING

ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
STEP = Step("UpdateClusterSoftware", {"ClusterName": ARN, "InstanceGroups": [{"InstanceGroupName": "a"}]}, ())
OLD, OLD_FAILED = ("InService", "Succeeded", "UpdateAvailable"), ("InService", "Failed", "UpdateAvailable")
GOING, DONE = ("SystemUpdating", "InProgress", "UpdateAvailable"), ("InService", "Succeeded", "UpToDate")


class Service:
    """A client with a script, and a clock that nobody waits for."""

    def __init__(self, stubbed: t.Any) -> None:
        client, self.stub = stubbed("sagemaker")
        self.paused: list[float] = []
        clock = Clock(now=lambda: sum(self.paused), sleep=self.paused.append, jitter=lambda: 0.0)
        api, desired = HyperPod(client), Desired(ARN, {"a": ""})
        self.apply = Applier(api, desired, Observer(api, desired, waits=Waits(timeout=600, interval=20, clock=clock)))

    def shows(self, *looks: tuple[str, str, str]) -> None:
        for cluster, update, version in looks:
            group = {"InstanceGroupName": "a", "Status": "InService", "SoftwareUpdateStatus": update, "ImageVersionStatus": version}
            self.stub.add_response("describe_cluster", {"ClusterArn": ARN, "ClusterName": "ml", "ClusterStatus": cluster, "InstanceGroups": [group]})


@pytest.fixture
def service(stubbed: t.Any) -> Service:
    asked = Service(stubbed)
    asked.stub.add_response("update_cluster_software", {"ClusterArn": ARN})
    return asked


@pytest.mark.parametrize("before", [OLD, OLD_FAILED])
def test_the_state_of_the_update_before_is_none_of_this_one(service: Service, before: tuple[str, str, str]) -> None:
    service.shows(before, before, GOING, DONE)
    service.apply(STEP)


def test_what_nobody_saw_is_believed_after_some_looks(service: Service) -> None:
    service.shows(*[DONE] * LAGGING)
    service.apply(STEP)
    assert sum(service.paused) >= 15


@pytest.mark.parametrize("end", ["Failed", "RollbackComplete"])
def test_a_roll_back_is_a_failure(service: Service, end: str) -> None:
    service.shows(GOING, ("SystemUpdating", "RollbackInProgress", "UpdateAvailable"), ("InService", end, "UpdateAvailable"))
    service.stub.add_client_error("list_cluster_events", "ValidationException")
    with pytest.raises(Failure, match=f"AWS rolled back the software of cluster ml: group a is {end}\\. Fix the cause"):
        service.apply(STEP)


@pytest.mark.parametrize(("end", "lost"), [(DONE, False), (OLD, True)])
def test_a_cluster_that_is_at_work_may_be_at_ours(stubbed: t.Any, end: tuple[str, str, str], lost: bool) -> None:
    """The first reply was lost, and the second call is refused."""
    asked = Service(stubbed)
    asked.stub.add_client_error("update_cluster_software", "ConflictException")
    asked.shows(GOING, end)
    if lost:
        with pytest.raises(LostRace):
            asked.apply(STEP)
    else:
        asked.apply(STEP)
