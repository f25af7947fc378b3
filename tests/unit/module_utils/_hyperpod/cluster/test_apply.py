# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is made of SageMaker's answers while a change is on its way: late ones, odd ones, somebody else's."""

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
    """A client with a script, and a clock that nobody waits for."""

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
        """Each with the group's count before and after it, the newest first; those that are new are looked into, the oldest first."""
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
        """Nodes of the group are asked for; ``refused``: the code for one of them."""
        failed = [{"InstanceGroupName": "a", "ErrorCode": code, "FailedCount": 1} for code in refused]
        asked = {"ClusterName": ARN, "NodesToAdd": [{"InstanceGroupName": "a", "IncrementTargetCountBy": count}]}
        self.stub.add_response("batch_add_cluster_nodes", {"Successful": [], "Failed": failed}, asked)

    def has_events(self, *messages: str) -> None:
        moment = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
        ids = [f"00000000-0000-0000-0000-00000000000{turn}" for turn in range(len(messages))]
        about = {"ClusterArn": ARN, "ClusterName": "ml", "ResourceType": "Cluster", "EventLevel": "Error"}
        events = [{"EventId": each, "EventTime": moment - datetime.timedelta(minutes=turn), **about} for turn, each in enumerate(ids)]
        self.stub.add_response("list_cluster_events", {"Events": events})
        for event, message in zip(events, messages):
            details = {"EventDetails": {"EventMetadata": {"Cluster": {"FailureMessage": message}}}}
            told = {key: value for key, value in event.items() if key != "EventLevel"}
            self.stub.add_response("describe_cluster_event", {"EventDetails": {**told, **details}})


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
def test_a_group_without_scripts_that_aws_refuses_has_a_way_on(service: t.Any, message: str, config: dict[str, t.Any], next_step: bool) -> None:
    settings = {"orchestrator": {"eks": {"cluster_arn": "arn:aws:eks:us-west-2:111111111111:cluster/one"}}}
    network = {"vpc_config": {"security_group_ids": ["sg-1"], "subnets": ["subnet-1"]}}
    desired = Desired("ml", settings={**settings, **network}, groups={"instance_groups": {"a": {**GROUP, **config}}})
    asked = service(desired)
    asked.stub.add_client_error("create_cluster", "ValidationException", message)
    (step,) = plan(desired, State()).steps
    with pytest.raises(AwsError, match=message) as error:
        asked.apply(step)
    assert ("instance groups a have no life_cycle_config; set source_s3_uri to a folder in S3" in str(error.value)) is next_step


def test_a_count_that_nobody_named_is_that_of_the_moment_of_the_call(service: t.Any) -> None:
    """An autoscaler changed it between the look and the call, and it is not changed back."""
    desired = wanted(threads_per_core=2)
    (step,) = plan(desired, found()).steps
    asked = service(desired)
    asked.describes(answer(count=4))
    asked.updates(InstanceCount=4, ThreadsPerCore=2)
    asked.describes(answer(count=4, ThreadsPerCore=2))
    asked.apply(step)
    assert step.arguments["InstanceGroups"][0]["InstanceCount"] == 2, "the plan is a value"


EARLIER = (3, 2)
"""An operation from before the call."""


def scaled(count: int, labels: str = "new", *, current: int | None = None) -> dict[str, t.Any]:
    """The description of a cluster that an autoscaler scales."""
    counts = {} if current is None else {"CurrentCount": current}
    config = {"KubernetesConfig": {"DesiredLabels": {"x": labels}}}
    return {**answer(count=count, **counts, **config), "NodeProvisioningMode": "Continuous", **EKS}


def relabelled(service: t.Any, **more: t.Any) -> tuple[Service, Step]:
    """Its group is to get another label, and keeps its two nodes; the call is made."""
    desired = wanted(kubernetes_config={"labels": {"x": "new"}})
    arn = EKS["Orchestrator"]["Eks"]["ClusterArn"]
    network = {"security_group_ids": ["sg-1"], "subnets": ["subnet-1"]}
    settings = {"node_provisioning_mode": "Continuous", "vpc_config": network, "orchestrator": {"eks": {"cluster_arn": arn}}}
    (step,) = plan(desired, found(kubernetes_config={"labels": {"x": "old"}}).having(settings=settings)).steps
    asked = service(desired, **more)
    asked.seen = ["00000000-0000-0000-0000-000000000001"]
    asked.describes(scaled(2, "old"))
    asked.has_operations(EARLIER)
    asked.updates(KubernetesConfig={"Labels": {"x": "new"}})
    return asked, step


