# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A deep health check is complete according to the operation that AWS lists, never because none is visible."""

from __future__ import annotations

import datetime
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock, WaitFailed, WaitTimeout
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Waits
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import HyperPod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_nodes.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.health_check.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.health_check.model import Check
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.health_check.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.waits import LAGGING

ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
ONE, TWO, NEW = "i-00000001", "i-00000002", "i-0000000a"
MOMENT = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
STRESS = "InstanceStress"
RUN = {ONE: "Running", TWO: "Running"}
CHECKED = {ONE: "DeepHealthCheckInProgress", TWO: "Running"}
Operation = tuple[int, str]
"""The number and the status of the operation."""


class Service:
    """A client with scripted answers, and a clock that never blocks."""

    def __init__(self, stubbed: t.Any, check: Check, *, waits: bool = True) -> None:
        client, self.stub = stubbed("sagemaker")
        self.paused: list[float] = []
        self.check = check
        clock = Clock(now=lambda: sum(self.paused), sleep=self.paused.append, jitter=lambda: 0.0)
        api = HyperPod(client)
        self.observer = Observer(api, ARN, waits=Waits(timeout=600, interval=20, clock=clock) if waits else None)
        self.apply = Applier(api, [check], self.observer)

    def shows(self, nodes: t.Mapping[str, str], current: int = 2) -> None:
        group = {"InstanceGroupName": "a", "CurrentCount": current, "TargetCount": 2}
        cluster = {"ClusterArn": ARN, "ClusterName": "ml", "ClusterStatus": "InService"}
        self.stub.add_response("describe_cluster", {**cluster, "InstanceGroups": [group]})
        about = {"InstanceGroupName": "a", "InstanceType": "ml.m5.large", "LaunchTime": MOMENT}
        summaries = [{**about, "InstanceId": each, "InstanceStatus": {"Status": status}} for each, status in nodes.items()]
        self.stub.add_response("list_cluster_nodes", {"ClusterNodeSummaries": summaries})

    def lists(self, *operations: Operation) -> None:
        """Newest first."""
        request = {"ClusterName": ARN, "Type": "DeepHealthCheck", "SortBy": "CreationTime", "SortOrder": "Descending", "MaxResults": 100}
        summaries = [{"OperationId": name(number), "Status": status} for number, status in operations]
        self.stub.add_response("list_cluster_operations", {"ClusterOperationSummaries": summaries}, request)

    def describes(self, number: int, group: str = "a", checks: t.Sequence[str] = (STRESS,), ids: t.Sequence[str] = ()) -> None:
        details = {"InstanceGroupName": group, "DeepHealthChecks": list(checks), **({"InstanceIds": list(ids)} if ids else {})}
        answer = {"DeepHealthCheckDetails": [details]}
        self.stub.add_response("describe_cluster_operation", answer, {"ClusterName": ARN, "OperationId": name(number)})

    def begins(self, *before: Operation) -> None:
        """Answers for the reading before the call, the operations at that time, and the call."""
        self.shows(RUN)
        self.lists(*before)
        self.stub.add_response("start_cluster_health_check", {"ClusterArn": ARN})

    def reads(self, nodes: t.Mapping[str, str], *operations: Operation, current: int = 2) -> None:
        self.shows(nodes, current)
        self.lists(*operations)


def name(number: int) -> str:
    return f"00000000-0000-0000-0000-{number:012}"


@pytest.fixture
def service(stubbed: t.Any) -> t.Callable[..., Service]:
    return lambda *ids: Service(stubbed, Check("a", (STRESS,), ids))


def run(aws: Service, *before: Operation, script: t.Callable[[], None]) -> None:
    aws.shows(RUN)
    (step,) = plan([aws.check], aws.observer.look()).steps
    aws.begins(*before)
    script()
    aws.apply(step)


def test_a_check_that_starts_late_is_waited_for(service: t.Any) -> None:
    aws = service(ONE)

    def script() -> None:
        for _attempt in range(LAGGING + 5):
            aws.reads(RUN)
        aws.shows(RUN)
        aws.lists((1, "InProgress"))
        aws.describes(1, ids=[ONE])
        aws.reads(CHECKED, (1, "InProgress"))
        aws.reads(RUN, (1, "InProgress"))
        aws.reads(RUN, (1, "Done"))

    run(aws, script=script)


