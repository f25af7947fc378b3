# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A file of eksctl with teams, logs, an encryption key, two GPU groups and many add-ons becomes a cluster."""

from __future__ import annotations

import typing as t

import pytest
import yaml
from lab.names import ACCOUNT, REGION
from steps import step
from training_definition import ACCEPTED, BUILDER, FOLDER, NAME, QUOTAS, REMOVED, Definition, everything, mutating
from training_world import TrainingWorld

pytestmark = pytest.mark.slow
BOUNDARY = f"arn:aws:iam::{ACCOUNT}:policy/mlfleet-hyperpod-boundary"
KEY = f"arn:aws:kms:{REGION}:{ACCOUNT}:key/01234567-89ab-cdef-0123-456789abcdef"
TEAM = f"arn:aws:iam::{ACCOUNT}:role/mlfleet-research"
NAMESPACE = "hyperpod-ns-research"
POLICY = "arn:aws:eks::aws:cluster-access-policy"
GPU_QUOTAS = {"Running On-Demand G and VT instances": 64, "All P5 Spot Instance Requests": 384}
ADDONS = (
    *("amazon-cloudwatch-observability", "aws-ebs-csi-driver", "aws-efs-csi-driver", "aws-fsx-csi-driver"),
    *("aws-mountpoint-s3-csi-driver", "cert-manager"),
)
"""The add-ons of the file, in addition to those that every cluster has."""
TOLERATED = {"key": "team", "value": "research", "effect": "NoSchedule"}


def eksctl_file(admin: str) -> dict[str, t.Any]:
    return {
        "apiVersion": "eksctl.io/v1alpha5",
        "kind": "ClusterConfig",
        "metadata": {"name": NAME, "region": REGION, "version": "1.34", "tags": {"cost-center": "4711"}},
        "iam": {"withOIDC": True, "serviceRolePermissionsBoundary": BOUNDARY},
        "vpc": {"cidr": "10.8.0.0/16", "publicAccessCIDRs": ["203.0.113.0/24"], "nat": {"gateway": "Single"}},
        "secretsEncryption": {"keyARN": KEY},
        "cloudWatch": {"clusterLogging": {"enableTypes": ["audit", "authenticator"]}},
        "accessConfig": {
            "authenticationMode": "API",
            "accessEntries": [
                entry(admin, "AmazonEKSClusterAdminPolicy", type="cluster"),
                entry(TEAM, "AmazonEKSEditPolicy", type="namespace", namespaces=[NAMESPACE]),
            ],
        },
        "managedNodeGroups": [
            {"name": "system", "instanceType": "m7i.xlarge", "desiredCapacity": 1},
            {
                "name": "block",
                "instanceType": "p5.48xlarge",
                "desiredCapacity": 1,
                "spot": True,
                "volumeSize": 300,
                "labels": {"team": "research"},
                "taints": [TOLERATED],
                "iam": {"withAddonPolicies": {"ebs": True, "efs": True, "fsx": True}},
            },
            {"name": "small", "instanceType": "g5.8xlarge", "minSize": 0, "desiredCapacity": 1, "maxSize": 3},
        ],
        "addons": [
            {"name": "aws-mountpoint-s3-csi-driver"},
            {"name": "cert-manager"},
            {"name": "amazon-cloudwatch-observability", "configurationValues": "containerLogs: {enabled: false}"},
            {"name": "coredns", "configurationValues": "{\"replicaCount\": 3}"},
        ],
    }


def entry(principal: str, policy: str, **scope: t.Any) -> dict[str, t.Any]:
    return {"principalARN": principal, "accessPolicies": [{"policyARN": f"{POLICY}/{policy}", "accessScope": scope}]}


@pytest.fixture
def world() -> t.Iterator[TrainingWorld]:
    with TrainingWorld(NAME) as made:
        made.world.settings(service_quotas={**QUOTAS, **GPU_QUOTAS}, price_list=True)
        yield made
    made.world.settings(service_quotas={}, price_list=False)