def lists(asked: Service, *given: str) -> None:
    about = {"InstanceGroupName": "a", "InstanceType": "ml.m5.large", "LaunchTime": datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)}
    nodes = [{**about, "InstanceId": f"i-0000000{turn}", "InstanceStatus": {"Status": status}} for turn, status in enumerate(given)]
    asked.stub.add_response("list_cluster_nodes", {"ClusterNodeSummaries": nodes})


def test_nodes_that_move_between_groups_are_seen_before_a_change_of_groups(service: t.Any) -> None:
    asked = service(wanted(instance_count=3))
    asked.describes(scaled(2))
    asked.stub.add_response("list_tags", {"Tags": []})
    lists(asked, "Running", "AttachInProgress", "DetachInProgress", "Pending")
    assert asked.apply.observer().moving == ("i-00000001", "i-00000002")
    asked.stub.assert_no_pending_responses()


@pytest.mark.parametrize(("desired", "description"), [(wanted(instance_count=2), scaled(2)), (wanted(instance_count=3), answer())])
def test_nodes_are_listed_only_where_a_change_could_undo_a_move(service: t.Any, desired: Desired, description: dict[str, t.Any]) -> None:
    asked = service(desired)
    asked.describes(description, *[description] * (desired == wanted(instance_count=2)))
    asked.stub.add_response("list_tags", {"Tags": []})
    assert asked.apply.observer().moving == ()
    asked.stub.assert_no_pending_responses()


def test_a_count_that_was_raised_just_before_the_call_is_raised_again(service: t.Any) -> None:
    """The operation that AWS writes down has the count that the call set back; nobody has seen the third node run."""
    asked, step = relabelled(service)
    asked.describes(scaled(2, "old"))
    asked.has_operations(EARLIER)
    asked.describes(scaled(2))
    asked.has_operations((3, 2), (2, 3), EARLIER)
    asked.adds(1)
    asked.describes(scaled(2), scaled(3, current=2), scaled(3))
    asked.apply(step)
    asked.stub.assert_no_pending_responses()
    (told,) = asked.warnings
    assert "group a: its count was raised from 2 to 3" in told and "reset it to 2. 1 nodes were requested again" in told


def test_nodes_that_run_beyond_what_was_sent_are_asked_for_again(service: t.Any) -> None:
    """Where AWS writes no operation down."""
    asked, step = relabelled(service)
    asked.describes(scaled(2, current=4))
    asked.has_operations(EARLIER)
    asked.adds(2)
    asked.describes(scaled(4))
    asked.apply(step)
    asked.stub.assert_no_pending_responses()
    assert "raised from 2 to 4" in asked.warnings[0]


