# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How an access entry is read, and by which requests."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api, AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.access_entry.model import Desired, Entry, Policy, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.access_entry.observe import Observer

NAMED = {"clusterName": "pods", "principalArn": "people"}
ANSWER = {
    "accessEntryArn": "arn",
    "principalArn": "people",
    "type": "EC2",
    "kubernetesGroups": ["b", "a"],
    "username": "ann",
    "tags": {"a": "b"},
}
POLICIES = [
    {"policyArn": "view", "accessScope": {"type": "namespace", "namespaces": ["y", "x"]}},
    {"policyArn": "edit", "accessScope": {"type": "cluster", "namespaces": []}},
]


def observed(client: t.Any, *, present: bool = True) -> State:
    return Observer(Api(client), Desired("pods", "people", present))()


def test_an_entry_is_read_with_its_policies(stubbed: t.Any) -> None:
    client, stub = stubbed("eks")
    stub.add_response("describe_access_entry", {"accessEntry": ANSWER}, NAMED)
    stub.add_response("list_associated_access_policies", {"associatedAccessPolicies": POLICIES}, NAMED)
    policies = (Policy("edit"), Policy("view", ("x", "y")))
    assert observed(client) == State(Entry("arn", "people", "EC2", ("a", "b"), "ann", policies, {"a": "b"}))


def test_optional_fields_of_an_answer_may_be_missing(stubbed: t.Any) -> None:
    client, stub = stubbed("eks")
    stub.add_response("describe_access_entry", {"accessEntry": {"accessEntryArn": "arn", "principalArn": "people"}}, NAMED)
    stub.add_response("list_associated_access_policies", {"associatedAccessPolicies": []}, NAMED)
    assert observed(client) == State(Entry("arn", "people"))


@pytest.mark.parametrize("mode", ["API", "CONFIG_MAP", None])
def test_without_an_entry_the_authentication_mode_of_the_cluster_is_read(stubbed: t.Any, mode: str | None) -> None:
    client, stub = stubbed("eks")
    stub.add_client_error("describe_access_entry", "ResourceNotFoundException", expected_params=NAMED)
    access = {"accessConfig": {"authenticationMode": mode}} if mode else {}
    stub.add_response("describe_cluster", {"cluster": {"name": "pods", **access}}, {"name": "pods"})
    assert observed(client) == State(mode=mode or "")


def test_for_a_removal_the_authentication_mode_is_not_read(stubbed: t.Any) -> None:
    client, stub = stubbed("eks")
    stub.add_client_error("describe_access_entry", "ResourceNotFoundException")
    assert observed(client, present=False) == State()


def test_other_errors_are_raised(stubbed: t.Any) -> None:
    client, stub = stubbed("eks")
    stub.add_client_error("describe_access_entry", "AccessDeniedException")
    with pytest.raises(AwsError, match="DescribeAccessEntry for access entry people of EKS cluster pods"):
        observed(client)
