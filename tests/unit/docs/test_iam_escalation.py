# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""No policy of docs/reference/iam leads to an administrator's rights through at most two roles, by the lab's evaluator.

A path of length 1 is a role that the holder can create, change, assume or use to run code, and that is an administrator's or accepts
any policy from the holder. A path of length 2 continues from the permissions boundary of such a role. Longer paths are not searched.
"""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

import pytest
from lab.aws.permissions.asked import Permission
from lab.aws.permissions.escalation import BOUNDARY, ROLES, ways
from lab.aws.permissions.policy import Statement, allows

DOCUMENTS = {
    path.stem: json.loads(path.read_text())["Statement"]
    for path in (Path(__file__).resolve().parents[3] / "docs/reference/iam").glob("*.json")
}
LIMIT = DOCUMENTS["boundary"]
ACCOUNT = "111111111111"
CLUSTER = f"arn:aws:eks:us-west-2:{ACCOUNT}:cluster/payroll"
ENTRY = f"arn:aws:eks:us-west-2:{ACCOUNT}:access-entry/payroll/role/{ACCOUNT}/me/1"
ACCESS_POLICY = "arn:aws:eks::aws:cluster-access-policy/"
ME = {"eks:principalArn": f"arn:aws:iam::{ACCOUNT}:role/me", "eks:accessEntryType": "STANDARD"}
OTHER_ACCOUNT = {"aws:ResourceAccount": "999999999999"}
ALLOWED = "the documented policies must not allow it, even together"


def together() -> list[Statement]:
    """Statements of a role with all policies, without the boundary, which grants nothing."""
    return [statement for name, statements in DOCUMENTS.items() if name != "boundary" for statement in statements]


@pytest.mark.parametrize("name", sorted(DOCUMENTS))
def test_no_policy_leads_to_an_administrator(name: str) -> None:
    assert ROLES == 2 and ways(DOCUMENTS[name], LIMIT) == []


def test_no_set_of_policies_leads_to_an_administrator() -> None:
    assert ways(together(), LIMIT) == []


def allow(*actions: str, resource: str = "*", **condition: t.Any) -> Statement:
    return {"Effect": "Allow", "Action": [f"iam:{each}" for each in actions], "Resource": resource, "Condition": condition}


OURS = {"iam:PermissionsBoundary": BOUNDARY}


@pytest.mark.parametrize(
    ("statements", "limit", "way"),
    [
        ([allow("CreateRole", "PutRolePolicy")], [], "creates: new takes any policy"),
        ([allow("CreateRole", StringEquals=OURS), allow("PutRolePolicy")], [], "is: mlfleet-login-access takes any policy"),
        ([allow("PutRolePolicy", resource="*:role/hyperpod*")], [], "is: hyperpod-login-access takes any policy"),
        ([allow("UpdateAssumeRolePolicy")], [], "replaces the trust policy of: Administrator is an administrator's"),
        (
            [allow("PassRole", resource="*:role/hyperpod*", StringEquals={"iam:PassedToService": "sagemaker.amazonaws.com"})],
            [],
            "passes to sagemaker.amazonaws.com: hyperpod-administrator is an administrator's",
        ),
        (
            [allow("CreateRole", "PutRolePolicy", StringEquals=OURS), allow("DeleteRolePermissionsBoundary")],
            [],
            "creates: new takes any policy",
        ),
        (
            [allow("CreateRole", StringEquals=OURS), allow("PutRolePermissionsBoundary"), allow("PutRolePolicy")],
            [],
            "creates: new takes any policy",
        ),
        ([allow("CreateRole", "AttachRolePolicy")], [], "creates: new takes any policy"),
        ([allow("CreatePolicyVersion")], [], "iam:CreatePolicyVersion on policy/mlfleet-hyperpod-boundary"),
        ([allow("CreateAccessKey")], [], "iam:CreateAccessKey on user/administrator"),
        (
            [allow("CreateRole", "PutRolePolicy", StringEquals=OURS)],
            [allow("AttachUserPolicy")],
            "creates: new, then iam:AttachUserPolicy on user/administrator",
        ),
        (
            [allow("CreateRole", "PutRolePolicy", StringEquals=OURS)],
            [{"Effect": "Allow", "Action": "sts:AssumeRole", "Resource": "*"}],
            "creates: new, then assumes: Administrator is an administrator's",
        ),
    ],
)
def test_a_path_is_found(statements: list[Statement], limit: list[Statement], way: str) -> None:
    """The search finds each kind of path."""
    assert way in ways(statements, limit)


@pytest.mark.parametrize(
    ("action", "resource", "context"),
    [
        ("eks:CreateAccessEntry", CLUSTER, {**ME, "eks:kubernetesGroups": ["admins"]}),
        ("eks:CreateAccessEntry", CLUSTER, {**ME, "eks:kubernetesGroups": ["mlfleet-hyperpod:a", "admins"]}),
        ("eks:CreateAccessEntry", CLUSTER, {**ME, "eks:username": "admin"}),
        ("eks:CreateAccessEntry", CLUSTER, {**ME, "eks:accessEntryType": "EC2_LINUX"}),
        ("eks:UpdateAccessEntry", ENTRY, {**ME, "eks:kubernetesGroups": ["admins"]}),
        ("eks:AssociateAccessPolicy", ENTRY, {**ME, "eks:policyArn": f"{ACCESS_POLICY}AmazonEKSClusterAdminPolicy"}),
        ("eks:AssociateAccessPolicy", ENTRY, {**ME, "eks:policyArn": f"{ACCESS_POLICY}AmazonEKSAdminPolicy"}),
        ("eks:AssociateAccessPolicy", ENTRY, {**ME, "eks:policyArn": f"{ACCESS_POLICY}AmazonSagemakerHyperpodClusterPolicy"}),
        (
            "eks:AssociateAccessPolicy",
            ENTRY,
            {**ME, "eks:policyArn": f"{ACCESS_POLICY}AmazonEKSEditPolicy", "eks:accessScope": "cluster"},
        ),
        (
            "eks:AssociateAccessPolicy",
            ENTRY,
            {
                **ME,
                "eks:policyArn": f"{ACCESS_POLICY}AmazonEKSEditPolicy",
                "eks:accessScope": "namespace",
                "eks:namespaces": ["hyperpod-ns-a", "kube-system"],
            },
        ),
        ("s3:PutObject", "arn:aws:s3:::sagemaker-us-west-2-999999999999/on_create.sh", OTHER_ACCOUNT),
        ("s3:GetObject", "arn:aws:s3:::sagemaker-us-west-2-999999999999/on_create.sh", OTHER_ACCOUNT),
        ("ec2:AttachVolume", f"arn:aws:ec2:us-west-2:{ACCOUNT}:volume/vol-payroll", {}),
        ("ec2:DetachVolume", f"arn:aws:ec2:us-west-2:{ACCOUNT}:volume/vol-payroll", {"aws:ResourceTag/mlfleet.hyperpod/cluster": "mine"}),
        ("ec2:AttachNetworkInterface", f"arn:aws:ec2:us-west-2:{ACCOUNT}:network-interface/eni-payroll", {}),
        ("ec2:CreateTags", f"arn:aws:ec2:us-west-2:{ACCOUNT}:volume/vol-payroll", {}),
        ("ec2:ModifySnapshotAttribute", "arn:aws:ec2:us-west-2::snapshot/snap-payroll", {}),
        ("ec2:ModifyImageAttribute", "arn:aws:ec2:us-west-2::image/ami-payroll", {}),
    ],
)
def test_foreign_resources_cannot_be_changed(action: str, resource: str, context: dict[str, t.Any]) -> None:
    assert not allows(together(), Permission(action, resource, context)), ALLOWED


def test_only_the_policy_client_vpn_log_allows_deletion_of_the_connection_log() -> None:
    permission = Permission("logs:DeleteLogGroup", f"arn:aws:logs:us-west-2:{ACCOUNT}:log-group:/mlfleet/hyperpod/client-vpn/vpc-1")
    assert [name for name, statements in DOCUMENTS.items() if allows(statements, permission)] == ["client-vpn-log"]
