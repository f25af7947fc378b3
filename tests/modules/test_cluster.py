# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""cluster against the simulated API."""

from __future__ import annotations

import typing as t

import pytest
from simulated.shape import changes_once, reads

ROLE = "arn:aws:iam::111111111111:role/hyperpod-nodes"
IMAGE = "cluster.definition.instance_groups.image_release_version"
"""Release of an image, which only AWS knows."""
QUICK = {"poll_interval": 1, "wait_timeout": 60}


def group(name: str, node_type: str, count: int = 1, **more: t.Any) -> dict[str, t.Any]:
    slurm = {"node_type": node_type, **({"partition_names": ["dev"]} if node_type == "Compute" else {})}
    return {
        "name": name,
        "instance_type": "ml.m5.large",
        "instance_count": count,
        "execution_role": ROLE,
        "threads_per_core": 1,
        "slurm_config": slurm,
        **more,
    }


@pytest.fixture(autouse=True)
def lag(simulator):
    """Let descriptions lag behind changes."""
    simulator.control("settings", {"cluster_lag_seconds": 0.3})
    yield
    simulator.control("settings", {"cluster_lag_seconds": 0})


@pytest.fixture
def slurm(network):
    return {
        "name": "ml",
        "vpc_config": {"subnets": network["subnets"][:1], "security_group_ids": network["groups"][:1]},
        "orchestrator": {"slurm": {}},
        "node_provisioning_mode": "Continuous",
        "node_recovery": "Automatic",
        "instance_groups": [
            group("controller", "Controller"),
            group("login", "Login", 2, life_cycle_config={"source_s3_uri": "s3://sagemaker-example/a", "on_create": "on_create.sh"}),
            group("worker", "Compute", 2, instance_storage_configs=[{"ebs_volume_config": {"volume_size_in_gb": 500}}]),
        ],
        "tags": {"team": "research"},
        **QUICK,
    }


@pytest.fixture
def existing(simulator, slurm):
    """Options of a cluster that exists until the end of the test."""
    made = simulator.run("cluster", **slurm)
    assert not made.get("failed"), made["msg"]
    yield slurm
    simulator.clear_faults()
    found = simulator.client("sagemaker").describe_cluster(ClusterName="ml")
    remove(simulator, found["ClusterArn"])


def remove(simulator, arn):
    removed = simulator.run("cluster", name="ml", state="absent", cluster_arn=arn, **QUICK)
    assert not removed.get("failed"), removed["msg"]
    return removed


def test_made_and_removed(simulator, slurm):
    made = changes_once(simulator, "cluster", unforeseen=["cluster.cluster_arn", IMAGE], **slurm)
    assert made["cluster"]["progress"]["login"] == {"status": "InService", "current": 2, "target": 2}
    arn = made["cluster"]["cluster_arn"]
    changes_once(simulator, "cluster", name="ml", state="absent", cluster_arn=arn, **QUICK)


def test_the_result_is_a_definition(simulator, existing):
    """The returned definition, given as options, changes nothing."""
    found = reads(simulator, "cluster", name="ml", **QUICK)["cluster"]
    reads(simulator, "cluster", name="ml", **found["definition"], tags=found["tags"], purge_instance_groups=True, **QUICK)


def test_only_the_changed_group_is_sent(simulator, existing):
    done = changes_once(simulator, "cluster", name="ml", instance_groups=[{"name": "worker", "instance_count": 3}], **QUICK)
    assert [change["field"] for change in done["changes"]] == ["instance_count"]
    assert done["cluster"]["progress"]["worker"]["current"] == 3
    simulator.run("cluster", name="ml", instance_groups=[{"name": "worker", "instance_count": 2}], **QUICK)
    (sent,) = [call for call in simulator.control("calls") if call["operation"] == "UpdateCluster"]
    assert [each["InstanceGroupName"] for each in sent["arguments"]["InstanceGroups"]] == ["worker"]
    assert sent["arguments"]["InstanceGroups"][0]["InstanceStorageConfigs"] == [{"EbsVolumeConfig": {"VolumeSizeInGB": 500}}]


def test_a_group_is_added_and_removed(simulator, existing):
    more = [*existing["instance_groups"], group("batch", "Compute")]
    changes_once(simulator, "cluster", unforeseen=[IMAGE], **{**existing, "instance_groups": more})
    kept = reads(simulator, "cluster", **existing)
    assert "batch" in kept["cluster"]["progress"]
    removed = changes_once(simulator, "cluster", **existing, purge_instance_groups=True)
    assert [(change["action"], change["resource"]) for change in removed["changes"]] == [("delete", "cluster ml group batch")]


def test_the_count_of_an_autoscaler_is_kept(simulator, existing):
    """The options omit the count, and another process has changed it."""
    simulator.control("settings", {"cluster_lag_seconds": 0})
    sagemaker = simulator.client("sagemaker")
    before = sagemaker.describe_cluster(ClusterName="ml")["InstanceGroups"]
    (worker,) = [each for each in before if each["InstanceGroupName"] == "worker"]
    scaled = {
        key: worker[key] for key in ("InstanceGroupName", "InstanceType", "ExecutionRole", "SlurmConfig", "InstanceStorageConfigs")
    }
    sagemaker.update_cluster(ClusterName="ml", InstanceGroups=[{**scaled, "InstanceCount": 4}])
    simulator.run("cluster", name="ml", **QUICK)  # it waits until the update has ended
    changed = [{"name": "worker", "threads_per_core": 2}]
    done = changes_once(simulator, "cluster", name="ml", instance_groups=changed, **QUICK)
    assert done["cluster"]["progress"]["worker"] == {"status": "InService", "current": 4, "target": 4}


