# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is made of SageMaker's answers about nodes on their way: late ones, refusals that are none, fewer than before."""

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
    """A client with a script, and a clock that nobody waits for.

    A look is a target count and the statuses of nodes, and the current count where that is not the number of those that run.
    """

    def __init__(self, stubbed: t.Any, desired: Desired) -> None:
        client, self.stub = stubbed("sagemaker")
        self.paused: list[float] = []
        self.desired = desired
        clock = Clock(now=lambda: sum(self.paused), sleep=self.paused.append, jitter=lambda: 0.0)
        api = HyperPod(client)
        self.apply = Applier(api, desired, Observer(api, ARN, waits=Waits(timeout=600, interval=20, clock=clock)))

    def shows(self, *looks: tuple[int, Nodes] | tuple[int, Nodes, int]) -> None:
        for target, nodes, *counted in looks:
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

    def looked(self) -> State:
        return self.apply.observer.look()


@pytest.fixture
def service(stubbed: t.Any) -> t.Callable[..., Service]:
    return lambda state, *ids: Service(stubbed, Desired(ARN, state, ids))


def run(asked: Service) -> None:
    (step,) = plan(asked.desired, asked.looked()).steps
    asked.apply(step)


BOTH = (2, {ONE: "Running", TWO: "Running"})


def test_a_reboot_that_was_seen_is_over_when_it_runs(service: t.Any) -> None:
    asked = service("rebooted", ONE)
    asked.shows(BOTH, BOTH)
    asked.answers()
    asked.shows(BOTH, (2, {ONE: "Pending", TWO: "Running"}), BOTH)
    run(asked)


def test_a_reboot_that_nobody_saw_is_over_after_some_looks(service: t.Any) -> None:
    asked = service("rebooted", ONE)
    asked.shows(BOTH, BOTH)
    asked.answers()
    asked.shows(*[BOTH] * LAGGING)
    run(asked)
    assert sum(asked.paused) >= 15


def test_a_node_is_replaced_when_another_one_runs(service: t.Any) -> None:
    asked = service("replaced", ONE)
    asked.shows(BOTH, BOTH)
    asked.answers()
    left = {TWO: "Running"}
    asked.shows(BOTH, (2, {**left, ONE: "ShuttingDown"}), (2, left), (2, {**left, NEW: "Pending"}), (2, {**left, NEW: "Running"}))
    run(asked)


@pytest.mark.parametrize("status", ["DetachInProgress", "AttachInProgress", "ShuttingDown", "Splendid"])
def test_a_node_that_leaves_its_group_is_waited_for(service: t.Any, status: str) -> None:
    """Also one with a status that is newer than this collection."""
    asked = service("replaced", ONE)
    asked.apply.observer.node_ids = (ONE,)
    asked.shows((1, {ONE: status, TWO: "Running"}), (2, {ONE: status, TWO: "Running"}), BOTH)
    assert asked.apply.observer().by_id[ONE].status == "Running"


@pytest.mark.parametrize("status", ["Running", "Failure", "Pending", "SystemUpdating", "DeepHealthCheckInProgress"])
def test_a_node_that_may_hang_is_replaced_at_once(service: t.Any, status: str) -> None:
    asked = service("replaced", ONE)
    asked.apply.observer.node_ids = (ONE,)
    asked.shows((2, {ONE: status, TWO: "Running"}))
    assert asked.apply.observer().by_id[ONE].status == status


def test_an_autoscaler_may_do_without_another_one(service: t.Any) -> None:
    asked = service("replaced", ONE)
    asked.shows(BOTH, BOTH)
    asked.answers()
    asked.shows((2, {TWO: "Running"}), *[(1, {TWO: "Running"})] * LAGGING)
    run(asked)


LEFT = {TWO: "Running"}
COUNTED_STILL = (2, LEFT, 2)
"""The listing has dropped a node that the count still has."""
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
    asked = service("replaced", ONE)
    asked.shows(BOTH, BOTH)
    asked.answers()
    asked.shows(*meanwhile, (2, {**LEFT, NEW: "Pending"}), DONE)
    run(asked)


def test_a_deletion_ends_when_the_count_has_dropped_the_node_too(service: t.Any) -> None:
    asked = service("absent", ONE)
    asked.shows(BOTH, BOTH)
    asked.answers()
    asked.shows((1, {**LEFT, ONE: "ShuttingDown"}, 2), (1, LEFT, 2), (1, LEFT, 2), (1, LEFT))
    run(asked)


