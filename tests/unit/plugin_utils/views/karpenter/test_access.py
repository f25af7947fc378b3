# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Access to the API server, and the role of Karpenter."""

from __future__ import annotations

import json
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.karpenter.access import kubeconfig, login, role

ARN = "arn:aws-us-gov:sagemaker:us-gov-west-1:111111111111:cluster/abc123def456"
EKS = "arn:aws-us-gov:eks:us-gov-west-1:111111111111:cluster/pods"


def variables(**more: t.Any) -> dict[str, t.Any]:
    return {
        "hyperpod_cluster_arn": ARN,
        "hyperpod_region": "us-gov-west-1",
        "hyperpod_state_dir": "~/state",
        "hyperpod_run": {"cluster": {"eks_cluster_arn": EKS}},
        "ansible_playbook_python": "/usr/bin/python3",
        "karpenter_kubeconfig": "",
        "karpenter_context": "",
        "karpenter_cluster_role": "",
        "karpenter_role_name": "",
        "karpenter_role_boundary": "",
        "karpenter_role_kms": False,
        **more,
    }


def test_the_api_server_is_reached_through_eks_or_a_file() -> None:
    assert (login(variables()).eks_cluster, login(variables()).kubeconfig) == (EKS, None)
    by_file = login(variables(karpenter_kubeconfig="k", karpenter_context="c"))
    assert (by_file.eks_cluster, by_file.kubeconfig, by_file.context) == (None, "k", "c")
    assert login(variables(karpenter_context="c")).eks_cluster is None


def test_other_modules_get_a_credential_program_and_no_token() -> None:
    there = {"eks_cluster": {"name": "pods", "endpoint": "https://e", "certificate_authority": "Q0E="}}
    made = kubeconfig(variables(__karpenter_eks=there)).upstream
    assert isinstance(made, dict) and "token" not in json.dumps(made["users"][0]["user"]).replace("eks_token", "")
    assert made["users"][0]["user"]["exec"]["command"] == "/usr/bin/python3"
    assert kubeconfig(variables(karpenter_kubeconfig="k")).upstream == "k"


def test_the_role_is_specific_to_cluster_and_partition() -> None:
    found = role(variables())
    assert found.name == "hyperpod-karpenter-abc123def456"
    assert found.arn == "arn:aws-us-gov:iam::111111111111:role/hyperpod-karpenter-abc123def456"
    (statement,) = json.loads(found.policy)["Statement"]
    assert (
        statement["Resource"] == ARN and statement["Condition"]["StringEquals"]["aws:ResourceAccount"] == "${aws:PrincipalAccount}"
    )
    assert role(variables(karpenter_cluster_role="arn:x")).arn == "arn:x"
    assert role(variables(karpenter_role_name="own")).name == "own"


def test_kms_keys_are_allowed_only_if_declared() -> None:
    (_nodes, keys) = json.loads(role(variables(karpenter_role_kms=True)).policy)["Statement"]
    assert keys["Resource"] == "arn:aws-us-gov:kms:*:*:key/*" and keys["Condition"]["Bool"] == {"kms:GrantIsForAWSResource": "true"}
    assert len(json.loads(role(variables(karpenter_role_kms="false")).policy)["Statement"]) == 1


def test_a_new_role_is_retried() -> None:
    assert role(variables()).attempts == 0
    assert role(variables(__karpenter_role={"changed": True})).attempts == 3
    assert role(variables(__karpenter_role={"changed": False, "attempts": 2})).attempts == 3
    assert role(variables(__karpenter_role={"changed": False, "attempts": 1})).attempts == 0


def test_a_role_created_for_this_cluster_is_ours() -> None:
    tags = role(variables()).tags
    assert role(variables(__karpenter_role_found={"iam_roles": [{"tags": {**tags, "more": "x"}}]})).ours
    assert not role(variables(__karpenter_role_found={"iam_roles": [{"tags": {**tags, "mlfleet.hyperpod/cluster": "other"}}]})).ours
    assert not role(variables(__karpenter_role_found={"iam_roles": []})).ours


def test_a_role_created_for_another_purpose_is_refused() -> None:
    tags = role(variables()).tags
    (refusal,) = role(variables(__karpenter_role_found={"iam_roles": [{"tags": {}}]})).refusals
    assert refusal["kind"] == "failure" and "hyperpod-karpenter-abc123def456 exists and was not created for" in refusal["text"]
    assert role(variables(__karpenter_role_found={"iam_roles": [{"tags": {**tags, "mlfleet.hyperpod/cluster": "b"}}]})).refusals
    for fine in ([{"tags": tags, "assume_role_policy_document": {}}], []):
        assert role(variables(__karpenter_role_found={"iam_roles": fine})).refusals == []
    assert role(variables(__karpenter_role_found={"skipped": True})).refusals == []


def test_the_role_has_the_boundary_and_one_account() -> None:
    arn = "arn:aws-us-gov:iam::111111111111:policy/mlfleet-hyperpod-boundary"
    found = role(variables(karpenter_role_boundary=arn))
    assert (found.boundary, role(variables()).boundary, found.refusals) == (arn, None, [])
    (statement,) = json.loads(found.trust)["Statement"]
    assert statement["Condition"] == {"StringEqualsIfExists": {"aws:SourceAccount": "111111111111"}}
    (refusal,) = role(variables(karpenter_role_boundary="arn:aws-us-gov:iam::222222222222:policy/a")).refusals
    assert refusal["text"].startswith("karpenter_role_boundary: 'arn:aws-us-gov:iam::222222222222:policy/a' is not allowed: ")


def test_an_existing_role_keeps_its_trust_policy_and_a_wide_one_is_reported() -> None:
    tags, wide = role(variables()).tags, {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": {"AWS": "*"}}]}

    def there(trust: t.Any) -> t.Any:
        return role(variables(__karpenter_role_found={"iam_roles": [{"tags": tags, "assume_role_policy_document": trust}]}))

    assert json.loads(there(wide).trust) == wide
    (note,) = there(wide).notes
    assert note["kind"] == "note" and "allows more than hyperpod.sagemaker.amazonaws.com for account 111111111111" in note["text"]
    assert f"--policy-document '{role(variables()).trust}'" in note["text"]
    assert there(json.loads(role(variables()).trust)).notes == []


def test_the_previous_role_is_named() -> None:
    changes = [
        {"field": "mode", "before": "Disable", "after": "Enable"},
        {"field": "cluster_role", "before": "arn:old", "after": "arn:new"},
    ]
    (note,) = role(variables(__karpenter_autoscaling={"changes": changes})).left
    assert "arn:old" in note["text"]
    first = [{"field": "cluster_role", "before": None, "after": "arn:new"}]
    assert role(variables(__karpenter_autoscaling={"changes": first})).left == []


def test_before_a_reading_no_role_is_ours() -> None:
    assert not role(variables()).ours
