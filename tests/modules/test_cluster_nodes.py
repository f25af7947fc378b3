# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""cluster_nodes against the simulated API."""

from __future__ import annotations

import typing as t

import pytest
from simulated.shape import changes_once, reads

ROLE = "arn:aws:iam::111111111111:role/hyperpod-nodes"
QUICK = {"poll_interval": 1, "wait_timeout": 60}
GROUPS = (("controller", "Controller", 1), ("login", "Login", 2), ("worker", "Compute", 30))


def group(name: str, node_type: str, count: int) -> dict[str, t.Any]:
    slurm = {"NodeType": node_type, **({"PartitionNames": ["dev"]} if node_type == "Compute" else {})}
    about = {"InstanceGroupName": name, "InstanceType": "ml.m5.large", "InstanceCount": count, "ExecutionRole": ROLE}
    return {**about, "SlurmConfig": slurm}


@pytest.fixture
def cluster(simulator, network):
    """A cluster that exists until the end of the test."""
    sagemaker = simulator.client("sagemaker")
    vpc = {"Subnets": network["subnets"][:1], "SecurityGroupIds": network["groups"][:1]}
    simulator.control("settings", {"transition_seconds": 0.05})
    arn = sagemaker.create_cluster(
        ClusterName="many",
        VpcConfig=vpc,
        Orchestrator={"Slurm": {}},
        NodeProvisioningMode="Continuous",
        InstanceGroups=[group(*each) for each in GROUPS],
        Tags=[{"Key": "lab/hosts", "Value": "none"}],
    )["ClusterArn"]
    simulator.run("cluster", name="many", **QUICK)  # waits for it
    yield {"cluster_arn": arn, **QUICK}
    simulator.clear_faults()
    simulator.control("settings", {"transition_seconds": 0.2})
    removed = simulator.run("cluster", name="many", state="absent", cluster_arn=arn, **QUICK)
    assert not removed.get("failed"), removed["msg"]


def ids(simulator, of: str) -> list[str]:
    listed = simulator.client("sagemaker").get_paginator("list_cluster_nodes").paginate(ClusterName="many").search("ClusterNodeSummaries[]")
    return [each["InstanceId"] for each in listed if each["InstanceGroupName"] == of]


def test_replaced_in_chunks_and_never_twice(simulator, cluster):
    old = ids(simulator, "worker")
    wanted = {"state": "replaced", "node_ids": old, **cluster}
    done = changes_once(simulator, "cluster_nodes", unforeseen=["nodes.instance_id"], passing=["warnings"], **wanted)
    assert set(ids(simulator, "worker")).isdisjoint(old) and len(done["changes"]) == len(ids(simulator, "worker")) == 30
    second = simulator.run("cluster_nodes", state="replaced", node_ids=old[:1], **cluster)
    assert not second["changed"] and f"{old[0]} is not a node of the cluster" in str(second["warnings"])


def test_chunks(simulator, cluster):
    done = simulator.run("cluster_nodes", state="replaced", node_ids=ids(simulator, "worker"), **cluster)
    assert not done.get("failed"), done
    sent = [call["arguments"]["NodeIds"] for call in simulator.control("calls") if call["operation"] == "BatchReplaceClusterNodes"]
    assert [len(each) for each in sent] == [25, 5]


def test_deleted_nodes_make_their_group_smaller(simulator, cluster):
    changes_once(simulator, "cluster_nodes", state="absent", node_ids=ids(simulator, "worker")[:3], **cluster)
    groups = simulator.client("sagemaker").describe_cluster(ClusterName="many")["InstanceGroups"]
    (worker,) = [each for each in groups if each["InstanceGroupName"] == "worker"]
    assert (worker["CurrentCount"], worker["TargetCount"]) == (27, 27)


def test_rebooted_nodes_keep_their_ids(simulator, cluster):
    before = ids(simulator, "login")
    done = simulator.run("cluster_nodes", state="rebooted", node_ids=before, **cluster)
    assert done["changed"] and sorted(ids(simulator, "login")) == sorted(before), done
    assert {node["status"] for node in done["nodes"]} == {"Running"}


def test_added_nodes_run_when_it_ends(simulator, cluster):
    wanted = {"state": "added", "instance_groups": [{"name": "worker", "count": 2}, {"name": "login", "count": 1}]}
    foreseen = simulator.run("cluster_nodes", check=True, **wanted, **cluster)
    done = simulator.run("cluster_nodes", **wanted, **cluster)
    assert done["changed"] and foreseen["changes"] == done["changes"], done
    assert (len(ids(simulator, "worker")), len(ids(simulator, "login"))) == (32, 3)
    assert [each["group"] for each in foreseen["nodes"]] == [each["group"] for each in done["nodes"]]


def test_nodes_that_aws_refuses_are_named_and_a_failure(simulator, cluster, faults):
    one, two, *_others = ids(simulator, "worker")
    faults(kind="partial", operation="BatchReplaceClusterNodes", nodes=[two], code="InternalServerError", times=1)
    failed = simulator.run("cluster_nodes", state="replaced", node_ids=[one, two], **cluster)
    assert failed["failed"] and f"{two} (InternalServerError: injected). The other nodes are replaced" in failed["msg"], failed
    assert [each["before"] for each in failed["changes"]] == [one]
    assert one not in ids(simulator, "worker") and two in ids(simulator, "worker")
    done = simulator.run("cluster_nodes", state="replaced", node_ids=[one, two], **cluster)
    assert [each["before"] for each in done["changes"]] == [two]


