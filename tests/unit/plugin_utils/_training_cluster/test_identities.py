# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Roles of a training cluster: names within IAM's limits, trust policies for one cluster, and policies for each partition."""

from __future__ import annotations

import json
import re

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.identities import (
    ADDON_ROLES,
    CLUSTER_ROLE,
    NODE_ROLE,
    ROLES,
    role_arn,
    role_name,
)

ARN = "arn:aws:eks:us-west-2:111111111111:cluster/ml"
BY_PART = {role.part: role for role in ROLES}


@pytest.mark.parametrize("part", BY_PART)
@pytest.mark.parametrize("cluster", ["m", "ml", "m" * 100])
@pytest.mark.parametrize("region", ["us-west-2", "ap-southeast-2", "us-isob-east-1"])
def test_a_name_is_valid_and_ends_with_the_part(part: str, cluster: str, region: str) -> None:
    name = role_name(cluster, region, part)
    assert re.fullmatch(r"[\w+=,.@-]{1,64}", name)
    assert name.startswith(cluster[:9]) and name.endswith(f"-{part}")


def test_short_names_are_readable() -> None:
    assert role_name("ml", "us-west-2", "nodes") == "ml-us-west-2-nodes"
    exact = "m" * (64 - len("-us-west-2-nodes"))
    assert role_name(exact, "us-west-2", "nodes") == f"{exact}-us-west-2-nodes"


def test_long_names_get_a_hash_of_the_whole_name() -> None:
    one, other, elsewhere = (role_name(cluster, region, "nodes") for cluster, region in (
        ("m" * 99 + "1", "us-west-2"),
        ("m" * 99 + "2", "us-west-2"),
        ("m" * 99 + "1", "us-east-1"),
    ))
    assert len(one) == 64 and len({one, other, elsewhere}) == 3
    assert re.fullmatch(r"m+-[0-9a-f]{8}-nodes", one)


def test_an_arn_contains_the_path() -> None:
    assert role_arn("aws-cn", "111111111111", "ml-cn-north-1-nodes") == (
        "arn:aws-cn:iam::111111111111:role/hyperpod-eks/ml-cn-north-1-nodes"
    )


@pytest.mark.parametrize("role", ROLES, ids=BY_PART)
def test_a_role_has_rights_and_only_pods_have_service_accounts(role) -> None:
    assert bool(role.managed) != bool(role.inline)
    assert bool(role.service_account) == bool(role.namespace) == (role in ADDON_ROLES) == (role.service == "pods.eks.amazonaws.com")


def test_each_add_on_has_its_own_service_account() -> None:
    assert len({(role.namespace, role.service_account) for role in ADDON_ROLES}) == len(ADDON_ROLES) == len({role.part for role in ADDON_ROLES})
    found = {role.part: f"{role.namespace}/{role.service_account}" for role in ADDON_ROLES}
    assert found == {
        "vpc-cni": "kube-system/aws-node",
        "aws-ebs-csi-driver": "kube-system/ebs-csi-controller-sa",
        "aws-fsx-csi-driver": "kube-system/fsx-csi-controller-sa",
        "aws-efs-csi-driver": "kube-system/efs-csi-controller-sa",
        "aws-mountpoint-s3-csi-driver": "kube-system/s3-csi-driver-sa",
        "amazon-cloudwatch-observability": "amazon-cloudwatch/cloudwatch-agent",
        "amazon-sagemaker-hyperpod-training-operator": "aws-hyperpod/hp-training-operator-controller-manager",
    }
    assert [role.part for role in ADDON_ROLES if not role.inline_association] == ["amazon-sagemaker-hyperpod-training-operator"]


def test_policies_are_those_of_the_partition() -> None:
    assert NODE_ROLE.managed_arns("aws-us-gov") == [
        "arn:aws-us-gov:iam::aws:policy/AmazonEC2ContainerRegistryPullOnly",
        "arn:aws-us-gov:iam::aws:policy/AmazonEKSWorkerNodePolicy",
    ]
    assert BY_PART["aws-efs-csi-driver"].managed_arns("aws") == ["arn:aws:iam::aws:policy/service-role/AmazonEFSCSIDriverPolicy"]
    assert NODE_ROLE.policy("aws") is None
    (statement,) = BY_PART["aws-mountpoint-s3-csi-driver"].policy("aws-cn")["Statement"]
    assert statement["Resource"] == "arn:aws-cn:s3:::sagemaker-*"
    assert statement["Condition"] == {"StringEquals": {"aws:ResourceAccount": "${aws:PrincipalAccount}"}}


@pytest.mark.parametrize("role", ROLES, ids=BY_PART)
def test_only_one_service_may_assume_a_role(role) -> None:
    (statement,) = role.trust(account="111111111111", cluster=ARN)["Statement"]
    assert statement["Principal"] == {"Service": role.service} and statement["Effect"] == "Allow"
    json.dumps(statement)


def test_trust_policies_name_the_cluster() -> None:
    (cluster,) = CLUSTER_ROLE.trust(account="111111111111", cluster=ARN)["Statement"]
    assert cluster["Condition"] == {"StringEquals": {"aws:SourceAccount": "111111111111"}, "ArnEquals": {"aws:SourceArn": ARN}}
    (nodes,) = NODE_ROLE.trust(account="111111111111", cluster=ARN)["Statement"]
    assert "Condition" not in nodes and nodes["Action"] == "sts:AssumeRole"
    (pods,) = BY_PART["vpc-cni"].trust(account="111111111111", cluster=ARN)["Statement"]
    assert pods["Action"] == ["sts:AssumeRole", "sts:TagSession"]
    assert pods["Condition"] == {
        "StringEquals": {
            "aws:RequestTag/eks-cluster-arn": ARN,
            "aws:RequestTag/kubernetes-namespace": "kube-system",
            "aws:RequestTag/kubernetes-service-account": "aws-node",
        }
    }
