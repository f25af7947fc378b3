# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Add-ons and access entries of eksctl become variables; permissions that the run would not give are refused."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.gathering import refusals
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.eksctl_addons import read_access, read_addons

Values = dict[str, t.Any]
AWS = "arn:aws:iam::aws:policy"
ADMIN, TEAM = "arn:aws:iam::111111111111:role/admins", "arn:aws:iam::111111111111:user/alice"
POLICY = "arn:aws:eks::aws:cluster-access-policy"
DEFAULTS = [{"name": name} for name in ("coredns", "kube-proxy", "vpc-cni")]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"name": "vpc-cni"}, {"name": "vpc-cni"}),
        ({"name": "VPC-CNI", "version": "latest"}, {"name": "vpc-cni", "version": "latest"}),
        ({"name": "a", "version": "v1.2.3-eksbuild.1"}, {"name": "a", "version": "v1.2.3-eksbuild.1"}),
        ({"name": "a", "configurationValues": '{"b": 1}'}, {"name": "a", "configuration": {"b": 1}}),
        ({"name": "a", "configurationValues": "b: [c]"}, {"name": "a", "configuration": {"b": ["c"]}}),
        ({"name": "a", "resolveConflicts": "overwrite", "useDefaultPodIdentityAssociations": True}, {"name": "a"}),
        ({"name": "aws-efs-csi-driver", "wellKnownPolicies": {"efsCSIController": True}}, {"name": "aws-efs-csi-driver"}),
        ({"name": "a", "wellKnownPolicies": {"ebsCSIController": False}}, {"name": "a"}),
        ({"name": "vpc-cni", "attachPolicyARNs": [f"{AWS}/AmazonEKS_CNI_Policy"]}, {"name": "vpc-cni"}),
        ({"name": "aws-ebs-csi-driver", "attachPolicyARNs": [f"{AWS}/service-role/AmazonEBSCSIDriverPolicy"]}, {"name": "aws-ebs-csi-driver"}),
    ],
)
def test_an_add_on(given: Values, expected: Values) -> None:
    assert read_addons({"addons": [given]}, "f", ()) == [expected]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({}, "name: missing."),
        ({"name": "a b"}, "name: 'a b' is not allowed."),
        ({"name": "a", "version": "1"}, "version: '1' is not allowed."),
        ({"name": "a", "configurationValues": "b: ["}, "configurationValues: 'b: [' is not allowed: it is not YAML"),
        ({"name": "a", "configurationValues": "[]"}, "configurationValues: '[]' is not allowed. Allowed: an object as JSON or YAML text."),
        ({"name": "a", "configurationValues": {"b": 1}}, "configurationValues: {'b': 1} is not allowed. Allowed: a text"),
        ({"name": "a", "wellKnownPolicies": {"ebsCSIController": True}}, "wellKnownPolicies.ebsCSIController: True is not allowed: these are"),
        ({"name": "cert-manager", "wellKnownPolicies": {"certManager": True}}, "wellKnownPolicies.certManager: True is not allowed: the run"),
        ({"name": "a", "attachPolicyARNs": [f"{AWS}/A"]}, f"attachPolicyARNs: '{AWS}/A' is not allowed: the run creates no role for this"),
        ({"name": "vpc-cni", "attachPolicyARNs": [f"{AWS}/A"]}, f"attachPolicyARNs: '{AWS}/A' is not allowed: the run creates the role of"),
        (
            {"name": "vpc-cni", "attachPolicyARNs": ["arn:aws:iam::111111111111:policy/AmazonEKS_CNI_Policy"]},
            "attachPolicyARNs: 'arn:aws:iam::111111111111:policy/AmazonEKS_CNI_Policy' is not allowed",
        ),
        ({"name": "a", "attachPolicy": {"Statement": [1]}}, "attachPolicy: {'Statement': [1]} is not allowed: the run creates no role with"),
        ({"name": "a", "serviceAccountRoleARN": ADMIN}, f"serviceAccountRoleARN: '{ADMIN}' is not allowed: the run creates the IAM roles."),
        ({"name": "a", "tags": {"b": "c"}}, "tags: {'b': 'c'} is not allowed: all resources have the tags of the cluster. Allowed: no value; use"),
    ],
)
def test_a_refused_add_on(given: Values, sentence: str) -> None:
    (refused,) = refusals(read_addons, {"addons": [given]}, "f", ())
    assert refused.startswith(f"f.addons[0].{sentence}")


def test_permissions_of_nodes_for_drivers_become_drivers() -> None:
    listed = {"addons": [{"name": "aws-ebs-csi-driver", "version": "latest"}]}
    assert read_addons(listed, "f", ("ebs", "fsx")) == [{"name": "aws-ebs-csi-driver", "version": "latest"}, {"name": "aws-fsx-csi-driver"}]
    assert read_addons({}, "f", ("efs",)) == [{"name": "aws-efs-csi-driver"}]


