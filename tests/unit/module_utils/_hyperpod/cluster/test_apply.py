# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""SageMaker's answers during a change: late ones, unexpected ones, and those caused by concurrent changes."""

from __future__ import annotations

import datetime
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import LostRace
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock, WaitFailed
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Waits
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import HyperPod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster.model import Desired, Found, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.waits import LAGGING

ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
ROLE = "arn:aws:iam::111111111111:role/hyperpod-nodes"
EKS = {
    "VpcConfig": {"SecurityGroupIds": ["sg-1"], "Subnets": ["subnet-1"]},
    "Orchestrator": {"Eks": {"ClusterArn": "arn:aws:eks:us-west-2:111111111111:cluster/one"}},
}
GROUP = {"name": "a", "instance_type": "ml.m5.large", "instance_count": 2, "execution_role": ROLE}


def wanted(**group: t.Any) -> Desired:
    return Desired("ml", groups={"instance_groups": {"a": {"name": "a", **group}}})


def found(**group: t.Any) -> State:
    return State(Found(ARN, "ml", "InService", {}, {"instance_groups": {"a": {**GROUP, **group}}, "restricted_instance_groups": {}}))


def answer(status: str = "InService", group: str = "InService", count: int = 2, **more: t.Any) -> dict[str, t.Any]:
    about = {"InstanceGroupName": "a", "InstanceType": "ml.m5.large", "ExecutionRole": ROLE, "Status": group}
    counts = {"CurrentCount": count, "TargetCount": count}
    return {"ClusterArn": ARN, "ClusterStatus": status, "InstanceGroups": [{**about, **counts, **more}]}


class Service:
    """A client with scripted answers, and a clock that never blocks."""

    def __init__(self, stubbed: t.Any, desired: Desired, waits: bool) -> None:
        client, self.stub = stubbed("sagemaker")
        self.paused: list[float] = []
        self.seen: list[str] = []
        clock = Clock(now=lambda: sum(self.paused), sleep=self.paused.append, jitter=lambda: 0.0)
        api = HyperPod(client)
        self.desired = desired
        self.warnings: list[str] = []
        observer = Observer(api, desired, waits=Waits(timeout=600, interval=20, clock=clock) if waits else None)
        self.apply = Applier(api, desired, observer, warn=self.warnings.append)

    def describes(self, *answers: dict[str, t.Any] | None) -> None:
        for each in answers:
            if each is None:
                self.stub.add_client_error("describe_cluster", "ResourceNotFound")
            else:
                self.stub.add_response("describe_cluster", {"CreationTime": datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc), **each})

    def updates(self, **group: t.Any) -> None:
        sent = {"InstanceGroupName": "a", "InstanceType": "ml.m5.large", "ExecutionRole": ROLE, "InstanceCount": 2, **group}
        self.stub.add_response("update_cluster", {"ClusterArn": ARN}, {"ClusterName": ARN, "InstanceGroups": [sent]})

    def has_operations(self, *scalings: tuple[int, int]) -> None:
        """Each with the group's count before and after it, newest first; the test expects details of new ones, oldest first."""
        ids = [f"00000000-0000-0000-0000-00000000000{len(scalings) - turn}" for turn in range(len(scalings))]
        self.stub.add_response(
            "list_cluster_operations",
            {"ClusterOperationSummaries": [{"OperationId": each} for each in ids]},
            {"ClusterName": ARN, "Type": "Scaling", "SortBy": "CreationTime", "SortOrder": "Descending", "MaxResults": 100},
        )
        for each, (before, after) in reversed([*zip(ids, scalings)]):
            if each not in self.seen:
                details = {"InstanceGroupName": "a", "Original": {"TargetCount": before}, "Desired": {"TargetCount": after}}
                self.stub.add_response("describe_cluster_operation", {"ScalingDetails": [details]}, {"ClusterName": ARN, "OperationId": each})
        self.seen += ids

    def adds(self, count: int, *refused: str) -> None:
        """Expect a request for more nodes of the group; ``refused``: the error code of one of them."""
        failed = [{"InstanceGroupName": "a", "ErrorCode": code, "FailedCount": 1} for code in refused]
        request = {"ClusterName": ARN, "NodesToAdd": [{"InstanceGroupName": "a", "IncrementTargetCountBy": count}]}
        self.stub.add_response("batch_add_cluster_nodes", {"Successful": [], "Failed": failed}, request)

    def has_events(self, *messages: str) -> None:
        moment = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
        ids = [f"00000000-0000-0000-0000-00000000000{turn}" for turn in range(len(messages))]
        about = {"ClusterArn": ARN, "ClusterName": "ml", "ResourceType": "Cluster", "EventLevel": "Error"}
        events = [{"EventId": each, "EventTime": moment - datetime.timedelta(minutes=turn), **about} for turn, each in enumerate(ids)]
        self.stub.add_response("list_cluster_events", {"Events": events})
        for event, message in zip(events, messages):
            details = {"EventDetails": {"EventMetadata": {"Cluster": {"FailureMessage": message}}}}
            summary = {key: value for key, value in event.items() if key != "EventLevel"}
            self.stub.add_response("describe_cluster_event", {"EventDetails": {**summary, **details}})


