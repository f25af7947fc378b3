# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When deep health checks have ended: by the operation that AWS lists for them, never because nothing is seen of them."""

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
"""Its number and its status."""


class Service:
    """A client with a script, and a clock that nobody waits for."""

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
        """The newest first."""
        asked = {"ClusterName": ARN, "Type": "DeepHealthCheck", "SortBy": "CreationTime", "SortOrder": "Descending", "MaxResults": 100}
        summaries = [{"OperationId": name(number), "Status": status} for number, status in operations]
        self.stub.add_response("list_cluster_operations", {"ClusterOperationSummaries": summaries}, asked)

    def describes(self, number: int, group: str = "a", checks: t.Sequence[str] = (STRESS,), ids: t.Sequence[str] = ()) -> None:
        details = {"InstanceGroupName": group, "DeepHealthChecks": list(checks), **({"InstanceIds": list(ids)} if ids else {})}
        answer = {"DeepHealthCheckDetails": [details]}
        self.stub.add_response("describe_cluster_operation", answer, {"ClusterName": ARN, "OperationId": name(number)})

    def begins(self, *before: Operation) -> None:
        """The look before the call, the operations of then, and the call."""
        self.shows(RUN)
        self.lists(*before)
        self.stub.add_response("start_cluster_health_check", {"ClusterArn": ARN})

    def looks(self, nodes: t.Mapping[str, str], *operations: Operation, current: int = 2) -> None:
        self.shows(nodes, current)
        self.lists(*operations)


def name(number: int) -> str:
    return f"00000000-0000-0000-0000-{number:012}"


@pytest.fixture
def service(stubbed: t.Any) -> t.Callable[..., Service]:
    return lambda *ids: Service(stubbed, Check("a", (STRESS,), ids))


def run(asked: Service, *before: Operation, script: t.Callable[[], None]) -> None:
    asked.shows(RUN)
    (step,) = plan([asked.check], asked.observer.look()).steps
    asked.begins(*before)
    script()
    asked.apply(step)


def test_a_check_that_begins_minutes_later_has_not_ended(service: t.Any) -> None:
    asked = service(ONE)

    def script() -> None:
        for _look in range(LAGGING + 5):
            asked.looks(RUN)
        asked.shows(RUN)
        asked.lists((1, "InProgress"))
        asked.describes(1, ids=[ONE])
        asked.looks(CHECKED, (1, "InProgress"))
        asked.looks(RUN, (1, "InProgress"))
        asked.looks(RUN, (1, "Done"))

    run(asked, script=script)


def test_an_operation_that_is_listed_and_goes_on_is_waited_for_while_all_nodes_run(service: t.Any) -> None:
    asked = service()

    def script() -> None:
        asked.looks(RUN, (1, "InProgress"))
        asked.describes(1)
        for _look in range(LAGGING + 2):
            asked.looks(RUN, (1, "InProgress"))
        for _look in range(LAGGING):
            asked.looks(RUN, (1, "Done"))

    run(asked, script=script)


def test_a_node_that_failed_is_waited_for_after_the_operation(service: t.Any) -> None:
    """AWS replaces it; the count has it longer than the listing."""
    asked = service(ONE)

    def script() -> None:
        asked.looks(CHECKED, (1, "InProgress"))
        asked.describes(1, ids=[ONE])
        asked.looks({ONE: "ShuttingDown", TWO: "Running"}, (1, "Done"), current=1)
        for _look in range(LAGGING + 1):
            asked.looks({TWO: "Running"}, (1, "Done"))
        asked.looks({TWO: "Running", NEW: "Pending"}, (1, "Done"), current=1)
        asked.looks({TWO: "Running", NEW: "Running"}, (1, "Done"))

    run(asked, script=script)


def test_a_node_that_had_failed_before_holds_up_no_check_of_others(service: t.Any) -> None:
    asked = service(ONE)
    broken = {TWO: "Failure"}
    asked.shows(RUN)
    (step,) = plan([asked.check], asked.observer.look()).steps
    asked.looks({ONE: "Running", **broken})
    asked.stub.add_response("start_cluster_health_check", {"ClusterArn": ARN})
    asked.looks({**CHECKED, **broken}, (1, "InProgress"))
    asked.describes(1, ids=[ONE])
    asked.looks({ONE: "Running", **broken}, (1, "Done"))
    asked.apply(step)


@pytest.mark.parametrize(
    "others",
    [
        pytest.param({"group": "b"}, id="of-another-group"),
        pytest.param({"checks": ["InstanceConnectivity"]}, id="another-check"),
        pytest.param({"ids": [TWO]}, id="of-other-nodes"),
    ],
)
def test_somebody_elses_operation_is_not_ours(service: t.Any, others: t.Any) -> None:
    asked = service(ONE)

    def script() -> None:
        asked.looks(RUN, (2, "Done"), (1, "Done"))
        asked.describes(2, **others)
        asked.looks(CHECKED, (3, "InProgress"), (2, "Done"), (1, "Done"))
        asked.describes(3, ids=[ONE])
        asked.looks(RUN, (3, "Done"), (2, "Done"), (1, "Done"))

    run(asked, (1, "Done"), script=script)


def test_of_a_call_that_was_repeated_the_newest_operation_counts(service: t.Any) -> None:
    """The first reply was lost."""
    asked = service(ONE)

    def script() -> None:
        asked.looks(CHECKED, (2, "InProgress"), (1, "Superseded"))
        asked.describes(2, ids=[ONE])
        asked.looks(RUN, (2, "Done"), (1, "Superseded"))

    run(asked, script=script)


def test_an_operation_that_another_one_superseded_is_a_failure(service: t.Any) -> None:
    asked = service(ONE)

    def script() -> None:
        asked.looks(CHECKED, (1, "Superseded"))
        asked.describes(1, ids=[ONE])
        asked.looks(CHECKED, (1, "Superseded"))
        asked.looks(CHECKED, (1, "Superseded"))

    with pytest.raises(WaitFailed, match="another operation superseded it"):
        run(asked, script=script)


@pytest.mark.parametrize(
    ("operations", "told"),
    [
        ((), "AWS lists no operation for the deep health check yet"),
        (((1, "InProgress"),), "the deep health check is InProgress"),
    ],
)
def test_silence_is_no_success(service: t.Any, operations: tuple[Operation, ...], told: str) -> None:
    asked = service(ONE)

    def script() -> None:
        for look in range(36):
            asked.looks(RUN, *operations)
            if operations and not look:
                asked.describes(1, ids=[ONE])

    with pytest.raises(WaitTimeout, match=rf"is still InService, {told} after 600 s"):
        run(asked, script=script)


def test_nobody_waits_and_nothing_is_looked_for(stubbed: t.Any) -> None:
    asked = Service(stubbed, Check("a", (STRESS,), (ONE,)), waits=False)
    asked.shows(RUN)
    (step,) = plan([asked.check], asked.observer.look()).steps
    asked.stub.add_response("start_cluster_health_check", {"ClusterArn": ARN})
    asked.apply(step)