def test_a_group_without_new_nodes_is_named(simulator, cluster, faults):
    faults(kind="partial", operation="BatchAddClusterNodes", code="IncompatibleInstanceTypes", times=1)
    failed = simulator.run("cluster_nodes", state="added", instance_groups=[{"name": "worker", "count": 2}], **cluster)
    assert failed["failed"] and "2 for group worker (IncompatibleInstanceTypes: injected)" in failed["msg"], failed
    assert failed["changes"] == []


@pytest.mark.parametrize(("state", "verb"), [("absent", "Delete"), ("replaced", "Replace"), ("rebooted", "Reboot")])
def test_lost_replies_are_no_failure(simulator, cluster, faults, state, verb):
    """botocore retries, and AWS refuses nodes that are already in transition."""
    faults(kind="cut_after", operation=f"Batch{verb}ClusterNodes", times=1)
    old = ids(simulator, "login")[:1]
    done = simulator.run("cluster_nodes", state=state, node_ids=old, **cluster)
    assert not done.get("failed") and done["changed"], done
    assert len(ids(simulator, "login")) == (1 if state == "absent" else 2)
    assert [rule["fired"] for rule in simulator.control("faults")] == [1]


def test_a_lost_reply_adds_nothing_twice(simulator, cluster, faults):
    faults(kind="cut_after", operation="BatchAddClusterNodes", times=1)
    done = simulator.run("cluster_nodes", state="added", instance_groups=[{"name": "login", "count": 1}], **cluster)
    assert done["changed"] and len(ids(simulator, "login")) == 3, done


def test_throttling_does_not_change_the_result(simulator, cluster, faults):
    """No operation is repeated."""
    faults(kind="throttle", probability=0.3, seed=7)
    old = ids(simulator, "worker")
    for wanted in (
        {"state": "replaced", "node_ids": old[:26]},
        {"state": "absent", "node_ids": old[26:28]},
        {"state": "added", "instance_groups": [{"name": "worker", "count": 1}]},
    ):
        done = simulator.run("cluster_nodes", **wanted, **cluster)
        assert not done.get("failed") and done["changed"], done
    assert [rule["fired"] > 3 for rule in simulator.control("faults")] == [True]
    now = set(ids(simulator, "worker"))
    assert len(now) == 29 and now & set(old) == set(old[28:])


def test_a_running_operation_is_waited_for(simulator, cluster):
    old = ids(simulator, "login")[:1]
    simulator.control("settings", {"transition_seconds": 1})
    assert simulator.run("cluster_nodes", state="absent", node_ids=old, wait=False, **cluster)["changed"]
    later = reads(simulator, "cluster_nodes", state="absent", node_ids=old, **cluster)
    assert old[0] not in {node["instance_id"] for node in later["nodes"]}


def test_operations_requested_in_slurm_are_waited_for(simulator, cluster):
    old, others = ids(simulator, "worker")[:2], ids(simulator, "login")
    options = {"state": "replaced", "route": "orchestrator", "node_ids": old, **cluster}
    foreseen = simulator.run("cluster_nodes", check=True, **options)
    assert [each["before"] for each in foreseen["changes"]] == old and simulator.changes() == []
    client = simulator.client("sagemaker")
    client.batch_replace_cluster_nodes(ClusterName="many", NodeIds=old)
    done = simulator.run("cluster_nodes", **options)
    assert done["changed"] and not done["mutating"] and set(old).isdisjoint(ids(simulator, "worker")), done
    assert {node["status"] for node in done["nodes"]} == {"Running"} and len(ids(simulator, "worker")) == 30
    client.batch_reboot_cluster_nodes(ClusterName="many", NodeIds=others)
    second = simulator.run("cluster_nodes", state="rebooted", route="orchestrator", node_ids=others, **cluster)
    assert second["changed"] and not second["mutating"] and sorted(ids(simulator, "login")) == sorted(others), second


def test_bad_input_is_refused_before_any_call(simulator, cluster):
    (controller,), (login, *_others) = ids(simulator, "controller"), ids(simulator, "login")
    many = [{"name": "worker", "count": 51}]
    for wrong, named in (
        ({"state": "absent", "node_ids": [login], "route": "orchestrator"}, "route: 'orchestrator' is not allowed. Allowed: api with state: absent."),
        ({"state": "replaced", "node_ids": [login, controller]}, f"node_ids: '{controller}' is not allowed. Allowed: nodes other than"),
        ({"state": "absent", "node_ids": [controller]}, f"node_ids: '{controller}'"),
        ({"state": "rebooted", "node_ids": [controller]}, f"node_ids: '{controller}'"),
        ({"state": "rebooted", "node_ids": ["i-0123456789abcdef0"]}, "the cluster has no such node"),
        ({"state": "absent", "node_ids": ["login-1"]}, "node_ids: 'login-1'"),
        ({"state": "absent", "node_ids": [login, login]}, "node_ids"),
        ({"state": "absent"}, "node_ids: missing"),
        ({"state": "absent", "node_ids": [login], "instance_groups": many}, "instance_groups: "),
        ({"state": "added"}, "instance_groups: missing"),
        ({"state": "added", "instance_groups": many}, "instance_groups.worker.count: 51"),
        ({"state": "added", "instance_groups": [{"name": "gpu", "count": 1}]}, "instance_groups: 'gpu'"),
        ({"state": "added", "instance_groups": [*many, *many]}, "instance_groups"),
        ({"state": "absent", "node_ids": [login], "wait_timeout": 0}, "wait_timeout: 0"),
    ):
        refused = simulator.run("cluster_nodes", **{**cluster, **wrong})
        assert refused["failed"] and named in refused["msg"] and not refused["mutating"], refused
