# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When nodes and counts agree, what is waited for before a call, the progress messages and the result."""

from __future__ import annotations

import datetime
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Waits
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import HyperPod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_nodes.model import Addition, Desired, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_nodes.observe import Observer, progress_of
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_nodes.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.model import Cluster, Node

ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
MOMENT = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
ONE, TWO = "i-00000001", "i-00000002"
Counts = tuple[int, int]
"""Current and target count of group ``a``."""


def cluster(current: int = 2, target: int = 2, *, status: str = "InService", **more: t.Any) -> dict[str, t.Any]:
    group = {"InstanceGroupName": "a", "CurrentCount": current, "TargetCount": target, **more}
    return {"ClusterArn": ARN, "ClusterName": "ml", "ClusterStatus": status, "InstanceGroups": [group]}


def state(counts: Counts, *statuses: str, group: str = "a", cluster_status: str = "InService", **more: t.Any) -> State:
    nodes = [Node(f"i-{number:08x}", group, None, "ml.m5.large", status, "", "", "") for number, status in enumerate(statuses, 1)]
    return State(Cluster.from_api(cluster(*counts, status=cluster_status, **more)), tuple(nodes))


@pytest.mark.parametrize(
    ("counts", "statuses", "agrees", "whole"),
    [
        ((2, 2), ("Running", "Running"), True, True),
        ((1, 2), ("Running",), True, False),
        ((2, 2), ("Running", "Pending"), True, False),
        ((1, 1), ("Running", "Pending"), True, True),
        ((1, 1), ("Running", "Running"), False, False),
        ((2, 2), ("Running",), False, False),
        ((0, 0), (), True, True),
    ],
)
def test_listing_and_counts_are_compared(counts: Counts, statuses: tuple[str, ...], agrees: bool, whole: bool) -> None:
    found = state(counts, *statuses)
    assert (found.agrees({"a"}), found.is_whole({"a"})) == (agrees, whole)
    assert found.agrees({"other"}) and found.is_whole({"other"})


def test_a_group_with_an_operation_in_progress_is_not_whole() -> None:
    assert not state((1, 1), "Running", ActiveOperations={"Scaling": 1}).is_whole({"a"})


@pytest.mark.parametrize(
    ("statuses", "before", "whole"),
    [
        (("Running", "Failure"), {TWO}, True),
        (("Running", "Failure"), set(), False),
        (("Running", "Pending"), {TWO}, False),
        (("Running", "Running"), {TWO}, True),
    ],
)
def test_nodes_that_had_failed_before_need_not_run(statuses: tuple[str, ...], before: set[str], whole: bool) -> None:
    found = state((2, 2), *statuses)
    assert found.is_whole({"a"}, failed_before=frozenset(before)) is whole
    assert found.failed == frozenset(each for each, status in zip((ONE, TWO), statuses, strict=True) if status == "Failure")


def test_the_nodes_of_a_group_are_counted_by_status() -> None:
    found = state((2, 2), "Running", "Pending")
    assert (found.listed("a"), found.listed("a", "Running"), found.listed("a", "Running", "Pending"), found.listed("b")) == (2, 1, 2, 0)
    assert list(found.by_id) == [ONE, TWO]


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (state((1, 1), "Running"), "InService"),
        (state((1, 2), "Running", cluster_status="Updating"), "Updating, a 1/2"),
        (state((2, 2), "Running", "Pending"), f"InService, a 2/2, {TWO} Pending"),
        (state((2, 2), "Running"), "InService, a 2/2 (1 listed)"),
        (state((3, 3), *["Pending"] * 3), "InService, a 3/3, i-00000001 Pending, i-00000002 Pending, i-00000003 Pending"),
        (state((5, 5), *["Pending"] * 5), "InService, a 5/5, i-00000001 Pending, i-00000002 Pending, i-00000003 Pending, 2 more nodes"),
    ],
)
def test_the_progress_of_a_wait_is_described(found: State, expected: str) -> None:
    assert progress_of(found) == expected


def observed(stubbed: t.Any, *readings: tuple[str, str], waits: bool = True) -> State:
    """``readings``: status of the cluster and of node ``ONE``; an empty status means that the node is gone."""
    client, stub = stubbed("sagemaker")
    about = {"InstanceGroupName": "a", "InstanceType": "ml.m5.large", "LaunchTime": MOMENT}
    for status, node in readings:
        stub.add_response("describe_cluster", cluster(status=status), {"ClusterName": ARN})
        nodes = [{**about, "InstanceId": TWO, "InstanceStatus": {"Status": "SystemUpdating"}}]
        nodes += [{**about, "InstanceId": ONE, "InstanceStatus": {"Status": node}}] if node else []
        stub.add_response("list_cluster_nodes", {"ClusterNodeSummaries": nodes})
    paused: list[float] = []
    clock = Clock(now=lambda: sum(paused), sleep=paused.append, jitter=lambda: 0.0)
    waiting = Waits(timeout=60, interval=20, clock=clock) if waits else None
    return Observer(HyperPod(client), ARN, waits=waiting, node_ids=(ONE,), node_types={"a": "compute"})()


@pytest.mark.parametrize(
    "readings",
    [
        [("InService", "Running")],
        [("InService", "")],
        [("InService", "Failure")],
        [("InService", "Pending")],
        [("InService", "SystemUpdating")],
        [("InService", "DeepHealthCheckInProgress")],
        [("Updating", "Running"), ("InService", "Running")],
        [("InService", "ShuttingDown"), ("InService", "")],
        [("SystemUpdating", "ShuttingDown"), ("InService", "ShuttingDown"), ("InService", "Running")],
    ],
)
def test_an_operation_of_an_earlier_run_is_waited_for(stubbed: t.Any, readings: list[tuple[str, str]]) -> None:
    found = observed(stubbed, *readings)
    assert (found.cluster.status, found.nodes[0].node_type) == ("InService", "compute")


def test_without_a_wait_the_cluster_is_read_once(stubbed: t.Any) -> None:
    assert observed(stubbed, ("Updating", "ShuttingDown"), waits=False).cluster.status == "Updating"


def test_the_result_contains_the_nodes() -> None:
    nodes = [Node(each, group, kind, "ml.m5.large", "Running", "", "", "") for each, group, kind in ((TWO, "a", "compute"), (ONE, "b", None), (ONE, "a", None))]
    returned = [(each["group"], each["instance_id"], each["node_type"], each["status"]) for each in result(State(state((0, 0)).cluster, tuple(nodes)))["nodes"]]
    assert returned == [("a", ONE, None, "Running"), ("a", TWO, "compute", "Running"), ("b", ONE, None, "Running")]


def test_options_have_the_documented_defaults() -> None:
    desired = Desired(ARN, "absent")
    assert (desired.node_ids, desired.additions, desired.node_types, desired.route, desired.calls) == ((), (), None, "api", True)
    assert not Desired(ARN, "rebooted", route="orchestrator").calls
    assert (Addition("a", 1).zones, Addition("a", 1).types) == ((), ())
    assert [Desired(ARN, name).verb.done for name in ("added", "absent", "rebooted", "replaced")] == ["added", "deleted", "rebooted", "replaced"]