def test_added_nodes_are_there_when_the_count_has_them_too(stubbed: t.Any) -> None:
    asked = Service(stubbed, Desired(ARN, "added", (), (Addition("a", 1),)))
    asked.shows((1, LEFT), (1, LEFT))
    asked.stub.add_response("batch_add_cluster_nodes", {"Successful": [], "Failed": []})
    asked.shows((2, LEFT, 1), (2, {**LEFT, NEW: "Pending"}, 1), (2, {**LEFT, NEW: "Running"}, 1), DONE)
    run(asked)


def test_a_node_that_had_failed_before_holds_up_no_wait(service: t.Any) -> None:
    """An autoscaler does without another one, and the group's other node is broken as it was."""
    broken = {TWO: "Failure"}
    asked = service("replaced", ONE)
    asked.shows(*[(2, {ONE: "Running", **broken}, 2)] * 2)
    asked.answers()
    asked.shows(*[(1, broken, 1)] * LAGGING)
    run(asked)


@pytest.mark.parametrize(("state", "seen"), [("replaced", {TWO: "Running"}), ("replaced", {ONE: "ShuttingDown"}), ("rebooted", {ONE: "Pending"})])
def test_a_refusal_of_what_is_on_its_way_is_none(service: t.Any, state: str, seen: Nodes) -> None:
    """The first reply was lost, and the second one says that the node can't be had."""
    asked = service(state, ONE)
    asked.shows(BOTH, BOTH)
    asked.answers((ONE, "InstanceIdInUse"))
    asked.shows((2, seen), (2, {ONE if state == "rebooted" else NEW: "Running", TWO: "Running"}))
    if state == "rebooted":
        asked.shows(*[BOTH] * (LAGGING - 1))
    run(asked)


def test_a_reboot_that_was_refused_and_is_over_by_now_is_done(service: t.Any) -> None:
    asked = service("rebooted", ONE)
    asked.shows(BOTH, BOTH)
    asked.answers((ONE, "InvalidInstanceStatus"))
    asked.shows(*[BOTH] * (1 + LAGGING))
    run(asked)


@pytest.mark.parametrize(("code", "before"), [("InternalServerError", "Running"), ("InvalidInstanceStatus", "Failure")])
def test_a_reboot_that_was_refused_for_other_reasons_is_a_failure(service: t.Any, code: str, before: str) -> None:
    asked = service("rebooted", ONE)
    looks = (2, {ONE: before, TWO: "Running"})
    asked.shows(looks, looks)
    asked.answers((ONE, code))
    asked.shows(looks)
    with pytest.raises(Incomplete, match=code):
        run(asked)


@pytest.fixture
def waits(stubbed: t.Any) -> t.Callable[..., Service]:
    """Somebody has asked HyperPod by Slurm: no operation is called, which the stub would refuse."""
    return lambda state, *ids: Service(stubbed, Desired(ARN, state, ids, route="orchestrator"))


def test_a_replacement_that_was_asked_for_in_slurm_is_waited_for(waits: t.Any) -> None:
    asked = waits("replaced", ONE)
    left = {TWO: "Running"}
    asked.shows(BOTH, BOTH, BOTH, (2, {**left, ONE: "ShuttingDown"}), (2, {**left, NEW: "Pending"}), (2, {**left, NEW: "Running"}))
    run(asked)


def test_a_node_that_was_gone_at_once_is_replaced_when_nothing_moves_any_more(waits: t.Any) -> None:
    asked = waits("replaced", ONE)
    gone, comes = (2, {TWO: "Running"}), (2, {TWO: "Running", NEW: "Pending"})
    told_late = (1, {TWO: "Running", NEW: "Pending"})
    asked.shows(gone, gone, *[gone] * LAGGING, *[told_late] * LAGGING, comes, *[(2, {TWO: "Running", NEW: "Running"})] * LAGGING)
    run(asked)
    asked.stub.assert_no_pending_responses()


def test_a_reboot_that_was_asked_for_in_slurm_is_waited_for(waits: t.Any) -> None:
    asked = waits("rebooted", ONE)
    asked.shows(BOTH, BOTH, BOTH, (2, {ONE: "Pending", TWO: "Running"}), BOTH)
    run(asked)
    asked.stub.assert_no_pending_responses()


