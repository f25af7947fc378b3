# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""SageMaker's answers about nodes in transition: late ones, refusals that are no failures, fewer nodes than before."""

from __future__ import annotations

import datetime
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Incomplete
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock, WaitTimeout
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Waits
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import HyperPod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_nodes.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_nodes.model import Addition, Desired, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_nodes.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_nodes.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.waits import LAGGING

ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
ONE, TWO, NEW = "i-00000001", "i-00000002", "i-0000000a"
MOMENT = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
Nodes = t.Mapping[str, str]


class Service:
    """A client with scripted answers, and a clock that never blocks.

    A reading is a target count and the statuses of nodes, plus the current count if that differs from the number of running nodes.
    """

    def __init__(self, stubbed: t.Any, desired: Desired) -> None:
        client, self.stub = stubbed("sagemaker")
        self.paused: list[float] = []
        self.desired = desired
        clock = Clock(now=lambda: sum(self.paused), sleep=self.paused.append, jitter=lambda: 0.0)
        api = HyperPod(client)
        self.apply = Applier(api, desired, Observer(api, ARN, waits=Waits(timeout=600, interval=20, clock=clock)))

    def shows(self, *readings: tuple[int, Nodes] | tuple[int, Nodes, int]) -> None:
        for target, nodes, *counted in readings:
            current = counted[0] if counted else list(nodes.values()).count("Running")
            group = {"InstanceGroupName": "a", "CurrentCount": current, "TargetCount": target}
            cluster = {"ClusterArn": ARN, "ClusterName": "ml", "ClusterStatus": "InService", "NodeProvisioningMode": "Continuous"}
            self.stub.add_response("describe_cluster", {**cluster, "InstanceGroups": [group]})
            about = {"InstanceGroupName": "a", "InstanceType": "ml.m5.large", "LaunchTime": MOMENT}
            summaries = [{**about, "InstanceId": each, "InstanceStatus": {"Status": status}} for each, status in nodes.items()]
            self.stub.add_response("list_cluster_nodes", {"ClusterNodeSummaries": summaries})

    def answers(self, *refused: tuple[str, str]) -> None:
        verb = {"rebooted": "reboot", "replaced": "replace", "absent": "delete"}[self.desired.state]
        failed = [{"NodeId": each, "ErrorCode": code, "Message": ""} for each, code in refused]
        self.stub.add_response(f"batch_{verb}_cluster_nodes", {"Failed": failed} if failed else {})

    def read(self) -> State:
        return self.apply.observer.look()


@pytest.fixture
def service(stubbed: t.Any) -> t.Callable[..., Service]:
    return lambda state, *ids: Service(stubbed, Desired(ARN, state, ids))


def run(aws: Service) -> None:
    (step,) = plan(aws.desired, aws.read()).steps
    aws.apply(step)


BOTH = (2, {ONE: "Running", TWO: "Running"})


def test_an_observed_reboot_is_complete_when_the_node_runs(service: t.Any) -> None:
    aws = service("rebooted", ONE)
    aws.shows(BOTH, BOTH)
    aws.answers()
    aws.shows(BOTH, (2, {ONE: "Pending", TWO: "Running"}), BOTH)
    run(aws)


def test_an_unobserved_reboot_is_complete_after_some_readings(service: t.Any) -> None:
    aws = service("rebooted", ONE)
    aws.shows(BOTH, BOTH)
    aws.answers()
    aws.shows(*[BOTH] * LAGGING)
    run(aws)
    assert sum(aws.paused) >= 15


def test_a_node_is_replaced_when_another_one_runs(service: t.Any) -> None:
    aws = service("replaced", ONE)
    aws.shows(BOTH, BOTH)
    aws.answers()
    left = {TWO: "Running"}
    aws.shows(BOTH, (2, {**left, ONE: "ShuttingDown"}), (2, left), (2, {**left, NEW: "Pending"}), (2, {**left, NEW: "Running"}))
    run(aws)


