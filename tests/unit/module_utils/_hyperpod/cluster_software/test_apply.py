# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When a software update is complete: a state that AWS reports may be that of the previous update."""

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
    """A client with scripted answers, and a clock that never blocks."""

    def __init__(self, stubbed: t.Any) -> None:
        client, self.stub = stubbed("sagemaker")
        self.paused: list[float] = []
        clock = Clock(now=lambda: sum(self.paused), sleep=self.paused.append, jitter=lambda: 0.0)
        api, desired = HyperPod(client), Desired(ARN, {"a": ""})
        self.apply = Applier(api, desired, Observer(api, desired, waits=Waits(timeout=600, interval=20, clock=clock)))

    def shows(self, *readings: tuple[str, str, str]) -> None:
        for cluster, update, version in readings:
            group = {"InstanceGroupName": "a", "Status": "InService", "SoftwareUpdateStatus": update, "ImageVersionStatus": version}
            self.stub.add_response("describe_cluster", {"ClusterArn": ARN, "ClusterName": "ml", "ClusterStatus": cluster, "InstanceGroups": [group]})


@pytest.fixture
def service(stubbed: t.Any) -> Service:
    aws = Service(stubbed)
    aws.stub.add_response("update_cluster_software", {"ClusterArn": ARN})
    return aws


@pytest.mark.parametrize("before", [OLD, OLD_FAILED])
def test_the_state_of_the_previous_update_is_ignored(service: Service, before: tuple[str, str, str]) -> None:
    service.shows(before, before, GOING, DONE)
    service.apply(STEP)


def test_an_unobserved_update_is_accepted_after_some_readings(service: Service) -> None:
    service.shows(*[DONE] * LAGGING)
    service.apply(STEP)
    assert sum(service.paused) >= 15


@pytest.mark.parametrize("end", ["Failed", "RollbackComplete"])
def test_a_roll_back_is_a_failure(service: Service, end: str) -> None:
    service.shows(GOING, ("SystemUpdating", "RollbackInProgress", "UpdateAvailable"), ("InService", end, "UpdateAvailable"))
    service.stub.add_client_error("list_cluster_events", "ValidationException")
    with pytest.raises(Failure, match=f"AWS rolled back the software update of cluster ml: group a is {end}\\. Fix the cause"):
        service.apply(STEP)


@pytest.mark.parametrize(("end", "lost"), [(DONE, False), (OLD, True)])
def test_a_busy_cluster_may_already_apply_our_update(stubbed: t.Any, end: tuple[str, str, str], lost: bool) -> None:
    """The first reply was lost, and the second call is refused."""
    aws = Service(stubbed)
    aws.stub.add_client_error("update_cluster_software", "ConflictException")
    aws.shows(GOING, end)
    if lost:
        with pytest.raises(LostRace):
            aws.apply(STEP)
    else:
        aws.apply(STEP)
