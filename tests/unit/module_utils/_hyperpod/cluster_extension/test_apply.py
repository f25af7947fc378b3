# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When a change of an extension is complete, and what happens if AWS is busy."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import LostRace
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock, WaitFailed
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Waits
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import HyperPod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_extension.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_extension.model import Desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_extension.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.waits import LAGGING

CLUSTER = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
ARN = "arn:aws:sagemaker:us-west-2:111111111111:extension/observability/ml/0a1b2c"
NAME = "observability"
UPDATE = Step("UpdateClusterExtension", {"ClusterArn": CLUSTER, "ExtensionArn": ARN, "ExtensionVersion": "1.1.0"}, ())
DELETE = Step("DeleteClusterExtension", {"ClusterArn": CLUSTER, "ExtensionArn": ARN}, ())
METHODS = {"UpdateClusterExtension": "update_cluster_extension", "DeleteClusterExtension": "delete_cluster_extension"}
Reading = tuple[str, str]
OLD, UPDATING, NEW = ("Active", "1.0.0"), ("Updating", "1.0.0"), ("Active", "1.1.0")
FAILED, DELETING, GONE = ("UpdateFailed", "1.1.0"), ("Deleting", "1.1.0"), ("", "")


class Service:
    """A client with scripted answers, and a clock that only sleeping advances."""

    def __init__(self, stubbed: t.Any, *, waiting: bool = True) -> None:
        client, self.stub = stubbed("sagemaker")
        paused: list[float] = []
        clock = Clock(now=lambda: sum(paused), sleep=paused.append, jitter=lambda: 0.0)
        waits = Waits(timeout=100, interval=20, clock=clock) if waiting else None
        api, desired = HyperPod(client), Desired(CLUSTER, NAME, version="1.1.0")
        self.apply = Applier(api, desired, Observer(api, desired, waits=waits))

    def takes(self, step: Step, error: str = "") -> None:
        if error:
            self.stub.add_client_error(METHODS[step.operation], error, expected_params=dict(step.arguments))
        else:
            self.stub.add_response(METHODS[step.operation], {"ExtensionArn": ARN}, dict(step.arguments))

    def shows(self, *readings: Reading) -> None:
        for status, version in readings:
            about = {"ExtensionArn": ARN, "ExtensionName": NAME, "ExtensionVersion": version, "Status": status}
            self.stub.add_response("list_cluster_extensions", {"Extensions": [about] if status else []}, {"ClusterArn": CLUSTER})
            if status:
                issues = {"Issues": [{"Code": "A", "Message": "b", "NodeCount": 2}]}
                arguments = {"ClusterArn": CLUSTER, "ExtensionArn": ARN}
                self.stub.add_response("describe_cluster_extension", {"ExtensionDetails": {"ClusterArn": CLUSTER, **about}, "Health": issues}, arguments)


@pytest.fixture
def service(stubbed: t.Any) -> Service:
    return Service(stubbed)


@pytest.mark.parametrize(
    ("step", "readings"), [(UPDATE, [OLD, UPDATING, NEW]), (UPDATE, [FAILED, UPDATING, NEW]), (DELETE, [NEW, DELETING, GONE])]
)
def test_a_change_is_complete_when_its_result_is_visible(service: Service, step: Step, readings: list[Reading]) -> None:
    service.takes(step)
    service.shows(*readings)
    service.apply(step)


def test_a_persistent_failure_ends_the_wait(service: Service) -> None:
    service.takes(UPDATE)
    service.shows(*[FAILED] * LAGGING)
    with pytest.raises(WaitFailed, match=r"A \(nodes: 2\): b"):
        service.apply(UPDATE)


@pytest.mark.parametrize("code", ["ConflictException", "ResourceInUse"])
@pytest.mark.parametrize(
    ("step", "readings", "lost"),
    [(UPDATE, [UPDATING, NEW], False), (UPDATE, [UPDATING, OLD], True), (DELETE, [DELETING, GONE], False), (DELETE, [UPDATING, NEW], True)],
)
def test_a_busy_cluster_may_already_apply_our_change(service: Service, code: str, step: Step, readings: list[Reading], lost: bool) -> None:
    service.takes(step, code)
    service.shows(*readings)
    if lost:
        with pytest.raises(LostRace):
            service.apply(step)
    else:
        service.apply(step)


@pytest.mark.parametrize("code", ["ResourceNotFound", "ResourceNotFoundException"])
def test_an_absent_extension_needs_no_removal(service: Service, code: str) -> None:
    service.takes(DELETE, code)
    service.shows(GONE)
    service.apply(DELETE)
    service.takes(UPDATE, code)
    with pytest.raises(AwsError):
        service.apply(UPDATE)


def test_without_a_wait_a_busy_cluster_is_an_error(stubbed: t.Any) -> None:
    service = Service(stubbed, waiting=False)
    service.takes(UPDATE, "ConflictException")
    with pytest.raises(AwsError):
        service.apply(UPDATE)