def test_a_refusal_is_told_with_what_was_done(service: t.Any) -> None:
    asked = service("replaced", ONE, TWO)
    asked.shows(BOTH, BOTH)
    asked.answers((TWO, "InternalServerError"))
    asked.shows(BOTH, (2, {TWO: "Running", NEW: "Running"}))
    with pytest.raises(Incomplete, match=rf"{TWO} \(InternalServerError\); the others are replaced\.") as caught:
        run(asked)
    assert [change.before for change in caught.value.done] == [ONE]


def test_a_part_of_a_group_that_was_added_counts(stubbed: t.Any) -> None:
    asked = Service(stubbed, Desired(ARN, "added", (), (Addition("a", 3),)))
    asked.shows((1, {ONE: "Running"}), (1, {ONE: "Running"}))
    failed = {"InstanceGroupName": "a", "ErrorCode": "IncompatibleAvailabilityZones", "FailedCount": 2}
    made = {"NodeLogicalId": "a-1", "InstanceGroupName": "a", "Status": "Pending"}
    asked.stub.add_response("batch_add_cluster_nodes", {"Successful": [made], "Failed": [failed]})
    asked.shows((1, {ONE: "Running"}), (2, {ONE: "Running", NEW: "Running"}))
    with pytest.raises(Incomplete, match=r"2 for group a \(IncompatibleAvailabilityZones\); the others are added") as caught:
        run(asked)
    assert [change.after for change in caught.value.done] == [1]


def test_a_count_that_the_listing_does_not_have_is_reported_while_it_is_waited_for(service: t.Any) -> None:
    asked = service("replaced", ONE)
    asked.shows(BOTH, BOTH)
    asked.answers()
    asked.shows(*[COUNTED_STILL] * 36)
    with pytest.raises(WaitTimeout, match=r"is still InService, a 2/2 with 1 listed after"):
        run(asked)


@pytest.mark.parametrize("failed", [0, 2])
def test_a_group_that_got_no_node_does_not_end_the_wait_for_another(stubbed: t.Any, failed: int) -> None:
    additions = (Addition("a", 1), Addition("b", 2)) if failed else (Addition("a", 1),)
    asked = Service(stubbed, Desired(ARN, "added", (), additions))

    def shows(*statuses: tuple[int, Nodes]) -> None:
        for target, nodes in statuses:
            groups = [
                {"InstanceGroupName": "a", "CurrentCount": list(nodes.values()).count("Running"), "TargetCount": target},
                {"InstanceGroupName": "b", "CurrentCount": 0, "TargetCount": 0},
            ]
            cluster = {"ClusterArn": ARN, "ClusterName": "ml", "ClusterStatus": "InService", "NodeProvisioningMode": "Continuous"}
            asked.stub.add_response("describe_cluster", {**cluster, "InstanceGroups": groups})
            about = {"InstanceGroupName": "a", "InstanceType": "ml.m5.large", "LaunchTime": MOMENT}
            summaries = [{**about, "InstanceId": each, "InstanceStatus": {"Status": status}} for each, status in nodes.items()]
            asked.stub.add_response("list_cluster_nodes", {"ClusterNodeSummaries": summaries})

    before = (1, {ONE: "Running"})
    shows(before, before)
    made = {"NodeLogicalId": "a-1", "InstanceGroupName": "a", "Status": "Pending"}
    refused = [{"InstanceGroupName": "b", "ErrorCode": "IncompatibleAvailabilityZones", "FailedCount": failed}] if failed else []
    asked.stub.add_response("batch_add_cluster_nodes", {"Successful": [made], "Failed": refused})
    shows(before, (2, {ONE: "Running", NEW: "Running"}))
    if not failed:
        run(asked)
        return
    with pytest.raises(Incomplete, match=r"2 for group b \(IncompatibleAvailabilityZones\)") as caught:
        run(asked)
    assert [(change.resource, change.after) for change in caught.value.done] == [("nodes of group a", 1)]


def test_all_nodes_must_be_gone_before_a_deletion_has_ended(stubbed: t.Any) -> None:
    asked = Service(stubbed, Desired(ARN, "absent", (ONE, TWO)))
    asked.shows(BOTH, BOTH)
    asked.stub.add_response("batch_delete_cluster_nodes", {})
    asked.shows((1, {TWO: "ShuttingDown"}), (0, {}))
    run(asked)
