# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When a change of the autoscaler is complete, and what happens if AWS is busy."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import LostRace
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock, WaitFailed
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Waits
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import HyperPod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_autoscaling.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_autoscaling.model import Desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_autoscaling.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.waits import LAGGING

ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
ROLE, OTHER = "arn:aws:iam::111111111111:role/one", "arn:aws:iam::111111111111:role/other"
ENABLE = Step("UpdateCluster", {"ClusterName": ARN, "AutoScaling": {"Mode": "Enable", "AutoScalerType": "Karpenter"}, "ClusterRole": ROLE}, ())
DISABLE = Step("UpdateCluster", {"ClusterName": ARN, "AutoScaling": {"Mode": "Disable"}}, ())
Reading = tuple[str, str, str]
CREATING, WORKS, FAILED = ("Enable", "Creating", "InService"), ("Enable", "InService", "InService"), ("Enable", "Failed", "InService")
UPDATING, DELETING, GONE = ("Enable", "InService", "Updating"), ("Disable", "Deleting", "InService"), ("", "", "InService")


class Service:
    """A client with scripted answers, and a clock that only sleeping advances."""

    def __init__(self, stubbed: t.Any, *, waiting: bool = True) -> None:
        client, self.stub = stubbed("sagemaker")
        paused: list[float] = []
        clock = Clock(now=lambda: sum(paused), sleep=paused.append, jitter=lambda: 0.0)
        waits = Waits(timeout=100, interval=20, clock=clock) if waiting else None
        api, desired = HyperPod(client), Desired(ARN, True, ROLE)
        self.apply = Applier(api, desired, Observer(api, desired, waits=waits))

    def takes(self, step: Step, error: str = "") -> None:
        if error:
            self.stub.add_client_error("update_cluster", error, expected_params=dict(step.arguments))
        else:
            self.stub.add_response("update_cluster", {"ClusterArn": ARN}, dict(step.arguments))

    def shows(self, *readings: Reading, role: str = ROLE) -> None:
        for mode, status, cluster in readings:
            scaler = {"AutoScaling": {"Mode": mode, "AutoScalerType": "Karpenter", "Status": status, "FailureMessage": "no role"}} if mode else {}
            answer = {"ClusterArn": ARN, "ClusterName": "ml", "ClusterStatus": cluster, "ClusterRole": role, "InstanceGroups": [], **scaler}
            self.stub.add_response("describe_cluster", answer, {"ClusterName": ARN})


@pytest.fixture
def service(stubbed: t.Any) -> Service:
    return Service(stubbed)


@pytest.mark.parametrize(
    ("step", "readings"),
    [
        (ENABLE, [GONE, CREATING, UPDATING, WORKS]),
        (ENABLE, [FAILED, CREATING, WORKS]),
        (DISABLE, [UPDATING, WORKS, DELETING, GONE]),
    ],
    ids=["enabled", "after a failure", "disabled"],
)
def test_a_change_is_complete_when_no_operation_is_in_progress(service: Service, step: Step, readings: list[Reading]) -> None:
    service.takes(step)
    service.shows(*readings)
    service.apply(step)


def test_a_change_is_not_complete_while_the_role_differs(service: Service) -> None:
    service.takes(ENABLE)
    service.shows(WORKS, WORKS, role=OTHER)
    service.shows(WORKS)
    service.apply(ENABLE)


def test_a_persistent_failure_ends_the_wait(service: Service) -> None:
    service.takes(ENABLE)
    service.shows(*[FAILED] * LAGGING)
    service.stub.add_response("list_cluster_events", {"Events": []})
    with pytest.raises(WaitFailed, match="no role"):
        service.apply(ENABLE)


@pytest.mark.parametrize(
    ("step", "readings", "lost"),
    [
        (ENABLE, [CREATING, WORKS], False),
        (ENABLE, [DELETING, GONE], True),
        (DISABLE, [DELETING, GONE], False),
        (DISABLE, [UPDATING, WORKS], True),
    ],
)
def test_a_busy_cluster_may_already_apply_our_change(service: Service, step: Step, readings: list[Reading], lost: bool) -> None:
    service.takes(step, "ConflictException")
    service.shows(*readings)
    if lost:
        with pytest.raises(LostRace):
            service.apply(step)
    else:
        service.apply(step)


def test_other_errors_are_raised(service: Service) -> None:
    service.takes(ENABLE, "AccessDeniedException")
    with pytest.raises(AwsError):
        service.apply(ENABLE)


def test_without_a_wait_a_busy_cluster_is_an_error(stubbed: t.Any) -> None:
    service = Service(stubbed, waiting=False)
    service.takes(ENABLE, "ConflictException")
    with pytest.raises(AwsError):
        service.apply(ENABLE)
    service.takes(ENABLE)
    service.shows(GONE)
    service.apply(ENABLE)
