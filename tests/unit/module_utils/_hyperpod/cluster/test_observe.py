# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a cluster is read, which states are waited for before a change, and the result."""

from __future__ import annotations

import dataclasses
import datetime
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Waits
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import HyperPod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster.model import Desired, Found, Progress, State, whole
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster.result import result

ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
MOMENT = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
EKS = {"Eks": {"ClusterArn": "arn:aws:eks:us-west-2:111111111111:cluster/pods"}}
ONE, TWO = "i-00000001", "i-00000002"
Object = dict[str, t.Any]


def cluster(status: str = "InService", *groups: Object, **more: t.Any) -> Object:
    return {"ClusterArn": ARN, "ClusterName": "ml", "ClusterStatus": status, "InstanceGroups": list(groups), **more}


def group(name: str = "a", current: int = 1, target: int = 1, status: str = "InService", **more: t.Any) -> Object:
    return {"InstanceGroupName": name, "CurrentCount": current, "TargetCount": target, "Status": status, **more}


def node(name: str, of: str = "a") -> Object:
    about = {"InstanceType": "ml.m5.large", "LaunchTime": MOMENT, "InstanceStatus": {"Status": "Running"}}
    return {**about, "InstanceGroupName": of, "InstanceId": name}


def observed(client: t.Any, desired: Desired = Desired("ml"), *, waits: bool = False) -> State:
    paused: list[float] = []
    clock = Clock(now=lambda: sum(paused), sleep=paused.append, jitter=lambda: 0.0)
    return Observer(HyperPod(client), desired, waits=Waits(timeout=90, interval=20, clock=clock) if waits else None)()


def test_a_cluster_is_read_with_its_groups_and_tags(stubbed: t.Any) -> None:
    client, stub = stubbed("sagemaker")
    scaler = {"Mode": "Enable", "Status": "Failed", "FailureMessage": "no role"}
    restricted = {"InstanceGroupName": "r", "CurrentCount": 1, "TargetCount": 2, "Status": "Updating"}
    groups = group("a", ActiveOperations={"Scaling": 2}, SoftwareUpdateStatus="InProgress"), {"InstanceGroupName": "b"}
    more = {"RestrictedInstanceGroups": [restricted], "AutoScaling": scaler, "FailureMessage": "no room", "NodeRecovery": "Automatic"}
    stub.add_response("describe_cluster", cluster("Failed", *groups, **more), {"ClusterName": "ml"})
    stub.add_response("list_tags", {"Tags": [{"Key": "a", "Value": "b"}]}, {"ResourceArn": ARN})
    found = observed(client).cluster
    assert found is not None and (found.arn, found.name, found.status, found.tags) == (ARN, "ml", "Failed", {"a": "b"})
    assert (found.failure, found.autoscaler_status, found.autoscaler_failure, found.dropped) == ("no room", "Failed", "no role", ())
    assert {option: list(names) for option, names in found.groups.items()} == {"instance_groups": ["a", "b"], "restricted_instance_groups": ["r"]}
    expected = {"a": Progress("InService", 1, 1, 2, "InProgress"), "b": Progress("", 0, 0), "r": Progress("Updating", 1, 2)}
    assert found.progress == expected and found.settings["node_recovery"] == "Automatic"


@pytest.mark.parametrize(("code", "fails"), [("ResourceNotFound", False), ("ResourceNotFoundException", False), ("AccessDeniedException", True)])
def test_a_missing_cluster_is_none(stubbed: t.Any, code: str, fails: bool) -> None:
    client, stub = stubbed("sagemaker")
    stub.add_client_error("describe_cluster", code)
    if fails:
        with pytest.raises(AwsError, match="DescribeCluster for cluster ml failed"):
            observed(client)
    else:
        assert observed(client) == State()


@pytest.mark.parametrize("orchestrator", [{}, EKS])
def test_resources_that_block_a_removal_are_found(stubbed: t.Any, orchestrator: Object) -> None:
    client, stub = stubbed("sagemaker")
    more = {"Orchestrator": orchestrator} if orchestrator else {}
    stub.add_response("describe_cluster", cluster("InService", group("a"), group("b"), **more))
    if orchestrator:
        about = {"CreationTime": MOMENT}
        config = {**about, "ClusterSchedulerConfigArn": "c", "ClusterSchedulerConfigId": "a1b2c3d4e5f6", "ClusterSchedulerConfigVersion": 1}
        configs = [{**config, "Name": name, "Status": status} for name, status in (("priorities", "Created"), ("old", "Deleted"))]
        quota = {**about, "ComputeQuotaArn": "q", "ComputeQuotaId": "a1b2c3d4e5f6", "ComputeQuotaVersion": 1, "Name": "team", "Status": "DeleteFailed"}
        quotas = [{**quota, "ComputeQuotaTarget": {"TeamName": "team", "FairShareWeight": 1}}]
        stub.add_response("list_cluster_scheduler_configs", {"ClusterSchedulerConfigSummaries": configs}, {"ClusterArn": ARN})
        stub.add_response("list_compute_quotas", {"ComputeQuotaSummaries": quotas}, {"ClusterArn": ARN})
    nodes = [node(TWO), node(ONE), node("i-00000003", "other")]
    stub.add_response("list_cluster_nodes", {"ClusterNodeSummaries": nodes}, {"ClusterName": ARN})
    state = observed(client, Desired("ml", present=False, cluster_arn=ARN))
    assert state.blockers == (("scheduler configuration priorities", "compute quota team") if orchestrator else ())
    assert state.nodes == {"a": (ONE, TWO), "b": ()} and state.moving == ()