@pytest.fixture
def service(stubbed: t.Any) -> t.Callable[[Desired], Service]:
    return lambda desired, *, waits=True: Service(stubbed, desired, waits)


@pytest.mark.parametrize(
    ("message", "config", "next_step"),
    [
        ("LifeCycleConfig is required for instance groups of EKS clusters", {}, True),
        ("A life cycle configuration is missing", {}, True),
        ("The subnet subnet-1 does not exist", {}, False),
        ("LifeCycleConfig.OnCreate does not exist in S3", {"life_cycle_config": {"source_s3_uri": "s3://sagemaker-x", "on_create": "a.sh"}}, False),
    ],
)
def test_the_error_for_a_group_without_scripts_names_the_solution(service: t.Any, message: str, config: dict[str, t.Any], next_step: bool) -> None:
    settings = {"orchestrator": {"eks": {"cluster_arn": "arn:aws:eks:us-west-2:111111111111:cluster/one"}}}
    network = {"vpc_config": {"security_group_ids": ["sg-1"], "subnets": ["subnet-1"]}}
    desired = Desired("ml", settings={**settings, **network}, groups={"instance_groups": {"a": {**GROUP, **config}}})
    aws = service(desired)
    aws.stub.add_client_error("create_cluster", "ValidationException", message)
    (step,) = plan(desired, State()).steps
    with pytest.raises(AwsError, match=message) as error:
        aws.apply(step)
    assert ("instance groups a have no life_cycle_config. Set source_s3_uri to a folder in S3" in str(error.value)) is next_step


def test_an_undeclared_count_is_read_right_before_the_call(service: t.Any) -> None:
    """An autoscaler changed it between the read and the call, and the call keeps the new count."""
    desired = wanted(threads_per_core=2)
    (step,) = plan(desired, found()).steps
    aws = service(desired)
    aws.describes(answer(count=4))
    aws.updates(InstanceCount=4, ThreadsPerCore=2)
    aws.describes(answer(count=4, ThreadsPerCore=2))
    aws.apply(step)
    assert step.arguments["InstanceGroups"][0]["InstanceCount"] == 2, "the plan is a value"


EARLIER = (3, 2)
"""An operation from before the call."""


def scaled(count: int, labels: str = "new", *, current: int | None = None) -> dict[str, t.Any]:
    """The description of a cluster that an autoscaler scales."""
    counts = {} if current is None else {"CurrentCount": current}
    config = {"KubernetesConfig": {"DesiredLabels": {"x": labels}}}
    return {**answer(count=count, **counts, **config), "NodeProvisioningMode": "Continuous", **EKS}


def relabelled(service: t.Any, **more: t.Any) -> tuple[Service, Step]:
    """Send new labels for its group, which keeps its two nodes."""
    desired = wanted(kubernetes_config={"labels": {"x": "new"}})
    arn = EKS["Orchestrator"]["Eks"]["ClusterArn"]
    network = {"security_group_ids": ["sg-1"], "subnets": ["subnet-1"]}
    settings = {"node_provisioning_mode": "Continuous", "vpc_config": network, "orchestrator": {"eks": {"cluster_arn": arn}}}
    (step,) = plan(desired, found(kubernetes_config={"labels": {"x": "old"}}).having(settings=settings)).steps
    aws = service(desired, **more)
    aws.seen = ["00000000-0000-0000-0000-000000000001"]
    aws.describes(scaled(2, "old"))
    aws.has_operations(EARLIER)
    aws.updates(KubernetesConfig={"Labels": {"x": "new"}})
    return aws, step