@pytest.mark.parametrize("status", ["DetachInProgress", "AttachInProgress", "ShuttingDown", "Splendid"])
def test_a_node_that_leaves_its_group_is_waited_for(service: t.Any, status: str) -> None:
    """Even with a status that is newer than this collection."""
    aws = service("replaced", ONE)
    aws.apply.observer.node_ids = (ONE,)
    aws.shows((1, {ONE: status, TWO: "Running"}), (2, {ONE: status, TWO: "Running"}), BOTH)
    assert aws.apply.observer().by_id[ONE].status == "Running"


@pytest.mark.parametrize("status", ["Running", "Failure", "Pending", "SystemUpdating", "DeepHealthCheckInProgress"])
def test_a_node_that_may_hang_is_replaced_at_once(service: t.Any, status: str) -> None:
    aws = service("replaced", ONE)
    aws.apply.observer.node_ids = (ONE,)
    aws.shows((2, {ONE: status, TWO: "Running"}))
    assert aws.apply.observer().by_id[ONE].status == status


def test_a_replacement_is_complete_if_an_autoscaler_reduces_the_count(service: t.Any) -> None:
    aws = service("replaced", ONE)
    aws.shows(BOTH, BOTH)
    aws.answers()
    aws.shows((2, {TWO: "Running"}), *[(1, {TWO: "Running"})] * LAGGING)
    run(aws)


LEFT = {TWO: "Running"}
COUNTED_STILL = (2, LEFT, 2)
"""The listing has dropped a node that the count still includes."""
DONE = (2, {**LEFT, NEW: "Running"})


@pytest.mark.parametrize(
    "meanwhile",
    [
        pytest.param([COUNTED_STILL] * (LAGGING + 5), id="the-count-lags"),
        pytest.param([(2, {**LEFT, NEW: "Failure"}, 2)] * (LAGGING + 1), id="the-first-attempt-fails"),
        pytest.param([(2, {**LEFT, NEW: "Failure"}, 2), *[COUNTED_STILL] * (LAGGING + 1)], id="in-no-list-between-two-attempts"),
        pytest.param([(2, {**LEFT, NEW: "ANewStatus"}, 2)] * (LAGGING + 1), id="an-unknown-status"),
        pytest.param([(2, {**LEFT, NEW: "Running"}, 3)] * (LAGGING + 1), id="another-one-runs-and-the-count-has-both"),
    ],
)
def test_a_replacement_ends_when_listing_and_counts_agree(service: t.Any, meanwhile: t.Any) -> None:
    aws = service("replaced", ONE)
    aws.shows(BOTH, BOTH)
    aws.answers()
    aws.shows(*meanwhile, (2, {**LEFT, NEW: "Pending"}), DONE)
    run(aws)


def test_a_deletion_is_complete_when_the_count_has_dropped_too(service: t.Any) -> None:
    aws = service("absent", ONE)
    aws.shows(BOTH, BOTH)
    aws.answers()
    aws.shows((1, {**LEFT, ONE: "ShuttingDown"}, 2), (1, LEFT, 2), (1, LEFT, 2), (1, LEFT))
    run(aws)


def test_an_addition_is_complete_when_the_count_includes_the_nodes(stubbed: t.Any) -> None:
    aws = Service(stubbed, Desired(ARN, "added", (), (Addition("a", 1),)))
    aws.shows((1, LEFT), (1, LEFT))
    aws.stub.add_response("batch_add_cluster_nodes", {"Successful": [], "Failed": []})
    aws.shows((2, LEFT, 1), (2, {**LEFT, NEW: "Pending"}, 1), (2, {**LEFT, NEW: "Running"}, 1), DONE)
    run(aws)


def test_a_node_that_had_already_failed_does_not_delay_the_wait(service: t.Any) -> None:
    """An autoscaler does not replace the node, and the group's other node was already broken."""
    broken = {TWO: "Failure"}
    aws = service("replaced", ONE)
    aws.shows(*[(2, {ONE: "Running", **broken}, 2)] * 2)
    aws.answers()
    aws.shows(*[(1, broken, 1)] * LAGGING)
    run(aws)


