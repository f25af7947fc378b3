# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The quotas that are listed, the requests for them, and invalid options."""

from __future__ import annotations

import datetime
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import HyperPod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.fields import QUOTA
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.listing import MOST_VERSIONS, read

ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
NOW = datetime.datetime(2026, 11, 21, tzinfo=datetime.timezone.utc)
PARAMS: dict[str, t.Any] = {
    "cluster_arn": ARN,
    "name": None,
    "name_contains": None,
    "status": None,
    "created_after": None,
    "created_before": None,
    "version": None,
    "details": False,
    "limit": 100,
}
LISTING = {"ClusterArn": ARN, "SortBy": "Name", "SortOrder": "Ascending"}


def quota(name: str) -> dict[str, t.Any]:
    about = {"ComputeQuotaArn": "arn", "ComputeQuotaId": "a" * 12, "Name": name, "Status": "Created", "CreationTime": NOW}
    return {**about, "ComputeQuotaTarget": {"TeamName": name}}


@pytest.mark.parametrize(
    ("given", "sent", "names"),
    [
        ({}, {"MaxResults": 100}, ["a", "ab"]),
        ({"limit": 1}, {"MaxResults": 1}, ["a"]),
        ({"name": "a"}, {"NameContains": "a", "MaxResults": 100}, ["a"]),
        ({"name_contains": "a", "status": "Created"}, {"NameContains": "a", "Status": "Created", "MaxResults": 100}, ["a", "ab"]),
    ],
)
def test_the_options_become_requests(stubbed: t.Any, given: dict[str, t.Any], sent: dict[str, t.Any], names: list[str]) -> None:
    client, stub = stubbed("sagemaker")
    stub.add_response("list_compute_quotas", {"ComputeQuotaSummaries": [quota("a"), quota("ab")]}, {**LISTING, **sent})
    found = read(QUOTA, HyperPod(client), {**PARAMS, **given})["compute_quotas"]
    assert [each["name"] for each in found] == names


@pytest.mark.parametrize(("given", "sent"), [({"details": True}, {}), ({"version": MOST_VERSIONS}, {"ComputeQuotaVersion": MOST_VERSIONS})])
@pytest.mark.parametrize("gone", [False, True])
def test_details_take_one_call_each(stubbed: t.Any, given: dict[str, t.Any], sent: dict[str, t.Any], gone: bool) -> None:
    client, stub = stubbed("sagemaker")
    stub.add_response("list_compute_quotas", {"ComputeQuotaSummaries": [quota("a")]})
    arguments = {"ComputeQuotaId": "a" * 12, **sent}
    if gone:
        stub.add_client_error("describe_compute_quota", "ResourceNotFound", expected_params=arguments)
    else:
        stub.add_response("describe_compute_quota", {**quota("a"), "ComputeQuotaVersion": 3}, arguments)
    found = read(QUOTA, HyperPod(client), {**PARAMS, "name": "a", **given})["compute_quotas"]
    assert [each["version"] for each in found] == ([] if gone else [3])


def test_the_highest_version_is_that_of_the_service() -> None:
    assert MOST_VERSIONS == 2147483647


@pytest.mark.parametrize(
    ("given", "option"),
    [
        ({"name": "a", "name_contains": "a"}, "name_contains"),
        ({"version": 1}, "version"),
        ({"name": "a", "version": 0}, "version"),
        ({"name": "a", "version": MOST_VERSIONS + 1}, "version"),
        ({"limit": 0}, "limit"),
        ({"name": "a b"}, "name"),
        ({"created_after": "soon"}, "created_after"),
    ],
)
def test_invalid_options_are_refused(stubbed: t.Any, given: dict[str, t.Any], option: str) -> None:
    client, _stub = stubbed("sagemaker")
    with pytest.raises(Refused) as refused:
        read(QUOTA, HyperPod(client), {**PARAMS, **given})
    assert refused.value.option == option
