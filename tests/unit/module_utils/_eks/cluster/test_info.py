# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The EKS cluster that the module that only reads returns."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api, AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.cluster.info import info

from .clusters import ARN, described


def test_a_cluster_is_found_by_name_or_arn(stubbed: t.Any) -> None:
    for name in ("ml", ARN):
        client, stub = stubbed("eks")
        stub.add_response("describe_cluster", {"cluster": described()}, {"name": "ml"})
        found = info(Api(client), {"name": name}, "us-west-2")["eks_cluster"]
        assert (found["name"], found["arn"], found["vpc"]["subnets"]) == ("ml", ARN, ["subnet-1", "subnet-2"])


def test_a_missing_cluster_and_a_wrong_name_fail(stubbed: t.Any) -> None:
    client, stub = stubbed("eks")
    stub.add_client_error("describe_cluster", "ResourceNotFoundException")
    with pytest.raises(AwsError, match="DescribeCluster for EKS cluster ml failed; check the name and the Region"):
        info(Api(client), {"name": "ml"}, "us-west-2")
    with pytest.raises(Refused, match="name: 'a b' is not allowed"):
        info(Api(client), {"name": "a b"}, "us-west-2")
