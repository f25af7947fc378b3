# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How pod identity associations are read, and by which requests."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api, AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.pod_identity.model import Association, Desired, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.pod_identity.observe import Observer, listing

SUMMARY = {"clusterName": "pods", "namespace": "research", "serviceAccount": "train", "associationArn": "arn", "associationId": "a-1"}
ANSWER = {
    **SUMMARY,
    "roleArn": "role",
    "targetRoleArn": "other",
    "externalId": "external",
    "disableSessionTags": True,
    "policy": '{"a": 1}',
    "ownerArn": "owner",
    "tags": {"a": "b"},
}
ASSOCIATION = Association("a-1", "arn", "research", "train", "role", "other", "external", True, {"a": 1}, "owner", {"a": "b"})
LISTED = {"clusterName": "pods", "namespace": "research", "serviceAccount": "train"}
DESCRIBED = {"clusterName": "pods", "associationId": "a-1"}


def observed(client: t.Any, *, present: bool = True) -> State:
    return Observer(Api(client), Desired("pods", "research", "train", present))()


@pytest.mark.parametrize(
    ("answer", "expected"),
    [(ANSWER, ASSOCIATION), (SUMMARY, Association("a-1", "arn", "research", "train", ""))],
    ids=["all settings", "none"],
)
def test_an_association_is_read(stubbed: t.Any, answer: dict[str, t.Any], expected: Association) -> None:
    client, stub = stubbed("eks")
    stub.add_response("list_pod_identity_associations", {"associations": [SUMMARY]}, LISTED)
    stub.add_response("describe_pod_identity_association", {"association": answer}, DESCRIBED)
    assert observed(client) == State(expected)


def test_an_association_deleted_meanwhile_is_none(stubbed: t.Any) -> None:
    client, stub = stubbed("eks")
    stub.add_response("list_pod_identity_associations", {"associations": [SUMMARY]}, {"clusterName": "pods"})
    stub.add_client_error("describe_pod_identity_association", "ResourceNotFoundException")
    assert list(listing(Api(client), "pods")) == []


@pytest.mark.parametrize(
    ("present", "code", "fails"),
    [
        (False, "ResourceNotFoundException", False),
        (True, "ResourceNotFoundException", True),
        (False, "AccessDeniedException", True),
    ],
)
def test_a_missing_cluster_has_no_association(stubbed: t.Any, present: bool, code: str, fails: bool) -> None:
    client, stub = stubbed("eks")
    stub.add_client_error("list_pod_identity_associations", code)
    if not fails:
        assert observed(client, present=present) == State()
        return
    with pytest.raises(AwsError) as error:
        observed(client, present=present)
    assert error.value.code == code
