# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Invalid cluster definitions are refused before any call, with the option, its value and the allowed ones."""

from __future__ import annotations

import copy
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster.model import State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster.options import desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster.plan import plan

EKS_ARN = "arn:aws:eks:us-west-2:111111111111:cluster/one"
ROLE = "arn:aws:iam::111111111111:role/hyperpod-nodes"
OPTIONS = (
    "cluster_arn",
    "vpc_config",
    "orchestrator",
    "node_recovery",
    "node_provisioning_mode",
    "tiered_storage_config",
    "restricted_instance_groups_config",
    "cluster_role",
    "auto_scaling",
    "instance_groups",
    "restricted_instance_groups",
    "tags",
)
BASE = {**dict.fromkeys(OPTIONS), "name": "ml", "state": "present", "purge_instance_groups": False, "purge_tags": True}
VPC = {"subnets": ["subnet-1"], "security_group_ids": ["sg-1"]}


def group(name: str, **more: t.Any) -> dict[str, t.Any]:
    return {"name": name, "instance_type": "ml.m5.large", "instance_count": 1, "execution_role": ROLE, **more}


def slurm(**more: t.Any) -> dict[str, t.Any]:
    """A cluster with Slurm; in ``more``, names with dots change the second group."""
    groups = [
        group("controller", slurm_config={"node_type": "Controller"}),
        group("login", slurm_config={"node_type": "Login"}),
        group("worker", slurm_config={"node_type": "Compute", "partition_names": ["dev"]}),
    ]
    return {**BASE, "vpc_config": VPC, "orchestrator": {"slurm": {}}, "node_provisioning_mode": "Continuous", "instance_groups": groups, **more}


def eks(**more: t.Any) -> dict[str, t.Any]:
    return {**slurm(), "orchestrator": {"eks": {"cluster_arn": EKS_ARN}}, "instance_groups": [group("gpu")], **more}


def worker(**more: t.Any) -> dict[str, t.Any]:
    """The cluster with Slurm and these settings of its last group; None removes a setting."""
    made = copy.deepcopy(slurm())
    changed = {**made["instance_groups"][2], **more}
    made["instance_groups"][2] = {name: value for name, value in changed.items() if value is not None}
    return made