@pytest.fixture
def definition(world: TrainingWorld) -> Definition:
    """An inventory whose only setting of the cluster is the file."""
    made, file = Definition(world), FOLDER / "cluster.yaml"
    file.write_text(yaml.safe_dump(eksctl_file(world.operator(BUILDER))))
    variables = {"hyperpod_region": REGION, "hyperpod_profile": BUILDER, "training_cluster_verify": False}
    host = {**variables, "training_cluster_eksctl_file": str(file)}
    made.inventory.write_text(yaml.safe_dump({"hyperpod_definitions": {"hosts": {NAME: host}}}))
    return made


def test_a_file_of_eksctl_becomes_a_cluster(world: TrainingWorld, definition: Definition) -> None:
    before, eks = everything(world), world.aws("eks")
    with step("the run creates what the file declares"):
        built = definition.playbook(*ACCEPTED)
        assert built.rc == 0, built.log
        assert_control_plane(eks.describe_cluster(name=NAME)["cluster"])
        assert_groups({each: eks.describe_nodegroup(clusterName=NAME, nodegroupName=each)["nodegroup"] for each in ("system", "block", "small")})
        addons = {each: eks.describe_addon(clusterName=NAME, addonName=each)["addon"] for each in eks.list_addons(clusterName=NAME)["addons"]}
        assert {*ADDONS, "coredns", "vpc-cni"} <= addons.keys() and {each["status"] for each in addons.values()} == {"ACTIVE"}
        settings = {each: yaml.safe_load(addons[each]["configurationValues"]) for each in ("amazon-cloudwatch-observability", "coredns")}
        assert settings == {"amazon-cloudwatch-observability": {"containerLogs": {"enabled": False}}, "coredns": {"replicaCount": 3}}
        policies = eks.list_associated_access_policies(clusterName=NAME, principalArn=TEAM)["associatedAccessPolicies"]
        scope = {"type": "namespace", "namespaces": [NAMESPACE]}
        assert [(each["policyArn"], each["accessScope"]) for each in policies] == [(f"{POLICY}/AmazonEKSEditPolicy", scope)]
    with step("each role has the boundary"):
        roles = world.aws("iam").list_roles(PathPrefix="/hyperpod-eks/")["Roles"]
        found = {world.aws("iam").get_role(RoleName=each["RoleName"])["Role"]["PermissionsBoundary"]["PermissionsBoundaryArn"] for each in roles}
        assert found == {BOUNDARY}
    with step("the next run changes nothing"):
        world.world.reset_calls()
        world.reset_changes()
        again = definition.playbook(*ACCEPTED)
        assert (again.rc, again.changed, mutating(world), world.changes()) == (0, 0, [], []), again.log
    with step("the removal returns the account to its previous state"):
        removed = definition.playbook(*REMOVED)
        assert removed.rc == 0 and everything(world) == before, removed.log


def assert_control_plane(cluster: dict[str, t.Any]) -> None:
    assert (cluster["version"], cluster["tags"]["cost-center"]) == ("1.34", "4711")
    assert cluster["resourcesVpcConfig"]["publicAccessCidrs"] == ["203.0.113.0/24"]
    assert cluster["encryptionConfig"] == [{"resources": ["secrets"], "provider": {"keyArn": KEY}}]
    enabled = [each["types"] for each in cluster["logging"]["clusterLogging"] if each["enabled"]]
    assert [sorted(each) for each in enabled] == [["audit", "authenticator"]]


def assert_groups(groups: dict[str, dict[str, t.Any]]) -> None:
    assert {each["status"] for each in groups.values()} == {"ACTIVE"}
    block, small = groups["block"], groups["small"]
    assert (block["capacityType"], block["labels"], block["scalingConfig"]["desiredSize"]) == ("SPOT", {"team": "research"}, 1)
    assert block["taints"] == [{**TOLERATED, "effect": "NO_SCHEDULE"}]
    assert small["scalingConfig"] == {"minSize": 0, "maxSize": 3, "desiredSize": 1}
    assert {each["tags"]["cost-center"] for each in groups.values()} == {"4711"}