@pytest.mark.parametrize(("state", "seen"), [("replaced", {TWO: "Running"}), ("replaced", {ONE: "ShuttingDown"}), ("rebooted", {ONE: "Pending"})])
def test_a_refusal_of_an_operation_in_progress_is_no_failure(service: t.Any, state: str, seen: Nodes) -> None:
    """The first reply was lost, and the second call is refused because of the first."""
    aws = service(state, ONE)
    aws.shows(BOTH, BOTH)
    aws.answers((ONE, "InstanceIdInUse"))
    aws.shows((2, seen), (2, {ONE if state == "rebooted" else NEW: "Running", TWO: "Running"}))
    if state == "rebooted":
        aws.shows(*[BOTH] * (LAGGING - 1))
    run(aws)


def test_a_refused_reboot_that_is_complete_meanwhile_succeeds(service: t.Any) -> None:
    aws = service("rebooted", ONE)
    aws.shows(BOTH, BOTH)
    aws.answers((ONE, "InvalidInstanceStatus"))
    aws.shows(*[BOTH] * (1 + LAGGING))
    run(aws)


@pytest.mark.parametrize(("code", "before"), [("InternalServerError", "Running"), ("InvalidInstanceStatus", "Failure")])
def test_a_reboot_that_was_refused_for_other_reasons_is_a_failure(service: t.Any, code: str, before: str) -> None:
    aws = service("rebooted", ONE)
    reading = (2, {ONE: before, TWO: "Running"})
    aws.shows(reading, reading)
    aws.answers((ONE, code))
    aws.shows(reading)
    with pytest.raises(Incomplete, match=code):
        run(aws)


@pytest.fixture
def waits(stubbed: t.Any) -> t.Callable[..., Service]:
    """The operation was already requested through Slurm: the module calls none, and the stub would refuse one."""
    return lambda state, *ids: Service(stubbed, Desired(ARN, state, ids, route="orchestrator"))


def test_a_replacement_requested_through_slurm_is_waited_for(waits: t.Any) -> None:
    aws = waits("replaced", ONE)
    left = {TWO: "Running"}
    aws.shows(BOTH, BOTH, BOTH, (2, {**left, ONE: "ShuttingDown"}), (2, {**left, NEW: "Pending"}), (2, {**left, NEW: "Running"}))
    run(aws)


def test_the_replacement_of_a_vanished_node_is_complete_when_the_group_is_stable(waits: t.Any) -> None:
    aws = waits("replaced", ONE)
    gone, arriving = (2, {TWO: "Running"}), (2, {TWO: "Running", NEW: "Pending"})
    lagging = (1, {TWO: "Running", NEW: "Pending"})
    aws.shows(gone, gone, *[gone] * LAGGING, *[lagging] * LAGGING, arriving, *[(2, {TWO: "Running", NEW: "Running"})] * LAGGING)
    run(aws)
    aws.stub.assert_no_pending_responses()


def test_a_reboot_requested_through_slurm_is_waited_for(waits: t.Any) -> None:
    aws = waits("rebooted", ONE)
    aws.shows(BOTH, BOTH, BOTH, (2, {ONE: "Pending", TWO: "Running"}), BOTH)
    run(aws)
    aws.stub.assert_no_pending_responses()


def test_a_refusal_is_reported_with_the_completed_operations(service: t.Any) -> None:
    aws = service("replaced", ONE, TWO)
    aws.shows(BOTH, BOTH)
    aws.answers((TWO, "InternalServerError"))
    aws.shows(BOTH, (2, {TWO: "Running", NEW: "Running"}))
    with pytest.raises(Incomplete, match=rf"{TWO} \(InternalServerError\)\. The other nodes are replaced\.") as caught:
        run(aws)
    assert [change.before for change in caught.value.done] == [ONE]