AT = "instance_groups.worker."
LUSTRE = {"dns_name": "fs-0123456789abcdef0.fsx.us-west-2.amazonaws.com", "mount_name": "abc"}
PLAN_ARN = "arn:aws:sagemaker:us-west-2:111111111111:training-plan/one"
WRONG: dict[str, tuple[dict[str, t.Any], str]] = {
    "name": ({**slurm(), "name": "-ml"}, "name: '-ml'"),
    "long name": ({**slurm(), "name": "m" * 64}, "name: 'mmm"),
    "cluster arn": ({**slurm(), "cluster_arn": "ml"}, "'ml'"),
    "absent without arn": ({**BASE, "state": "absent"}, "cluster_arn: missing"),
    "subnets": ({**slurm(), "vpc_config": {**VPC, "subnets": ["10.1.0.0/24"]}}, "vpc_config.subnets: '10.1.0.0/24'"),
    "many subnets": ({**slurm(), "vpc_config": {**VPC, "subnets": [f"subnet-{n}" for n in range(17)]}}, "vpc_config.subnets: 17"),
    "no groups in vpc": ({**slurm(), "vpc_config": {"subnets": ["subnet-1"]}}, "vpc_config.security_group_ids: missing"),
    "group ids": ({**slurm(), "vpc_config": {**VPC, "security_group_ids": ["nodes"]}}, "vpc_config.security_group_ids: 'nodes'"),
    "both orchestrators": (slurm(orchestrator={"slurm": {}, "eks": {"cluster_arn": EKS_ARN}}), "orchestrator.eks: "),
    "eks arn": (eks(orchestrator={"eks": {"cluster_arn": "one"}}), "orchestrator.eks.cluster_arn: 'one'"),
    "eks without arn": (eks(orchestrator={"eks": {}}), "orchestrator.eks.cluster_arn: missing"),
    "eks without vpc": (eks(vpc_config=None), "vpc_config: missing"),
    "no group": (slurm(instance_groups=[]), "instance_groups: missing"),
    "many groups": (slurm(instance_groups=[group(f"g{n}") for n in range(101)]), "instance_groups: 101"),
    "same group twice": (slurm(instance_groups=[group("a"), group("a")]), "instance_groups: 'a'"),
    "restricted of the same name": (slurm(restricted_instance_groups=[group("worker")]), "instance_groups: 'worker'"),
    "no controller": (slurm(instance_groups=slurm()["instance_groups"][1:]), "instance_groups: []"),
    "two controllers": (
        slurm(instance_groups=[*slurm()["instance_groups"], group("two", slurm_config={"node_type": "Controller"})]),
        "instance_groups: ['controller', 'two']",
    ),
    "two login groups": (
        slurm(instance_groups=[*slurm()["instance_groups"], group("two", slurm_config={"node_type": "Login"})]),
        "instance_groups: ['login', 'two']",
    ),
    "group name": (slurm(instance_groups=[group("a_b")]), "instance_groups.a_b.name: 'a_b'"),
    "count": (worker(instance_count=6759), AT + "instance_count: 6759"),
    "no count": (worker(instance_count=None), AT + "instance_count: missing"),
    "least count": (worker(min_instance_count=2), AT + "min_instance_count: 2"),
    "role": (worker(execution_role="hyperpod"), AT + "execution_role: 'hyperpod'"),
    "no role": (worker(execution_role=None), AT + "execution_role: missing"),
    "instance type": (worker(instance_type="m5.large"), AT + "instance_type: 'm5.large'"),
    "no instance type": (worker(instance_type=None), AT + "instance_type: missing"),
    "two kinds of types": (worker(instance_requirements={"instance_types": ["ml.m5.large"]}), AT + "instance_type: 'ml.m5.large'"),
    "no types": (worker(instance_type=None, instance_requirements={}), AT + "instance_requirements.instance_types: missing"),
    "bucket": (worker(life_cycle_config={"source_s3_uri": "s3://mine/a", "on_create": "a"}), AT + "life_cycle_config.source_s3_uri: 's3://mine/a'"),
    "script without bucket": (worker(life_cycle_config={"on_create": "a"}), AT + "life_cycle_config.source_s3_uri: missing"),
    "two scripts": (
        worker(life_cycle_config={"source_s3_uri": "s3://sagemaker-a/b", "on_create": "a", "on_init_complete": "b"}),
        AT + "life_cycle_config.on_create: 'a'",
    ),
    "threads": (worker(threads_per_core=3), AT + "threads_per_core: 3"),
    "two storages in one": (
        worker(instance_storage_configs=[{"ebs_volume_config": {"volume_size_in_gb": 1}, "fsx_lustre_config": LUSTRE}]),
        AT + "instance_storage_configs[0]: ['ebs_volume_config', 'fsx_lustre_config']",
    ),
    "many storages": (worker(instance_storage_configs=[{"fsx_lustre_config": LUSTRE}] * 5), AT + "instance_storage_configs: 5"),
    "volume size": (
        worker(instance_storage_configs=[{"ebs_volume_config": {"volume_size_in_gb": 0}}]),
        AT + "instance_storage_configs[0].ebs_volume_config.volume_size_in_gb: 0",
    ),
    "size of the root volume": (
        worker(instance_storage_configs=[{"ebs_volume_config": {"volume_size_in_gb": 1, "root_volume": True}}]),
        AT + "instance_storage_configs[0].ebs_volume_config.volume_size_in_gb: 1",
    ),
    "file system": (
        worker(instance_storage_configs=[{"fsx_lustre_config": {**LUSTRE, "dns_name": "fsx"}}]),
        AT + "instance_storage_configs[0].fsx_lustre_config.dns_name: 'fsx'",
    ),
    "mount name": (
        worker(instance_storage_configs=[{"fsx_lustre_config": {"dns_name": LUSTRE["dns_name"]}}]),
        AT + "instance_storage_configs[0].fsx_lustre_config.mount_name: missing",
    ),
    "health check": (worker(on_start_deep_health_checks=["Stress"]), AT + "on_start_deep_health_checks: 'Stress'"),
    "training plan": (worker(training_plan_arn="one"), AT + "training_plan_arn: 'one'"),
    "image": (worker(image_id="latest"), AT + "image_id: 'latest'"),
    "release": (worker(image_release_version="1.2"), AT + "image_release_version: '1.2'"),
    "capacity": (worker(capacity_requirements={}), AT + "capacity_requirements: {}"),
    "both capacities": (worker(capacity_requirements={"spot": {}, "on_demand": {}}), AT + "capacity_requirements.spot: {}"),
    "labels on Slurm": (worker(kubernetes_config={"labels": {"a": "b"}}), AT + "kubernetes_config: "),
    "label": (eks(instance_groups=[group("gpu", kubernetes_config={"labels": {"a": "b c"}})]), "instance_groups.gpu.kubernetes_config.labels.a: 'b c'"),
    "taint": (
        eks(instance_groups=[group("gpu", kubernetes_config={"taints": [{"key": "a", "effect": "Never"}]})]),
        "instance_groups.gpu.kubernetes_config.taints[0].effect: 'Never'",
    ),
    "slurm_config on EKS": (eks(instance_groups=[group("gpu", slurm_config={"node_type": "Compute"})]), "instance_groups.gpu.slurm_config: "),
    "no partition": (worker(slurm_config={"node_type": "Compute"}), AT + "slurm_config.partition_names: missing"),
    "a reserved partition": (
        worker(slurm_config={"node_type": "Compute", "partition_names": ["default"]}),
        AT + "slurm_config.partition_names: 'default' is not allowed. Allowed: a name other than DEFAULT",
    ),
    "two partitions": (worker(slurm_config={"node_type": "Compute", "partition_names": ["a", "b"]}), AT + "slurm_config.partition_names: 2"),
    "partition of a login group": (
        slurm(instance_groups=[*slurm()["instance_groups"][:1], group("in", slurm_config={"node_type": "Login", "partition_names": ["a"]})]),
        "instance_groups.in.slurm_config.partition_names: ['a']",
    ),
    "strategy": (slurm(orchestrator={"slurm": {"slurm_config_strategy": "Merge"}}), "orchestrator.slurm.slurm_config_strategy: 'Merge'"),
    "accounting without continuous": (
        slurm(
            orchestrator={"slurm": {"accounting_database": {"endpoint": "db", "secret_arn": "arn:aws:secretsmanager:a:111111111111:secret:x"}}},
            node_provisioning_mode=None,
        ),
        "node_provisioning_mode: None",
    ),
    "accounting without secret": (
        slurm(orchestrator={"slurm": {"accounting_database": {"endpoint": "db"}}}),
        "orchestrator.slurm.accounting_database.secret_arn: missing",
    ),
    "autoscaler on Slurm": (slurm(auto_scaling={"mode": "Enable"}, cluster_role=ROLE), "auto_scaling.mode: 'Enable'"),
    "autoscaler without role": (eks(auto_scaling={"mode": "Enable"}), "cluster_role: missing"),
    "autoscaler without continuous": (
        eks(auto_scaling={"mode": "Enable"}, cluster_role=ROLE, node_provisioning_mode=None),
        "node_provisioning_mode: None",
    ),
    "tiered storage on Slurm": (slurm(tiered_storage_config={"mode": "Enable"}), "tiered_storage_config.mode: 'Enable'"),
    "batches on Slurm": (
        worker(scheduled_update_config={"schedule_expression": "cron(0 2 ? * SUN *)", "deployment_config": {"wait_interval_in_seconds": 1}}),
        AT + "scheduled_update_config.deployment_config: ",
    ),
    "schedule": (worker(scheduled_update_config={}), AT + "scheduled_update_config.schedule_expression: missing"),
    "patch date": (
        worker(auto_patch_config={"patching_strategy": "WhenIdle", "patch_schedule": {"next_patch_date": "soon"}}),
        AT + "auto_patch_config.patch_schedule.next_patch_date: 'soon'",
    ),
    "tag": ({**slurm(), "tags": {"aws:a": "b"}}, "tags: 'aws:a'"),
}