def lists(aws: Service, *given: str) -> None:
    about = {"InstanceGroupName": "a", "InstanceType": "ml.m5.large", "LaunchTime": datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)}
    nodes = [{**about, "InstanceId": f"i-0000000{turn}", "InstanceStatus": {"Status": status}} for turn, status in enumerate(given)]
    aws.stub.add_response("list_cluster_nodes", {"ClusterNodeSummaries": nodes})


def test_nodes_that_move_between_groups_are_read_before_a_change_of_groups(service: t.Any) -> None:
    aws = service(wanted(instance_count=3))
    aws.describes(scaled(2))
    aws.stub.add_response("list_tags", {"Tags": []})
    lists(aws, "Running", "AttachInProgress", "DetachInProgress", "Pending")
    assert aws.apply.observer().moving == ("i-00000001", "i-00000002")
    aws.stub.assert_no_pending_responses()


@pytest.mark.parametrize(("desired", "description"), [(wanted(instance_count=2), scaled(2)), (wanted(instance_count=3), answer())])
def test_nodes_are_listed_only_if_a_change_could_undo_a_move(service: t.Any, desired: Desired, description: dict[str, t.Any]) -> None:
    aws = service(desired)
    aws.describes(description, *[description] * (desired == wanted(instance_count=2)))
    aws.stub.add_response("list_tags", {"Tags": []})
    assert aws.apply.observer().moving == ()
    aws.stub.assert_no_pending_responses()


def test_a_count_that_was_raised_just_before_the_call_is_raised_again(service: t.Any) -> None:
    """AWS records an operation with the count that the call reset; no answer contained the third node."""
    aws, step = relabelled(service)
    aws.describes(scaled(2, "old"))
    aws.has_operations(EARLIER)
    aws.describes(scaled(2))
    aws.has_operations((3, 2), (2, 3), EARLIER)
    aws.adds(1)
    aws.describes(scaled(2), scaled(3, current=2), scaled(3))
    aws.apply(step)
    aws.stub.assert_no_pending_responses()
    (warning,) = aws.warnings
    assert "the count of group a was raised from 2 to 3" in warning and "count to 2. The missing nodes were requested again (1)" in warning


def test_nodes_beyond_the_count_that_was_sent_are_requested_again(service: t.Any) -> None:
    """If AWS records no operation."""
    aws, step = relabelled(service)
    aws.describes(scaled(2, current=4))
    aws.has_operations(EARLIER)
    aws.adds(2)
    aws.describes(scaled(4))
    aws.apply(step)
    aws.stub.assert_no_pending_responses()
    assert "raised from 2 to 4" in aws.warnings[0]


@pytest.mark.parametrize(
    ("description", "operations"),
    [
        (scaled(2), ((2, 2),)),
        (scaled(2), ()),
        (scaled(3), ((2, 3), (2, 2))),
        (scaled(3), ((2, 3), (3, 2))),
        (scaled(1), ((2, 1), (2, 2))),
        (scaled(2), ((3, 2), (2, 3), (2, 2))),
    ],
    ids=["as it was", "none", "raised after the call", "raised again by the autoscaler", "lowered after the call", "both after the call"],
)
def test_changes_of_the_autoscaler_after_the_call_are_kept(
    service: t.Any, description: dict[str, t.Any], operations: tuple[tuple[int, int], ...]
) -> None:
    aws, step = relabelled(service)
    aws.describes(description)
    aws.has_operations(*operations, EARLIER)
    aws.apply(step)
    aws.stub.assert_no_pending_responses()
    assert aws.warnings == []


def test_a_request_to_a_busy_group_is_repeated(service: t.Any) -> None:
    aws, step = relabelled(service)
    aws.describes(scaled(2))
    aws.has_operations((3, 2), EARLIER)
    aws.adds(1, "InvalidInstanceGroupStatus")
    aws.describes(scaled(2))
    aws.has_operations((3, 2), EARLIER)
    aws.adds(1)
    aws.describes(scaled(3))
    aws.apply(step)
    aws.stub.assert_no_pending_responses()
    assert len(aws.warnings) == 1


def test_nodes_that_cannot_be_requested_again_are_reported(service: t.Any) -> None:
    aws, step = relabelled(service)
    aws.describes(scaled(2))
    aws.has_operations((3, 2), EARLIER)
    aws.adds(1, "IncompatibleInstanceTypes")
    aws.describes(scaled(2))
    aws.apply(step)
    assert "1 of the nodes could not be requested again (IncompatibleInstanceTypes)" in aws.warnings[0]