def test_a_partial_addition_is_reported_as_a_change(stubbed: t.Any) -> None:
    aws = Service(stubbed, Desired(ARN, "added", (), (Addition("a", 3),)))
    aws.shows((1, {ONE: "Running"}), (1, {ONE: "Running"}))
    failed = {"InstanceGroupName": "a", "ErrorCode": "IncompatibleAvailabilityZones", "FailedCount": 2}
    made = {"NodeLogicalId": "a-1", "InstanceGroupName": "a", "Status": "Pending"}
    aws.stub.add_response("batch_add_cluster_nodes", {"Successful": [made], "Failed": [failed]})
    aws.shows((1, {ONE: "Running"}), (2, {ONE: "Running", NEW: "Running"}))
    with pytest.raises(Incomplete, match=r"2 for group a \(IncompatibleAvailabilityZones\)\. The other nodes are added") as caught:
        run(aws)
    assert [change.after for change in caught.value.done] == [1]


def test_a_count_that_differs_from_the_listing_is_reported_during_the_wait(service: t.Any) -> None:
    aws = service("replaced", ONE)
    aws.shows(BOTH, BOTH)
    aws.answers()
    aws.shows(*[COUNTED_STILL] * 36)
    with pytest.raises(WaitTimeout, match=r"is still InService, a 2/2 \(1 listed\) after"):
        run(aws)


@pytest.mark.parametrize("failed", [0, 2])
def test_a_group_without_new_nodes_does_not_end_the_wait_for_another_group(stubbed: t.Any, failed: int) -> None:
    additions = (Addition("a", 1), Addition("b", 2)) if failed else (Addition("a", 1),)
    aws = Service(stubbed, Desired(ARN, "added", (), additions))

    def shows(*statuses: tuple[int, Nodes]) -> None:
        for target, nodes in statuses:
            groups = [
                {"InstanceGroupName": "a", "CurrentCount": list(nodes.values()).count("Running"), "TargetCount": target},
                {"InstanceGroupName": "b", "CurrentCount": 0, "TargetCount": 0},
            ]
            cluster = {"ClusterArn": ARN, "ClusterName": "ml", "ClusterStatus": "InService", "NodeProvisioningMode": "Continuous"}
            aws.stub.add_response("describe_cluster", {**cluster, "InstanceGroups": groups})
            about = {"InstanceGroupName": "a", "InstanceType": "ml.m5.large", "LaunchTime": MOMENT}
            summaries = [{**about, "InstanceId": each, "InstanceStatus": {"Status": status}} for each, status in nodes.items()]
            aws.stub.add_response("list_cluster_nodes", {"ClusterNodeSummaries": summaries})

    before = (1, {ONE: "Running"})
    shows(before, before)
    made = {"NodeLogicalId": "a-1", "InstanceGroupName": "a", "Status": "Pending"}
    refused = [{"InstanceGroupName": "b", "ErrorCode": "IncompatibleAvailabilityZones", "FailedCount": failed}] if failed else []
    aws.stub.add_response("batch_add_cluster_nodes", {"Successful": [made], "Failed": refused})
    shows(before, (2, {ONE: "Running", NEW: "Running"}))
    if not failed:
        run(aws)
        return
    with pytest.raises(Incomplete, match=r"2 for group b \(IncompatibleAvailabilityZones\)") as caught:
        run(aws)
    assert [(change.resource, change.after) for change in caught.value.done] == [("nodes of group a", 1)]


def test_a_deletion_is_complete_when_all_nodes_are_gone(stubbed: t.Any) -> None:
    aws = Service(stubbed, Desired(ARN, "absent", (ONE, TWO)))
    aws.shows(BOTH, BOTH)
    aws.stub.add_response("batch_delete_cluster_nodes", {})
    aws.shows((1, {TWO: "ShuttingDown"}), (0, {}))
    run(aws)
