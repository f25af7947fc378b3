# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The access entries that are returned, and the requests that read them."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.access_entry.info import info

REGION = "us-west-2"
ANN, BOB = (f"arn:aws:iam::111111111111:role/{name}" for name in ("ann", "bob"))


def answer(stub: t.Any, principal: str) -> None:
    named = {"clusterName": "pods", "principalArn": principal}
    stub.add_response("describe_access_entry", {"accessEntry": {"accessEntryArn": "arn", "principalArn": principal}}, named)
    stub.add_response("list_associated_access_policies", {"associatedAccessPolicies": []}, named)


def found(client: t.Any, principal: str | None = None, cluster: str = "pods") -> list[str]:
    entries = info(Api(client), {"eks_cluster": cluster, "principal_arn": principal}, REGION)["eks_access_entries"]
    assert all(each["eks_cluster"] == "pods" for each in entries)
    return [each["principal_arn"] for each in entries]


def test_all_entries_are_returned_by_name(stubbed: t.Any) -> None:
    client, stub = stubbed("eks")
    stub.add_response("list_access_entries", {"accessEntries": [BOB, ANN]}, {"clusterName": "pods"})
    answer(stub, ANN)
    answer(stub, BOB)
    assert found(client) == [ANN, BOB]


def test_a_single_entry_is_returned(stubbed: t.Any) -> None:
    client, stub = stubbed("eks")
    answer(stub, ANN)
    assert found(client, ANN) == [ANN]


def test_an_absent_entry_is_left_out(stubbed: t.Any) -> None:
    client, stub = stubbed("eks")
    stub.add_client_error("describe_access_entry", "ResourceNotFoundException")
    assert found(client, ANN) == []


@pytest.mark.parametrize(
    ("principal", "cluster", "option"),
    [("ann", "pods", "principal_arn"), (None, "a b", "eks_cluster"), (None, "arn:aws:eks:us-east-1:111111111111:cluster/pods", "eks_cluster")],
)
def test_invalid_options_are_refused(stubbed: t.Any, principal: str | None, cluster: str, option: str) -> None:
    client, _stub = stubbed("eks")
    with pytest.raises(Refused, match=f"^{option}: "):
        found(client, principal, cluster)
