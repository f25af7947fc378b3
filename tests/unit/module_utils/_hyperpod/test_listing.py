# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists of a cluster's resources, and the requests for them."""

from __future__ import annotations

import datetime
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import HyperPod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.listing import EVENTS, snake

ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
NODE = "i-0123456789abcdef0"
NOW = datetime.datetime(2026, 11, 21, tzinfo=datetime.timezone.utc)
ABOUT = {"EventId": "e-1", "ClusterArn": ARN, "ClusterName": "ml", "ResourceType": "Instance", "EventTime": NOW}
SORTED = {"ClusterName": ARN, "SortBy": "EventTime", "SortOrder": "Descending"}
RETURNED = {"event_id": "e-1", "cluster_arn": ARN, "cluster_name": "ml", "resource_type": "Instance", "event_time": "2026-11-21T00:00:00.000Z"}


def params(**given: t.Any) -> dict[str, t.Any]:
    return {**{each.option: None for each in EVENTS.filters}, "cluster_arn": ARN, "details": False, "limit": 100, **given}


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ({}, {"MaxResults": 100}),
        ({"limit": 7}, {"MaxResults": 7}),
        ({"limit": 500}, {"MaxResults": 100}),
        ({"instance_group_name": "a", "node_id": NODE}, {"InstanceGroupName": "a", "NodeId": NODE, "MaxResults": 100}),
        ({"resource_type": "Cluster"}, {"ResourceType": "Cluster", "MaxResults": 100}),
    ],
)
def test_the_options_become_requests(stubbed: t.Any, given: dict[str, t.Any], sent: dict[str, t.Any]) -> None:
    client, stub = stubbed("sagemaker")
    stub.add_response("list_cluster_events", {"Events": [ABOUT]}, {**SORTED, **sent})
    assert EVENTS.read(HyperPod(client), params(**given)) == {"events": [RETURNED]}


@pytest.mark.parametrize("metadata", [{"Instance": {"NodeLogicalId": "n"}}, None])
def test_details_take_one_call_each(stubbed: t.Any, metadata: dict[str, t.Any] | None) -> None:
    client, stub = stubbed("sagemaker")
    stub.add_response("list_cluster_events", {"Events": [ABOUT]})
    details = {**ABOUT, **({"EventDetails": {"EventMetadata": metadata}} if metadata else {})}
    stub.add_response("describe_cluster_event", {"EventDetails": details}, {"ClusterName": ARN, "EventId": "e-1"})
    found = EVENTS.read(HyperPod(client), params(details=True))
    assert found == {"events": [{**RETURNED, "metadata": {"instance": {"node_logical_id": "n"}} if metadata else {}}]}


class WithoutIds:
    """An API whose list has an entry that cannot be described."""

    def require(self, *_names: str) -> None:
        pass

    def pages(self, *_names: str, **_given: t.Any) -> list[dict[str, t.Any]]:
        return [{"EventLevel": "Error"}]

    def call(self, *_names: str, **_given: t.Any) -> dict[str, t.Any]:
        raise LookupError("the entry has no id")


def test_an_entry_without_an_id_has_no_details() -> None:
    found = EVENTS.read(t.cast(t.Any, WithoutIds()), params(details=True))
    assert found == {"events": [{"event_level": "Error", "metadata": None}]}


@pytest.mark.parametrize(
    ("given", "option"),
    [
        ({"limit": 0}, "limit"),
        ({"node_id": "node-1"}, "node_id"),
        ({"instance_group_name": "a b"}, "instance_group_name"),
        ({"operation_id": "1"}, "operation_id"),
        ({"event_time_after": "soon"}, "event_time_after"),
    ],
)
def test_invalid_options_are_refused(stubbed: t.Any, given: dict[str, t.Any], option: str) -> None:
    client, _stub = stubbed("sagemaker")
    with pytest.raises(Refused) as refused:
        EVENTS.read(HyperPod(client), params(**given))
    assert refused.value.option == option


@pytest.mark.parametrize(
    ("name", "words"), [("InstanceGroupName", "instance_group_name"), ("EksRoleARN", "eks_role_arn"), ("Ec2Id", "ec2_id"), ("A", "a")]
)
def test_field_names_are_converted_to_snake_case(name: str, words: str) -> None:
    assert snake(name) == words
