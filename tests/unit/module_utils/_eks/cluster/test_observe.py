# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads of an EKS cluster, by the change that needs them."""

from __future__ import annotations

import datetime
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api, AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Waits
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.cluster.model import Cluster, Desired, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.cluster.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.cluster.versions import Insight, Version

from .clusters import described

END = datetime.datetime(2027, 3, 27, tzinfo=datetime.timezone.utc)
VERSIONS = {"clusterVersions": [{"clusterVersion": "1.35", "versionStatus": "STANDARD_SUPPORT", "endOfStandardSupportDate": END}]}
OFFERED = (Version("1.35", "STANDARD_SUPPORT", "2027-03-27T00:00:00.000Z"),)
NAMED = {"name": "ml"}
HAVE = Cluster.from_api(described())


def seen(client: t.Any, desired: Desired, *, waits: bool = False) -> State:
    now = [0.0]
    clock = Clock(now=lambda: now[0], sleep=lambda seconds: now.__setitem__(0, now[0] + seconds), jitter=lambda: 0.0)
    return Observer(Api(client), desired, waits=Waits(timeout=60, interval=20, clock=clock) if waits else None)()


def test_versions_are_read_for_a_cluster_that_will_exist(stubbed: t.Any) -> None:
    for answer in (described(), None):
        client, stub = stubbed("eks")
        if answer is None:
            stub.add_client_error("describe_cluster", "ResourceNotFoundException")
        else:
            stub.add_response("describe_cluster", {"cluster": answer}, NAMED)
        stub.add_response("describe_cluster_versions", VERSIONS, {"includeAll": True})
        desired = Desired("ml", version="1.34" if answer else "1.35")
        assert seen(client, desired) == State(HAVE if answer else None, OFFERED)


def test_insights_are_read_before_an_upgrade(stubbed: t.Any) -> None:
    client, stub = stubbed("eks")
    stub.add_response("describe_cluster", {"cluster": described()}, NAMED)
    stub.add_response("describe_cluster_versions", VERSIONS, {"includeAll": True})
    asked = {"clusterName": "ml", "filter": {"categories": ["UPGRADE_READINESS"]}}
    page = {"insights": [{"name": "a", "insightStatus": {"status": "ERROR"}}]}
    stub.add_response("list_insights", {**page, "nextToken": "more"}, asked)
    stub.add_response("list_insights", page, {**asked, "nextToken": "more"})
    assert seen(client, Desired("ml", version="1.35")).insights == (Insight("a", "ERROR"), Insight("a", "ERROR"))


def test_insights_that_cannot_be_read_are_no_missing_insights(stubbed: t.Any) -> None:
    client, stub = stubbed("eks")
    stub.add_response("describe_cluster", {"cluster": described()}, NAMED)
    stub.add_response("describe_cluster_versions", VERSIONS)
    stub.add_client_error("list_insights", "AccessDeniedException")
    with pytest.raises(AwsError, match="ListInsights for upgrade insights of EKS cluster ml failed"):
        seen(client, Desired("ml", version="1.35"))


def test_dependents_are_read_before_a_removal(stubbed: t.Any) -> None:
    client, stub = stubbed("eks")
    stub.add_response("describe_cluster", {"cluster": described()}, NAMED)
    stub.add_response("list_nodegroups", {"nodegroups": ["b", "a\x1b"]}, {"clusterName": "ml"})
    stub.add_response("list_fargate_profiles", {"fargateProfileNames": ["c"]}, {"clusterName": "ml"})
    found = seen(client, Desired("ml", present=False))
    assert found == State(HAVE, dependents=("node group a?", "node group b", "Fargate profile c"))


@pytest.mark.parametrize("status", ["DELETING", None])
def test_nothing_more_is_read_about_a_cluster_that_goes(stubbed: t.Any, status: str | None) -> None:
    client, stub = stubbed("eks")
    if status is None:
        stub.add_client_error("describe_cluster", "ResourceNotFoundException")
    else:
        stub.add_response("describe_cluster", {"cluster": described(status=status)}, NAMED)
    assert seen(client, Desired("ml", present=False)).dependents == ()


@pytest.mark.parametrize("status", ["CREATING", "UPDATING", "DELETING", "PENDING"])
def test_operations_of_eks_are_waited_for(stubbed: t.Any, status: str) -> None:
    client, stub = stubbed("eks")
    stub.add_response("describe_cluster", {"cluster": described(status=status)}, NAMED)
    stub.add_client_error("describe_cluster", "ResourceNotFoundException")
    assert seen(client, Desired("ml", present=False), waits=True) == State()


def test_unsupported_clusters_are_not_waited_for(stubbed: t.Any) -> None:
    client, stub = stubbed("eks")
    stub.add_response("describe_cluster", {"cluster": described(status="PENDING", connectorConfig={"provider": "GKE"})}, NAMED)
    stub.add_response("describe_cluster_versions", VERSIONS)
    assert seen(client, Desired("ml"), waits=True).cluster is not None
