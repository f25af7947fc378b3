# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clusters with EKS: fields that AWS returns under other names, and groups whose size an autoscaler controls."""

from __future__ import annotations

import copy
import time
import typing as t
from concurrent.futures import ThreadPoolExecutor

import pytest
from simulated.shape import changes_once, reads

EKS = "arn:aws:eks:us-west-2:111111111111:cluster/one"
ROLE = "arn:aws:iam::111111111111:role/hyperpod-nodes"
QUICK = {"poll_interval": 1, "wait_timeout": 60}
SCRIPT = {"source_s3_uri": "s3://sagemaker-example/a", "on_create": "on_create.sh"}
BATCHES = {"rolling_update_policy": {"maximum_batch_size": {"type": "INSTANCE_COUNT", "value": 1}}, "wait_interval_in_seconds": 60}
IMAGES = [f"cluster.definition.{groups}.image_release_version" for groups in ("instance_groups", "restricted_instance_groups")]
"""Release of an image, which only AWS knows."""


def flexible(network: dict[str, t.Any]) -> dict[str, t.Any]:
    """A group with every setting that only clusters with EKS have."""
    return {
        "name": "gpu",
        "instance_requirements": {"instance_types": ["ml.p5.48xlarge", "ml.p5e.48xlarge"]},
        "instance_count": 1,
        "min_instance_count": 1,
        "execution_role": ROLE,
        "threads_per_core": 2,
        "life_cycle_config": SCRIPT,
        "override_vpc_config": {"subnets": network["subnets"][1:], "security_group_ids": network["groups"][:2]},
        "instance_storage_configs": [{"ebs_volume_config": {"volume_size_in_gb": 500}}, {"ebs_volume_config": {"root_volume": True}}],
        "on_start_deep_health_checks": ["InstanceStress", "InstanceConnectivity"],
        "scheduled_update_config": {"schedule_expression": "cron(0 2 ? * SUN *)", "deployment_config": BATCHES},
        "auto_patch_config": {
            "patching_strategy": "DrainFirst",
            "patch_schedule": {"next_patch_date": "2027-01-01T02:00:00.000Z"},
            "deployment_config": BATCHES,
            "drain_policy": {"drain_timeout_in_seconds": 600, "on_drain_timeout": "Skip"},
        },
        "kubernetes_config": {
            "labels": {"team": "research", "tier": "gpu"},
            "taints": [{"key": "gpu", "value": "yes", "effect": "NoSchedule"}, {"key": "alone", "effect": "NoExecute"}],
        },
        "capacity_requirements": {"on_demand": {}},
        "network_interface": {"interface_type": "efa"},
    }


def restricted() -> dict[str, t.Any]:
    file_system = {"size_in_gib": 1200, "per_unit_storage_throughput": 250}
    return {
        "restricted_instance_groups": [
            {
                "name": "nova",
                "instance_type": "ml.p5.48xlarge",
                "instance_count": 1,
                "execution_role": ROLE,
                "threads_per_core": 1,
                "environment_config": {"fsx_lustre_config": file_system},
            }
        ],
        "restricted_instance_groups_config": {
            "shared_environment_config": {"fsx_lustre_deletion_policy": "Keep", "fsx_lustre_config": file_system}
        },
    }


@pytest.fixture
def made(simulator, network):
    """Create clusters with EKS and remove them after the test."""
    names: list[str] = []

    def make(name: str, **more: t.Any) -> dict[str, t.Any]:
        names.append(name)
        return {
            "name": name,
            "vpc_config": {"subnets": network["subnets"][:1], "security_group_ids": network["groups"][:1]},
            "orchestrator": {"eks": {"cluster_arn": EKS}},
            "node_provisioning_mode": "Continuous",
            "node_recovery": "Automatic",
            **more,
            **QUICK,
        }

    yield make
    simulator.clear_faults()
    for name in names:
        found = simulator.client("sagemaker").describe_cluster(ClusterName=name)
        removed = simulator.run("cluster", name=name, state="absent", cluster_arn=found["ClusterArn"], **QUICK)
        assert not removed.get("failed") and removed["diff"]["after"] == "", removed
        assert removed["diff"]["before"].startswith(f"cluster {name} = {{'cluster_arn': '{found['ClusterArn']}', 'groups': {{"), removed["diff"]


def test_fields_that_aws_returns_under_other_names_are_no_difference(simulator, network, made):
    wanted = made("pods", tiered_storage_config={"mode": "Enable", "instance_memory_allocation_percentage": 20}, instance_groups=[flexible(network)])
    done = changes_once(simulator, "cluster", unforeseen=["cluster.cluster_arn", *IMAGES], **wanted)
    assert done["diff"]["before"] == "" and done["diff"]["after"].startswith("cluster pods = {'vpc_config': {"), done["diff"]
    (found,) = done["cluster"]["definition"]["instance_groups"]
    assert {name: value for name, value in found.items() if name != "image_release_version"} == flexible(network)
    reads(simulator, "cluster", name="pods", **done["cluster"]["definition"], purge_instance_groups=True, **QUICK)

    changed = copy.deepcopy(wanted)
    labels = {"team": "platform"}
    taints = [{"key": "gpu", "value": "no", "effect": "PreferNoSchedule"}]
    changed["instance_groups"][0]["kubernetes_config"] = {"labels": labels, "taints": taints}
    done = changes_once(simulator, "cluster", **changed)
    assert done["diff"] == {
        "before": "cluster pods group gpu: kubernetes_config.labels = {'team': 'research', 'tier': 'gpu'}\n"
        "cluster pods group gpu: kubernetes_config.taints = [{'key': 'gpu', 'value': 'yes', 'effect': 'NoSchedule'},"
        " {'key': 'alone', 'effect': 'NoExecute'}]\n",
        "after": "cluster pods group gpu: kubernetes_config.labels = {'team': 'platform'}\n"
        "cluster pods group gpu: kubernetes_config.taints = [{'key': 'gpu', 'value': 'no', 'effect': 'PreferNoSchedule'}]\n",
    }
    described = simulator.client("sagemaker").describe_cluster(ClusterName="pods")["InstanceGroups"][0]["KubernetesConfig"]
    assert (described["DesiredLabels"], described["DesiredTaints"]) == (labels, [{"Key": "gpu", "Value": "no", "Effect": "PreferNoSchedule"}])