@pytest.mark.parametrize(
    ("look", "operations"),
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
def test_what_the_autoscaler_did_after_the_call_is_left_alone(
    service: t.Any, look: dict[str, t.Any], operations: tuple[tuple[int, int], ...]
) -> None:
    asked, step = relabelled(service)
    asked.describes(look)
    asked.has_operations(*operations, EARLIER)
    asked.apply(step)
    asked.stub.assert_no_pending_responses()
    assert asked.warnings == []


def test_a_group_that_takes_no_nodes_yet_is_asked_again(service: t.Any) -> None:
    asked, step = relabelled(service)
    asked.describes(scaled(2))
    asked.has_operations((3, 2), EARLIER)
    asked.adds(1, "InvalidInstanceGroupStatus")
    asked.describes(scaled(2))
    asked.has_operations((3, 2), EARLIER)
    asked.adds(1)
    asked.describes(scaled(3))
    asked.apply(step)
    asked.stub.assert_no_pending_responses()
    assert len(asked.warnings) == 1


def test_what_can_not_be_asked_for_again_is_told(service: t.Any) -> None:
    asked, step = relabelled(service)
    asked.describes(scaled(2))
    asked.has_operations((3, 2), EARLIER)
    asked.adds(1, "IncompatibleInstanceTypes")
    asked.describes(scaled(2))
    asked.apply(step)
    assert "1 nodes could not be requested again (IncompatibleInstanceTypes)" in asked.warnings[0]


def test_the_count_is_looked_at_once_where_nobody_waits(service: t.Any) -> None:
    asked, step = relabelled(service, waits=False)
    asked.describes(scaled(2))
    asked.has_operations((3, 2), EARLIER)
    asked.adds(1, "InvalidInstanceGroupStatus")
    asked.apply(step)
    asked.stub.assert_no_pending_responses()
    assert "1 nodes could not be requested again (AWS was changing the group)" in asked.warnings[0]


def test_a_look_from_before_the_change_is_no_roll_back(service: t.Any) -> None:
    desired = wanted(instance_count=3)
    (step,) = plan(desired, found()).steps
    asked = service(desired)
    asked.updates(InstanceCount=3)
    asked.describes(*[answer()] * (LAGGING - 1), answer("Updating"), answer(count=3))
    asked.apply(step)


def test_what_stays_as_it_was_was_rolled_back(service: t.Any) -> None:
    desired = wanted(instance_count=3)
    (step,) = plan(desired, found()).steps
    asked = service(desired)
    asked.updates(InstanceCount=3)
    asked.describes(*[answer()] * LAGGING)
    asked.has_events("no capacity")
    with pytest.raises(WaitFailed, match=r"cluster ml group a: instance_count\).* no capacity \(cluster\)"):
        asked.apply(step)
    assert sum(asked.paused) >= 15


def test_each_of_two_calls_is_judged_by_what_it_asked_for(service: t.Any) -> None:
    """The autoscaler is changed by a call of its own, after the groups."""
    desired = Desired("ml", settings={"cluster_role": ROLE}, groups=wanted(instance_count=3).groups)
    first, _second = plan(desired, found()).steps
    asked = service(desired)
    asked.updates(InstanceCount=3)
    asked.describes(answer(count=3))
    asked.apply(first)


def test_a_cluster_that_is_not_seen_yet_is_waited_for(service: t.Any) -> None:
    desired = Desired("ml", groups={"instance_groups": {"a": GROUP}})
    asked = service(desired)
    asked.stub.add_response("create_cluster", {"ClusterArn": ARN})
    asked.describes(None, answer("Creating", "Creating", 0), answer())
    asked.apply(Step("CreateCluster", {"ClusterName": "ml"}, ()))


@pytest.mark.parametrize(("count", "somebody_elses"), [(2, False), (1, True)])
def test_a_name_that_is_taken_is_ours_if_it_is_what_we_asked_for(service: t.Any, count: int, somebody_elses: bool) -> None:
    """The first reply may have been lost; but somebody else may have been faster, too."""
    desired = Desired("ml", groups={"instance_groups": {"a": GROUP}})
    asked = service(desired)
    asked.stub.add_client_error("create_cluster", "ResourceInUse")
    asked.describes(answer(count=count))
    step = Step("CreateCluster", {"ClusterName": "ml"}, ())
    if somebody_elses:
        with pytest.raises(LostRace):
            asked.apply(step)
    else:
        asked.apply(step)


def test_a_failed_cluster_that_is_deleted_may_be_seen_failed_once_more(service: t.Any) -> None:
    desired = Desired("ml", present=False)
    asked = service(desired)
    asked.stub.add_response("delete_cluster", {"ClusterArn": ARN})
    asked.describes(answer("Failed"), answer("Failed"), answer("Deleting"), None)
    asked.apply(Step("DeleteCluster", {"ClusterName": ARN}, ()))


def test_a_group_that_failed_is_told_with_its_events(service: t.Any) -> None:
    desired = Desired("ml", groups={"instance_groups": {"a": GROUP}})
    asked = service(desired)
    asked.stub.add_response("create_cluster", {"ClusterArn": ARN})
    asked.describes(*[answer(group="Failed")] * 3)
    asked.has_events("no capacity")
    with pytest.raises(WaitFailed, match=r"group a is Failed; no capacity"):
        asked.apply(Step("CreateCluster", {"ClusterName": "ml"}, ()))


def test_what_fills_up_holds_up_no_change(service: t.Any) -> None:
    """Fewer nodes are asked for because the others can't be had."""
    filling = answer(count=2, CurrentCount=0)
    for desired, looks in ((wanted(instance_count=1), [filling]), (wanted(instance_count=2), [filling, filling, answer()])):
        asked = service(desired)
        asked.describes(*looks)
        asked.stub.add_response("list_tags", {"Tags": []})
        asked.apply.observer()