@pytest.mark.parametrize("what", WRONG)
def test_an_invalid_definition_is_refused(what: str) -> None:
    params, named = WRONG[what]
    with pytest.raises(Refused) as caught:
        plan(desired(params), State())
    sentence = str(caught.value)
    assert sentence.startswith(named) or named in sentence.split(" is not allowed", maxsplit=1)[0], sentence
    assert " is not allowed" in sentence or ": missing; " in sentence, sentence


@pytest.mark.parametrize(
    "params",
    [
        slurm(),
        eks(),
        eks(auto_scaling={"mode": "Enable", "auto_scaler_type": "Karpenter"}, cluster_role=ROLE, tiered_storage_config={"mode": "Enable"}),
        worker(instance_type=None, instance_requirements={"instance_types": ["ml.p5.48xlarge", "ml.p5e.48xlarge"]}, training_plan_arn=PLAN_ARN),
        slurm(instance_groups=[group("of a file")]) | {"instance_groups": [group("by-a-file"), group("other")]},
        eks(instance_groups=None, restricted_instance_groups=[group("nova")]),
        slurm(node_provisioning_mode=None, orchestrator={"slurm": {"slurm_config_strategy": "Managed"}}),
    ],
)
def test_a_valid_definition_becomes_one_call(params: dict[str, t.Any]) -> None:
    (step,) = plan(desired(params), State()).steps
    assert step.operation == "CreateCluster" and step.arguments["ClusterName"] == "ml"