def test_restricted_groups_show_no_difference(simulator, made):
    wanted = made("nova", **restricted())
    done = changes_once(simulator, "cluster", unforeseen=["cluster.cluster_arn", *IMAGES], **wanted)
    reads(simulator, "cluster", name="nova", **done["cluster"]["definition"], purge_instance_groups=True, **QUICK)
    more = copy.deepcopy(wanted)
    more["restricted_instance_groups"][0]["instance_count"] = 2
    more["restricted_instance_groups_config"]["shared_environment_config"]["fsx_lustre_deletion_policy"] = "DeleteIfNotUsed"
    done = changes_once(simulator, "cluster", **more)
    assert sorted(change["field"] for change in done["changes"]) == [
        "instance_count",
        "restricted_instance_groups_config.shared_environment_config.fsx_lustre_deletion_policy",
    ]


SCALED = {"cluster_role": ROLE, "auto_scaling": {"mode": "Enable", "auto_scaler_type": "Karpenter"}}


def test_a_refused_group_without_scripts_fails_with_a_next_step(simulator, made):
    wanted = made("bare", **SCALED, instance_groups=[uncounted()])
    simulator.control("settings", {"eks_needs_scripts": True})
    try:
        refused = simulator.run("cluster", **wanted)
        assert refused["failed"] and "instance groups gpu have no life_cycle_config. Set source_s3_uri to a folder in S3" in refused["msg"], refused
        done = simulator.run("cluster", **{**wanted, "instance_groups": [uncounted(life_cycle_config=SCRIPT)]})
        assert not done.get("failed") and done["changed"], done
    finally:
        simulator.control("settings", {"eks_needs_scripts": False})


def uncounted(**more: t.Any) -> dict[str, t.Any]:
    about = {"name": "gpu", "instance_type": "ml.g5.8xlarge", "execution_role": ROLE, "threads_per_core": 1}
    return {**about, "kubernetes_config": {"labels": {"team": "research"}}, **more}


def add_nodes(simulator, count: int) -> None:
    """Add nodes, as Karpenter does."""
    nodes = [{"InstanceGroupName": "gpu", "IncrementTargetCountBy": count}]
    simulator.client("sagemaker").batch_add_cluster_nodes(ClusterName="scaled", NodesToAdd=nodes)


def progress(result: dict[str, t.Any]) -> tuple[int, int]:
    group = result["cluster"]["progress"]["gpu"]
    return group["current"], group["target"]


def test_a_definition_without_a_count_creates_a_group_and_keeps_the_autoscalers_count(simulator, made):
    wanted = made("scaled", **SCALED, instance_groups=[uncounted()])
    done = changes_once(simulator, "cluster", unforeseen=["cluster.cluster_arn", *IMAGES], **wanted)
    assert progress(done) == (0, 0)
    add_nodes(simulator, 2)
    assert progress(reads(simulator, "cluster", **wanted)) == (2, 2)
    done = changes_once(simulator, "cluster", **{**wanted, "instance_groups": [uncounted(threads_per_core=2)]})
    assert progress(done) == (2, 2) and "warnings" not in done


def test_nodes_added_just_before_an_update_are_added_again(simulator, made):
    """The module has read the old count, so its update resets the new one."""
    wanted = made("scaled", **SCALED, instance_groups=[uncounted()])
    assert progress(simulator.run("cluster", **wanted)) == (0, 0)
    add_nodes(simulator, 1)
    assert progress(reads(simulator, "cluster", **wanted)) == (1, 1)
    simulator.fault(kind="hang", operation="UpdateCluster")
    changed = {**wanted, "instance_groups": [uncounted(kubernetes_config={"labels": {"team": "platform"}})]}
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(simulator.start, "cluster", **changed)
        hangs(simulator)
        add_nodes(simulator, 2)
        simulator.clear_faults()
        done = run.result()
    assert not done.get("failed") and done["changed"], done
    assert progress(done) == (3, 3)
    assert "the count of group gpu was raised from 1 to 3" in str(done["warnings"]), done["warnings"]
    sent = [call["arguments"] for call in simulator.control("calls") if call["operation"] == "UpdateCluster" and call["status"] == 200]
    assert [each["InstanceCount"] for arguments in sent for each in arguments["InstanceGroups"]] == [1], "exactly one update, with the old count"
    assert progress(reads(simulator, "cluster", **changed)) == (3, 3)


def hangs(simulator) -> None:
    deadline = time.monotonic() + 60
    while not any(call["status"] == "hangs" for call in simulator.control("calls")):
        assert time.monotonic() < deadline
        time.sleep(0.05)