def test_tags(simulator, existing):
    done = changes_once(simulator, "cluster", name="ml", tags={"team": "platform", "cost": "42"}, **QUICK)
    assert done["cluster"]["tags"] == {"team": "platform", "cost": "42"}
    done = changes_once(simulator, "cluster", name="ml", tags={"cost": "42"}, **QUICK)
    assert done["cluster"]["tags"] == {"cost": "42"}


def test_a_failed_creation_gives_the_reason(simulator, slurm, faults):
    faults(kind="fail_later", operation="CreateCluster", code="Insufficient capacity for ml.m5.large", times=1)
    failed = simulator.run("cluster", **slurm)
    assert failed["failed"] and "Insufficient capacity for ml.m5.large" in failed["msg"], failed
    second = simulator.run("cluster", **slurm)
    assert second["failed"] and "Remove it with state: absent" in second["msg"] and not second["mutating"], second
    remove(simulator, simulator.client("sagemaker").describe_cluster(ClusterName="ml")["ClusterArn"])


def test_a_change_that_is_rolled_back_is_a_failure(simulator, existing, faults):
    faults(kind="fail_later", operation="UpdateCluster", code="no capacity", times=1)
    failed = simulator.run("cluster", name="ml", instance_groups=[{"name": "worker", "instance_count": 5}], **QUICK)
    assert failed["failed"] and "AWS rolled back a change (cluster ml group worker: instance_count)" in failed["msg"], failed
    assert "no capacity (cluster)" in failed["msg"], failed
    reads(simulator, "cluster", **existing)


LOST = ("CreateCluster", "UpdateCluster", "DeleteCluster")


def test_lost_replies_cause_no_duplicates(simulator, slurm, faults):
    for operation in LOST:
        faults(kind="cut_after", operation=operation, times=1)
    wider = [*slurm["instance_groups"][:2], {**slurm["instance_groups"][2], "instance_count": 3}]
    for arguments in (slurm, {**slurm, "instance_groups": wider}):
        done = simulator.run("cluster", **arguments)
        assert not done.get("failed") and done["changed"], done
        reads(simulator, "cluster", **arguments)
    assert remove(simulator, done["cluster"]["cluster_arn"])["changed"]
    assert [rule["fired"] for rule in simulator.control("faults")] == [1] * len(LOST)


def test_throttling_does_not_change_the_result(simulator, slurm, faults):
    faults(kind="throttle", probability=0.3, seed=7)
    wider = [*slurm["instance_groups"][:2], {**slurm["instance_groups"][2], "instance_count": 3}]
    for arguments in (slurm, {**slurm, "instance_groups": wider}):
        done = simulator.run("cluster", **arguments)
        assert not done.get("failed") and done["changed"], done
        reads(simulator, "cluster", **arguments)
    assert done["cluster"]["progress"]["worker"] == {"status": "InService", "current": 3, "target": 3}
    assert remove(simulator, done["cluster"]["cluster_arn"])["changed"]
    assert [rule["fired"] > 5 for rule in simulator.control("faults")] == [True]


def test_a_running_operation_is_waited_for(simulator, slurm):
    simulator.control("settings", {"cluster_lag_seconds": 0})
    started = simulator.run("cluster", **slurm, wait=False)
    assert started["changed"]
    later = simulator.run("cluster", **slurm)
    assert not later["changed"] and later["cluster"]["progress"]["worker"]["current"] == 2, later
    remove(simulator, later["cluster"]["cluster_arn"])


def test_another_cluster_of_the_same_name_is_not_deleted(simulator, existing):
    other = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
    refused = simulator.run("cluster", name="ml", state="absent", cluster_arn=other, **QUICK)
    assert refused["failed"] and "cluster_arn: " in refused["msg"] and not refused["mutating"], refused


@pytest.mark.parametrize("small_cluster", ["Eks"], indirect=True)
def test_task_governance_policies_block_the_deletion_of_a_cluster(simulator, small_cluster):
    """AWS also lists deleted policies; they do not block the deletion of a cluster."""
    removal = {"name": "small", "state": "absent", "cluster_arn": small_cluster.arn, **QUICK}
    scheduler = {"cluster_arn": small_cluster.arn, "name": "fair", **QUICK}
    quota = {"cluster_arn": small_cluster.arn, "name": "research", "team_name": "team", **QUICK}
    for module, options in (("cluster_scheduler_config", scheduler), ("compute_quota", quota)):
        made = simulator.run(module, **options)
        assert made.get("changed"), made
    refused = simulator.run("cluster", **removal)
    simulator.run("cluster_scheduler_config", **scheduler, state="absent")
    simulator.run("compute_quota", **quota, state="absent")
    assert "while it has scheduler configuration fair, compute quota research. Delete these first" in refused["msg"], refused
    assert refused["failed"] and not refused["mutating"]
    (change,) = simulator.run("cluster", check=True, **removal)["changes"]
    nodes = {name: len(group["node_ids"]) for name, group in change["before"]["groups"].items()}
    assert nodes and all(nodes.values()), change


def test_immutable_options_are_refused_before_any_call(simulator, existing, network):
    vpc = {"subnets": network["subnets"][1:], "security_group_ids": network["groups"][:1]}
    for wrong, named in (
        ({"vpc_config": vpc}, "vpc_config: "),
        ({"instance_groups": [{"name": "login", "slurm_config": {"node_type": "Compute"}}]}, "slurm_config.node_type: 'Compute'"),
        ({"orchestrator": {"eks": {"cluster_arn": "arn:aws:eks:us-west-2:111111111111:cluster/one"}}}, "orchestrator: ['eks']"),
    ):
        refused = simulator.run("cluster", name="ml", **wrong, **QUICK)
        assert refused["failed"] and named in refused["msg"] and not refused["mutating"], refused
