# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""HyperPod clusters by the EKS cluster on which they run."""

from __future__ import annotations

import datetime
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api, AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.belongings import hyperpod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.belongings.model import Owner

OWNER = Owner("ml", "arn:aws:eks:us-west-2:111111111111:cluster/ml", "111111111111")
ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/"
THEN = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)


def add(stub: t.Any, *ids: str, **orchestrators: t.Any) -> None:
    """A page of ListClusters, and DescribeCluster for each cluster. A cluster without an orchestrator does not exist any more."""
    state = {"ClusterStatus": "InService", "CreationTime": THEN}
    listed = [{"ClusterArn": f"{ARN}{each}", "ClusterName": each, **state} for each in ids]
    stub.add_response("list_clusters", {"ClusterSummaries": listed}, {"MaxResults": 100})
    for each in ids:
        asked = {"ClusterName": f"{ARN}{each}"}
        if each in orchestrators:
            answer = {"ClusterArn": f"{ARN}{each}", "ClusterStatus": "InService", "InstanceGroups": [], **orchestrators[each]}
            stub.add_response("describe_cluster", answer, asked)
        else:
            stub.add_client_error("describe_cluster", "ResourceNotFound", expected_params=asked)


def on(arn: str) -> dict[str, t.Any]:
    return {"Orchestrator": {"Eks": {"ClusterArn": arn}}}


def test_only_clusters_on_the_eks_cluster_are_found(stubbed: t.Any) -> None:
    client, stub = stubbed("sagemaker")
    add(stub, "second", "first", "gone", "slurm", "other", second=on(OWNER.arn), first=on(OWNER.arn), slurm={}, other=on(f"{OWNER.arn}2"))
    assert hyperpod.read(Api(client), OWNER) == [f"{ARN}first", f"{ARN}second"]


def test_a_cluster_that_cannot_be_read_is_an_error(stubbed: t.Any) -> None:
    client, stub = stubbed("sagemaker")
    stub.add_client_error("list_clusters", "AccessDeniedException")
    with pytest.raises(AwsError, match="ListClusters"):
        hyperpod.read(Api(client), OWNER)
