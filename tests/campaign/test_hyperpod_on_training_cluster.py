# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A HyperPod cluster on an EKS cluster that a playbook built, as docs/use/training-cluster.md describes."""

from __future__ import annotations

import json
import typing as t

import pytest
from lab.names import ACCOUNT
from steps import step
from training_definition import ACCEPTED, NAME, QUOTAS, REMOVED, Definition, everything, mutating
from training_world import TrainingWorld

pytestmark = pytest.mark.slow
WITHOUT_GROUPS: dict[str, t.Any] = {"training_cluster_groups": [], "training_cluster_device_plugins": False}
GROUP = {
    "InstanceGroupName": "workers",
    "InstanceType": "ml.g5.8xlarge",
    "InstanceCount": 1,
    "ExecutionRole": f"arn:aws:iam::{ACCOUNT}:role/hyperpod-nodes",
}


@pytest.fixture
def world() -> t.Iterator[TrainingWorld]:
    with TrainingWorld(NAME) as made:
        made.world.settings(service_quotas={**QUOTAS, "ml.g5.8xlarge for cluster usage": 1}, price_list=True)
        yield made
    made.world.settings(service_quotas={}, price_list=False)


def hyperpod(world: TrainingWorld) -> dict[str, t.Any]:
    """The definition of the HyperPod cluster."""
    cluster = world.aws("eks").describe_cluster(name=NAME)["cluster"]
    group = cluster["resourcesVpcConfig"]["clusterSecurityGroupId"]
    return {
        "ClusterName": "on-eks",
        "VpcConfig": {"Subnets": [f"{NAME}.nodes"], "SecurityGroupIds": [group]},
        "Orchestrator": {"Eks": {"ClusterArn": cluster["arn"]}},
        "NodeProvisioningMode": "Continuous",
        "InstanceGroups": [GROUP],
        "Tags": [{"Key": "lab/hosts", "Value": "none"}],
    }


def test_a_hyperpod_cluster_on_the_eks_cluster_is_removed_first(world: TrainingWorld) -> None:
    before, sagemaker = everything(world), world.aws("sagemaker")
    with step("one host declares both clusters"):
        built = Definition(world, **WITHOUT_GROUPS).playbook(*ACCEPTED)
        assert built.rc == 0, built.log
        world.agent("1.0.1892.0_1.0.424.0")
        definition = Definition(world, **WITHOUT_GROUPS, hyperpod_cluster_definition=hyperpod(world))
        created = world.world.playbook("cluster", *definition.arguments)
        assert created.rc == 0, created.log
        arn = sagemaker.describe_cluster(ClusterName="on-eks")["ClusterArn"]

    with step("both playbooks change nothing any more"):
        for again in (definition.playbook(*ACCEPTED), world.world.playbook("cluster", *definition.arguments)):
            assert (again.rc, again.changed) == (0, 0), again.log

    with step("the removal of the EKS cluster is refused"):
        world.world.reset_calls()
        refused = definition.playbook(*REMOVED)
        assert refused.rc != 0 and mutating(world) == [], refused.log
        assert f"HyperPod cluster {arn} runs on EKS cluster {NAME}" in " ".join(refused.output.split()), refused.log

    with step("both are removed"):
        gone = world.world.playbook("cluster", *definition.arguments, "-e", json.dumps({"hyperpod_cluster_remove": arn}), "--limit", NAME)
        assert gone.rc == 0 and sagemaker.list_clusters()["ClusterSummaries"] == [], gone.log
        removed = definition.playbook(*REMOVED)
        assert removed.rc == 0 and everything(world) == before, removed.log
