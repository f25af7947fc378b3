# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pod identity associations that are returned, and the requests that read them."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.pod_identity.info import info

REGION = "us-west-2"
PLACES = [("b", "x", "a-1"), ("a", "y", "a-2"), ("a", "x", "a-3")]
FOUND = [("a", "x", "a-3"), ("a", "y", "a-2"), ("b", "x", "a-1")]


def params(**given: t.Any) -> dict[str, t.Any]:
    return {"eks_cluster": "pods", "namespace": None, "service_account": None, **given}


@pytest.mark.parametrize(
    ("given", "filters"),
    [
        ({}, {}),
        ({"namespace": "research"}, {"namespace": "research"}),
        ({"service_account": "train"}, {"serviceAccount": "train"}),
        ({"namespace": "research", "service_account": "train"}, {"namespace": "research", "serviceAccount": "train"}),
    ],
)
def test_the_filters_are_sent_and_the_answer_is_sorted(stubbed: t.Any, given: dict[str, str], filters: dict[str, str]) -> None:
    client, stub = stubbed("eks")
    listed = [{"namespace": namespace, "serviceAccount": account, "associationId": name} for namespace, account, name in PLACES]
    stub.add_response("list_pod_identity_associations", {"associations": listed}, {"clusterName": "pods", **filters})
    for each in listed:
        answer = {"association": {**each, "associationArn": "arn", "roleArn": "role"}}
        stub.add_response("describe_pod_identity_association", answer, {"clusterName": "pods", "associationId": each["associationId"]})
    found = info(Api(client), params(**given), REGION)["eks_pod_identity_associations"]
    assert [(each["namespace"], each["service_account"], each["association_id"]) for each in found] == FOUND
    assert {each["eks_cluster"] for each in found} == {"pods"}


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("eks_cluster", "a b"),
        ("eks_cluster", "arn:aws:eks:us-east-1:111111111111:cluster/pods"),
        ("namespace", "A"),
        ("namespace", ""),
        ("service_account", "A"),
        ("service_account", ""),
    ],
)
def test_invalid_options_are_refused(stubbed: t.Any, option: str, value: str) -> None:
    client, _stub = stubbed("eks")
    with pytest.raises(Refused, match=f"^{option}: "):
        info(Api(client), params(**{option: value}), REGION)
