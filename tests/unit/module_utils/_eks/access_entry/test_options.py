# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Valid and invalid options of access entries."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.access_entry.model import Desired, Policy
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.access_entry.options import desired

PRINCIPAL = "arn:aws:iam::111111111111:role/people"
SESSION = "arn:aws:sts::111111111111:assumed-role/people/ann"
VIEW = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy"
PARAMS: dict[str, t.Any] = {
    "eks_cluster": "pods",
    "principal_arn": PRINCIPAL,
    "state": "present",
    "type": None,
    "kubernetes_groups": None,
    "username": None,
    "access_policies": None,
    "purge_policies": True,
    "tags": None,
    "purge_tags": True,
}


def wanted(**given: t.Any) -> Desired:
    return desired({**PARAMS, **given}, "us-west-2")


def policy(name: str = VIEW, namespaces: list[str] | None = None) -> dict[str, t.Any]:
    return {"access_policies": [{"policy": name, "namespaces": namespaces}]}


def test_omitted_options_are_left_alone() -> None:
    assert wanted() == Desired("pods", PRINCIPAL)


def test_all_options_are_read() -> None:
    policies = [{"policy": "AmazonEKSViewPolicy", "namespaces": ["b", "a*"]}, {"policy": f"{VIEW}2", "namespaces": None}]
    found = wanted(
        state="absent",
        type="STANDARD",
        kubernetes_groups=["b", "a"],
        username="people",
        access_policies=policies,
        purge_policies=False,
        tags={"a": "b"},
        purge_tags=False,
    )
    assert found == Desired(
        "pods", PRINCIPAL, False, "STANDARD", ("a", "b"), "people", (Policy(VIEW, ("a*", "b")), Policy(f"{VIEW}2")), False, {"a": "b"}, False
    )


def test_policies_of_other_partitions_are_accepted() -> None:
    found = wanted(principal_arn="arn:aws-us-gov:iam::111111111111:user/ann", **policy("AmazonEKSViewPolicy"))
    assert found.policies == (Policy("arn:aws-us-gov:eks::aws:cluster-access-policy/AmazonEKSViewPolicy"),)
    assert wanted(access_policies=[]).policies == () and wanted(kubernetes_groups=[]).groups == ()


REFUSED = [
    ({"eks_cluster": "a b"}, "eks_cluster", "eks_cluster: 'a b' is not allowed"),
    ({"principal_arn": "people"}, "principal_arn", "Allowed: the ARN of an IAM role or user"),
    ({"principal_arn": SESSION}, "principal_arn", "it is the ARN of a session"),
    ({"kubernetes_groups": ["a", "a"]}, "kubernetes_groups", "kubernetes_groups"),
    ({"kubernetes_groups": ["system:masters"]}, "kubernetes_groups", "a name that does not begin with system:, eks:, aws:, amazon:, iam:"),
    *(({"kubernetes_groups": [f"{begin}x"]}, "kubernetes_groups", f"{begin}x") for begin in ("eks:", "aws:", "amazon:", "iam:")),
    ({"kubernetes_groups": [""]}, "kubernetes_groups", "a name"),
    ({"username": ""}, "username", "a name"),
    ({"username": "aws:ann"}, "username", "a name"),
    (policy("Amazon EKS"), "access_policies.policy", "the ARN or the name of an EKS access policy, such as AmazonEKSViewPolicy"),
    (policy("arn:aws:iam::aws:policy/ReadOnlyAccess"), "access_policies.policy", "the ARN or the name of an EKS access policy"),
    ({"access_policies": [*policy()["access_policies"], *policy("AmazonEKSViewPolicy")["access_policies"]]}, "access_policies.policy", "given more than once"),
    (policy(namespaces=[]), "access_policies.namespaces", "at least one namespace"),
    (policy(namespaces=["a", "a"]), "access_policies.namespaces", "given more than once"),
    (policy(namespaces=["A"]), "access_policies.namespaces", "the name of a namespace"),
    *(
        ({"type": kind, **given}, option, f"entries of type {kind} are for nodes and do not support this option")
        for kind in ("EC2_LINUX", "HYPERPOD_LINUX")
        for option, given in (("kubernetes_groups", {"kubernetes_groups": ["a"]}), ("username", {"username": "a"}), ("access_policies", policy()))
    ),
]


@pytest.mark.parametrize(("given", "option", "message"), REFUSED)
def test_invalid_options_are_refused(given: dict[str, t.Any], option: str, message: str) -> None:
    with pytest.raises(Refused, match=message) as refused:
        wanted(**given)
    assert refused.value.option == option
