# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Valid and invalid options of pod identity associations."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.pod_identity.model import Desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.pod_identity.options import desired

ROLE, OTHER = "arn:aws:iam::111111111111:role/pods", "arn:aws:iam::222222222222:role/data"
POLICY = {"Version": "2012-10-17"}
PARAMS: dict[str, t.Any] = {
    "eks_cluster": "pods",
    "namespace": "research",
    "service_account": "train",
    "state": "present",
    "role_arn": None,
    "target_role_arn": None,
    "disable_session_tags": None,
    "policy": None,
    "tags": None,
    "purge_tags": True,
}


def wanted(**given: t.Any) -> Desired:
    return desired({**PARAMS, **given}, "us-west-2")


def test_omitted_options_are_left_alone() -> None:
    assert wanted() == Desired("pods", "research", "train")


@pytest.mark.parametrize("policy", [POLICY, '{"Version": "2012-10-17"}'])
def test_all_options_are_read(policy: t.Any) -> None:
    given = {"role_arn": ROLE, "target_role_arn": OTHER, "disable_session_tags": True, "policy": policy, "tags": {"a": "b"}}
    found = wanted(**given, state="absent", purge_tags=False)
    assert found == Desired("pods", "research", "train", False, ROLE, OTHER, True, POLICY, {"a": "b"}, False)
    assert wanted(policy="").policy == {} == wanted(policy={}).policy


REFUSED = [
    ({"role_arn": "pods"}, "role_arn", "the ARN of an IAM role"),
    ({"target_role_arn": "arn:aws:iam::111111111111:user/ann"}, "target_role_arn", "the ARN of an IAM role"),
    ({"namespace": "A"}, "namespace", "the name of a Kubernetes namespace"),
    ({"service_account": "A"}, "service_account", "the name of a Kubernetes service account"),
    ({"policy": "no JSON"}, "policy", "an IAM policy, as a mapping or as JSON text"),
    ({"policy": "[]"}, "policy", "an IAM policy, as a mapping or as JSON text"),
]


@pytest.mark.parametrize(("given", "option", "message"), REFUSED)
def test_invalid_options_are_refused(given: dict[str, t.Any], option: str, message: str) -> None:
    with pytest.raises(Refused, match=message) as refused:
        wanted(**given)
    assert refused.value.option == option