def test_an_operation_in_progress_is_waited_for_even_if_all_nodes_run(service: t.Any) -> None:
    aws = service()

    def script() -> None:
        aws.reads(RUN, (1, "InProgress"))
        aws.describes(1)
        for _attempt in range(LAGGING + 2):
            aws.reads(RUN, (1, "InProgress"))
        for _attempt in range(LAGGING):
            aws.reads(RUN, (1, "Done"))

    run(aws, script=script)


def test_a_failed_node_is_waited_for_after_the_operation(service: t.Any) -> None:
    """AWS replaces it; the node count still includes it after the listing has dropped it."""
    aws = service(ONE)

    def script() -> None:
        aws.reads(CHECKED, (1, "InProgress"))
        aws.describes(1, ids=[ONE])
        aws.reads({ONE: "ShuttingDown", TWO: "Running"}, (1, "Done"), current=1)
        for _attempt in range(LAGGING + 1):
            aws.reads({TWO: "Running"}, (1, "Done"))
        aws.reads({TWO: "Running", NEW: "Pending"}, (1, "Done"), current=1)
        aws.reads({TWO: "Running", NEW: "Running"}, (1, "Done"))

    run(aws, script=script)


def test_a_node_that_had_already_failed_does_not_delay_checks_of_others(service: t.Any) -> None:
    aws = service(ONE)
    broken = {TWO: "Failure"}
    aws.shows(RUN)
    (step,) = plan([aws.check], aws.observer.look()).steps
    aws.reads({ONE: "Running", **broken})
    aws.stub.add_response("start_cluster_health_check", {"ClusterArn": ARN})
    aws.reads({**CHECKED, **broken}, (1, "InProgress"))
    aws.describes(1, ids=[ONE])
    aws.reads({ONE: "Running", **broken}, (1, "Done"))
    aws.apply(step)


@pytest.mark.parametrize(
    "others",
    [
        pytest.param({"group": "b"}, id="of-another-group"),
        pytest.param({"checks": ["InstanceConnectivity"]}, id="another-check"),
        pytest.param({"ids": [TWO]}, id="of-other-nodes"),
    ],
)
def test_an_operation_of_another_client_is_ignored(service: t.Any, others: t.Any) -> None:
    aws = service(ONE)

    def script() -> None:
        aws.reads(RUN, (2, "Done"), (1, "Done"))
        aws.describes(2, **others)
        aws.reads(CHECKED, (3, "InProgress"), (2, "Done"), (1, "Done"))
        aws.describes(3, ids=[ONE])
        aws.reads(RUN, (3, "Done"), (2, "Done"), (1, "Done"))

    run(aws, (1, "Done"), script=script)


def test_after_a_repeated_call_the_newest_operation_counts(service: t.Any) -> None:
    """The first reply was lost."""
    aws = service(ONE)

    def script() -> None:
        aws.reads(CHECKED, (2, "InProgress"), (1, "Superseded"))
        aws.describes(2, ids=[ONE])
        aws.reads(RUN, (2, "Done"), (1, "Superseded"))

    run(aws, script=script)


def test_a_superseded_operation_is_a_failure(service: t.Any) -> None:
    aws = service(ONE)

    def script() -> None:
        aws.reads(CHECKED, (1, "Superseded"))
        aws.describes(1, ids=[ONE])
        aws.reads(CHECKED, (1, "Superseded"))
        aws.reads(CHECKED, (1, "Superseded"))

    with pytest.raises(WaitFailed, match="a later operation superseded the check"):
        run(aws, script=script)


@pytest.mark.parametrize(
    ("operations", "progress"),
    [
        ((), "AWS lists no operation for the deep health check yet"),
        (((1, "InProgress"),), "the deep health check is InProgress"),
    ],
)
def test_a_check_without_a_result_times_out(service: t.Any, operations: tuple[Operation, ...], progress: str) -> None:
    aws = service(ONE)

    def script() -> None:
        for attempt in range(36):
            aws.reads(RUN, *operations)
            if operations and not attempt:
                aws.describes(1, ids=[ONE])

    with pytest.raises(WaitTimeout, match=rf"is still InService, {progress} after 600 s"):
        run(aws, script=script)


def test_without_a_wait_no_operation_is_read(stubbed: t.Any) -> None:
    aws = Service(stubbed, Check("a", (STRESS,), (ONE,)), waits=False)
    aws.shows(RUN)
    (step,) = plan([aws.check], aws.observer.look()).steps
    aws.stub.add_response("start_cluster_health_check", {"ClusterArn": ARN})
    aws.apply(step)