def test_an_add_on_is_listed_once() -> None:
    (refused,) = refusals(read_addons, {"addons": [{"name": "a"}, {"name": "A"}]}, "f", ())
    assert refused == "f.addons.name: 'a' is not allowed: it is given more than once. Allowed: each value once."


def test_default_add_ons_are_off_only_if_the_file_lists_them() -> None:
    off = {"addonsConfig": {"disableDefaultAddons": True, "autoApplyPodIdentityAssociations": True}}
    assert read_addons({**off, "addons": DEFAULTS}, "f", ()) == DEFAULTS
    (refused,) = refusals(read_addons, {**off, "addons": DEFAULTS[1:]}, "f", ())
    assert refused.endswith("the run always installs these add-ons. Allowed: false, or true with coredns in addons.")


def entry(principal: str, policy: str = "AmazonEKSViewPolicy", **scope: t.Any) -> Values:
    return {"principalARN": principal, "accessPolicies": [{"policyARN": f"{POLICY}/{policy}", "accessScope": scope or {"type": "cluster"}}]}


def test_access_entries_are_administrators_or_teams() -> None:
    entries = [
        entry(ADMIN, "AmazonEKSClusterAdminPolicy"),
        entry(TEAM, type="namespace", namespaces=["research", "dev-*"]),
        {**entry(f"{ADMIN}-b"), "type": "STANDARD"},
        entry(f"{ADMIN}-c", "AmazonEKSClusterAdminPolicy", type="namespace", namespaces=["a"]),
    ]
    config = {"authenticationMode": "API", "bootstrapClusterCreatorAdminPermissions": False, "accessEntries": entries}
    assert read_access({"accessConfig": config}, "f") == {
        "admins": [ADMIN],
        "teams": [
            {"principal_arn": TEAM, "policy": "AmazonEKSViewPolicy", "namespaces": ["research", "dev-*"]},
            {"principal_arn": f"{ADMIN}-b", "policy": "AmazonEKSViewPolicy"},
            {"principal_arn": f"{ADMIN}-c", "policy": "AmazonEKSClusterAdminPolicy", "namespaces": ["a"]},
        ],
    }
    assert read_access({}, "f") == {}


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (entry("alice"), "principalARN: 'alice' is not allowed. Allowed: the ARN of an IAM role or user"),
        (entry("arn:aws:sts::111111111111:assumed-role/a/b"), "principalARN: 'arn:aws:sts::111111111111:assumed-role/a/b' is not allowed: it"),
        ({"accessPolicies": entry(TEAM)["accessPolicies"]}, "principalARN: '' is not allowed."),
        ({**entry(TEAM), "type": "EC2_LINUX"}, "type: 'EC2_LINUX' is not allowed: EKS creates the entries of nodes itself. Allowed: STANDARD."),
        ({"principalARN": TEAM}, "accessPolicies: [] is not allowed: the run supports one policy for each principal. Allowed: one policy."),
        ({"principalARN": TEAM, "accessPolicies": entry(TEAM)["accessPolicies"] * 2}, f"accessPolicies: ['{POLICY}/AmazonEKSViewPolicy', '"),
        ({**entry(TEAM), "kubernetesGroups": ["a"]}, "kubernetesGroups: ['a'] is not allowed: the run grants access with EKS access policies."),
        (entry(TEAM, "a/b"), "accessPolicies[0].policyARN: 'arn:aws:eks::aws:cluster-access-policy/a/b' is not allowed."),
        (entry(TEAM, type="all"), "accessPolicies[0].accessScope.type: 'all' is not allowed. Allowed: cluster, namespace."),
        (entry(TEAM, type="namespace"), "accessPolicies[0].accessScope.namespaces: [] is not allowed. Allowed: namespaces with type"),
        (entry(TEAM, type="cluster", namespaces=["a"]), "accessPolicies[0].accessScope.namespaces: ['a'] is not allowed."),
        (entry(TEAM, type="namespace", namespaces=["A"]), "accessPolicies[0].accessScope.namespaces: 'A' is not allowed."),
    ],
)
def test_a_refused_access_entry(given: Values, sentence: str) -> None:
    (refused,) = refusals(read_access, {"accessConfig": {"accessEntries": [given]}}, "f")
    assert refused.startswith(f"f.accessConfig.accessEntries[0].{sentence}")


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"authenticationMode": "CONFIG_MAP"}, "authenticationMode: 'CONFIG_MAP' is not allowed: the run manages access with access entries"),
        ({"bootstrapClusterCreatorAdminPermissions": True}, "bootstrapClusterCreatorAdminPermissions: True is not allowed: the creator gets"),
        ({"accessEntries": [entry(TEAM), entry(TEAM)]}, f"accessEntries.principalARN: '{TEAM}' is not allowed: it is given more than once."),
    ],
)
def test_a_refused_access_configuration(given: Values, sentence: str) -> None:
    (refused,) = refusals(read_access, {"accessConfig": given}, "f")
    assert refused.startswith(f"f.accessConfig.{sentence}")