def test_without_a_wait_the_count_is_checked_once(service: t.Any) -> None:
    aws, step = relabelled(service, waits=False)
    aws.describes(scaled(2))
    aws.has_operations((3, 2), EARLIER)
    aws.adds(1, "InvalidInstanceGroupStatus")
    aws.apply(step)
    aws.stub.assert_no_pending_responses()
    assert "1 of the nodes could not be requested again (AWS was changing the group)" in aws.warnings[0]


def test_an_answer_from_before_the_change_is_no_roll_back(service: t.Any) -> None:
    desired = wanted(instance_count=3)
    (step,) = plan(desired, found()).steps
    aws = service(desired)
    aws.updates(InstanceCount=3)
    aws.describes(*[answer()] * (LAGGING - 1), answer("Updating"), answer(count=3))
    aws.apply(step)


def test_an_unchanged_cluster_means_a_roll_back(service: t.Any) -> None:
    desired = wanted(instance_count=3)
    (step,) = plan(desired, found()).steps
    aws = service(desired)
    aws.updates(InstanceCount=3)
    aws.describes(*[answer()] * LAGGING)
    aws.has_events("no capacity")
    with pytest.raises(WaitFailed, match=r"cluster ml group a: instance_count\).* no capacity \(cluster\)"):
        aws.apply(step)
    assert sum(aws.paused) >= 15


def test_each_of_two_calls_is_checked_against_its_own_request(service: t.Any) -> None:
    """The autoscaler is changed by a separate call, after the groups."""
    desired = Desired("ml", settings={"cluster_role": ROLE}, groups=wanted(instance_count=3).groups)
    first, _second = plan(desired, found()).steps
    aws = service(desired)
    aws.updates(InstanceCount=3)
    aws.describes(answer(count=3))
    aws.apply(first)


def test_a_new_cluster_that_is_not_found_yet_is_waited_for(service: t.Any) -> None:
    desired = Desired("ml", groups={"instance_groups": {"a": GROUP}})
    aws = service(desired)
    aws.stub.add_response("create_cluster", {"ClusterArn": ARN})
    aws.describes(None, answer("Creating", "Creating", 0), answer())
    aws.apply(Step("CreateCluster", {"ClusterName": "ml"}, ()))


@pytest.mark.parametrize(("count", "foreign"), [(2, False), (1, True)])
def test_an_existing_cluster_is_ours_if_it_is_as_requested(service: t.Any, count: int, foreign: bool) -> None:
    """The first reply may have been lost, or another client may have created the cluster first."""
    desired = Desired("ml", groups={"instance_groups": {"a": GROUP}})
    aws = service(desired)
    aws.stub.add_client_error("create_cluster", "ResourceInUse")
    aws.describes(answer(count=count))
    step = Step("CreateCluster", {"ClusterName": "ml"}, ())
    if foreign:
        with pytest.raises(LostRace):
            aws.apply(step)
    else:
        aws.apply(step)


def test_a_deleted_cluster_may_be_reported_as_failed_once_more(service: t.Any) -> None:
    desired = Desired("ml", present=False)
    aws = service(desired)
    aws.stub.add_response("delete_cluster", {"ClusterArn": ARN})
    aws.describes(answer("Failed"), answer("Failed"), answer("Deleting"), None)
    aws.apply(Step("DeleteCluster", {"ClusterName": ARN}, ()))


def test_the_error_for_a_failed_group_contains_its_events(service: t.Any) -> None:
    desired = Desired("ml", groups={"instance_groups": {"a": GROUP}})
    aws = service(desired)
    aws.stub.add_response("create_cluster", {"ClusterArn": ARN})
    aws.describes(*[answer(group="Failed")] * 3)
    aws.has_events("no capacity")
    with pytest.raises(WaitFailed, match=r"group a is Failed; no capacity"):
        aws.apply(Step("CreateCluster", {"ClusterName": "ml"}, ()))


def test_a_group_that_is_filling_up_does_not_delay_a_change(service: t.Any) -> None:
    """The declaration requests fewer nodes because the others are not available."""
    filling = answer(count=2, CurrentCount=0)
    for desired, answers in ((wanted(instance_count=1), [filling]), (wanted(instance_count=2), [filling, filling, answer()])):
        aws = service(desired)
        aws.describes(*answers)
        aws.stub.add_response("list_tags", {"Tags": []})
        aws.apply.observer()
