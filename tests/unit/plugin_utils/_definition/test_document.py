# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Definitions in AWS's form and in ours are equivalent; unknown names are refused with their paths."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._definition.document import options_of

ROLE = "arn:aws:iam::111111111111:role/hyperpod-nodes"
AWS: dict[str, t.Any] = {
    "ClusterName": "ml",
    "VpcConfig": {"Subnets": ["subnet-1"], "SecurityGroupIds": ["sg-1"]},
    "Orchestrator": {"Slurm": {"AccountingDatabase": {"Endpoint": "db.example", "SecretArn": "arn:secret"}}},
    "NodeProvisioningMode": "Continuous",
    "InstanceGroups": [
        {
            "InstanceGroupName": "workers",
            "InstanceType": "ml.p5.48xlarge",
            "InstanceCount": 8,
            "ExecutionRole": ROLE,
            "LifeCycleConfig": {"SourceS3Uri": "s3://sagemaker-code", "OnCreate": "on_create.sh"},
            "InstanceStorageConfigs": [{"EbsVolumeConfig": {"VolumeSizeInGB": 500}}],
            "KubernetesConfig": {"Labels": {"team": "a"}, "Taints": [{"Key": "gpu", "Effect": "NoSchedule"}]},
        }
    ],
    "RestrictedInstanceGroups": [{"InstanceGroupName": "nova", "EnvironmentConfig": {"FSxLustreConfig": {"SizeInGiB": 1200}}}],
    "Tags": [{"Key": "team", "Value": "research"}],
}
OURS: dict[str, t.Any] = {
    "name": "ml",
    "vpc_config": {"subnets": ["subnet-1"], "security_group_ids": ["sg-1"]},
    "orchestrator": {"slurm": {"accounting_database": {"endpoint": "db.example", "secret_arn": "arn:secret"}}},
    "node_provisioning_mode": "Continuous",
    "instance_groups": [
        {
            "name": "workers",
            "instance_type": "ml.p5.48xlarge",
            "instance_count": 8,
            "execution_role": ROLE,
            "life_cycle_config": {"source_s3_uri": "s3://sagemaker-code", "on_create": "on_create.sh"},
            "instance_storage_configs": [{"ebs_volume_config": {"volume_size_in_gb": 500}}],
            "kubernetes_config": {"labels": {"team": "a"}, "taints": [{"key": "gpu", "effect": "NoSchedule"}]},
        }
    ],
    "restricted_instance_groups": [{"name": "nova", "environment_config": {"fsx_lustre_config": {"size_in_gib": 1200}}}],
    "tags": {"team": "research"},
}


def test_both_forms_are_equivalent() -> None:
    assert options_of("file", AWS) == OURS == options_of("file", OURS)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "d.name: missing;"),
        ({"name": 7}, "d.name: missing;"),
        ({"name": "ml", "instance_group": []}, "d.instance_group: unknown; did you mean instance_groups? "),
        ({"ClusterName": "ml", "InstanceGroup": []}, "d.InstanceGroup: unknown. Allowed: VpcConfig, "),
        ({"ClusterName": "ml", "name": "ml"}, "d.name: unknown. Allowed: "),
        ({"ClusterName": "ml", "VpcConfig": []}, "d.VpcConfig: [] is not allowed. Allowed: an object."),
        ({"ClusterName": "ml", "VpcConfig": {"Subnet": []}}, "d.VpcConfig.Subnet: unknown. Allowed: SecurityGroupIds, Subnets"),
        ({"ClusterName": "ml", "InstanceGroups": {}}, "d.InstanceGroups: {} is not allowed. Allowed: a list of groups."),
        ({"ClusterName": "ml", "InstanceGroups": ["a"]}, "d.InstanceGroups: ['a'] is not allowed. Allowed: a list of groups."),
        ({"ClusterName": "ml", "InstanceGroups": [{"Name": "a"}]}, "d.InstanceGroups[0].Name: unknown. Allowed: InstanceGroupName, "),
        (
            {"ClusterName": "ml", "InstanceGroups": [{"InstanceStorageConfigs": {}}]},
            "d.InstanceGroups[0].InstanceStorageConfigs: {} is not allowed. Allowed: a list.",
        ),
        (
            {"ClusterName": "ml", "InstanceGroups": [{"InstanceStorageConfigs": ["a"]}]},
            "d.InstanceGroups[0].InstanceStorageConfigs[0]: 'a' is not allowed. Allowed: an object.",
        ),
        ({"ClusterName": "ml", "Tags": {"team": "a"}}, "d.Tags: {'team': 'a'} is not allowed. Allowed: a list of Key and Value."),
        ({"ClusterName": "ml", "Tags": [{"Key": "a"}]}, "d.Tags: [{'Key': 'a'}] is not allowed."),
    ],
)
def test_unknown_names_are_refused(given: dict[str, t.Any], message: str) -> None:
    with pytest.raises(Refused) as refused:
        options_of("d", given)
    assert str(refused.value).startswith(message)