def test_an_operation_of_an_earlier_run_is_waited_for(stubbed: t.Any) -> None:
    client, stub = stubbed("sagemaker")
    for answer in (cluster("Updating"), *[cluster("InService", group("a", 0, 1))] * 2, *[cluster("InService", group("a"))] * 1):
        stub.add_response("describe_cluster", answer)
    stub.add_response("list_tags", {"Tags": []})
    state = observed(client, waits=True)
    assert state.cluster is not None and state.cluster.settled


def found(status: str = "InService", **more: t.Any) -> Found:
    return dataclasses.replace(Found(ARN, "ml", status, {}, {}), **more)


@pytest.mark.parametrize(
    ("progress", "settled"),
    [
        (Progress("InService", 2, 2), True),
        (Progress("InService", 1, 2), False),
        (Progress("InService", 2, 2, operations=1), False),
        (Progress("Updating", 2, 2), False),
        (Progress("Failed", 2, 2), False),
        (Progress("", 0, 0), True),
    ],
)
def test_a_group_has_settled_when_its_counts_and_status_agree(progress: Progress, settled: bool) -> None:
    assert progress.settled is settled
    assert found(progress={"a": Progress("InService", 1, 1), "b": progress}).settled is settled


@pytest.mark.parametrize(
    ("given", "settled", "broken", "described"),
    [
        (found(), True, (), "InService"),
        (found("Updating"), False, (), "Updating"),
        (found("Failed"), False, ("DescribeCluster returns no reason",), "Failed"),
        (found("Failed", failure="no room"), False, ("no room",), "Failed"),
        (found("Deleting", failure="no room", autoscaler_status="Failed"), False, (), "Deleting"),
        (found(autoscaler_status="Creating"), False, (), "InService, autoscaler Creating"),
        (found(autoscaler_status="Failed"), False, ("its autoscaler is Failed",), "InService"),
        (found(autoscaler_status="Failed", autoscaler_failure="no role"), False, ("no role",), "InService"),
        (found(progress={"a": Progress("Failed", 0, 1)}), False, ("group a is Failed",), "InService, a 0/1 Failed"),
    ],
)
def test_a_state_is_described_in_words(given: Found, settled: bool, broken: tuple[str, ...], described: str) -> None:
    assert (given.settled, given.broken, given.described) == (settled, broken, described)


@pytest.mark.parametrize(
    ("settings", "exchanges"),
    [
        ({"orchestrator": {"eks": {}}, "node_provisioning_mode": "Continuous"}, True),
        ({"orchestrator": {"slurm": {}}, "node_provisioning_mode": "Continuous"}, False),
        ({"orchestrator": {"eks": {}}}, False),
        ({}, False),
    ],
)
def test_only_groups_of_continuous_eks_clusters_exchange_nodes(settings: Object, exchanges: bool) -> None:
    assert found(settings=settings).exchanges_nodes is exchanges


def test_the_result_contains_the_cluster() -> None:
    assert result(Desired("ml"), State()) == {"cluster": {"exists": False, "name": "ml"}}
    groups: t.Any = {"instance_groups": {"a": {"name": "a"}}, "restricted_instance_groups": {}}
    there = found(settings={"node_recovery": "None"}, groups=groups, tags={"a": "b"}, progress={"a": Progress("Updating", 1, 2)})
    definition = {"node_recovery": "None", "instance_groups": [{"name": "a"}]}
    assert whole(there.settings, groups) == definition
    assert result(Desired("ml"), State(there)) == {
        "cluster": {
            "exists": True,
            "name": "ml",
            "cluster_arn": ARN,
            "status": "InService",
            "definition": {**definition, "restricted_instance_groups": []},
            "tags": {"a": "b"},
            "progress": {"a": {"status": "Updating", "current": 1, "target": 2}},
        }
    }


def test_missing_fields_are_empty() -> None:
    assert dataclasses.astuple(Desired("ml"))[1:] == (True, None, {}, {}, False, None, True) and Desired("ml").resource == "cluster ml"
    assert (State().blockers, State().nodes, State().moving, State().having(status="x")) == ((), {}, (), State())
    there = found()
    assert (there.tags, there.progress, there.failure, there.autoscaler_status, there.autoscaler_failure, there.dropped) == ({}, {}, "", "", "", ())
    assert State(there).having(status="Failed") == State(found("Failed"))
