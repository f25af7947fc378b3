# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Valid and invalid options of the check of EKS requirements."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.eks_requirements.options import cluster_name, subnets

ARN = "arn:aws:eks:us-west-2:111111111111:cluster/pods"


def test_valid_options_are_accepted() -> None:
    assert cluster_name({"eks_cluster_arn": ARN}, region="us-west-2") == "pods"
    assert subnets({"subnets": ["subnet-0123456789abcdef0"]}) == ["subnet-0123456789abcdef0"]


@pytest.mark.parametrize(
    ("arn", "message"), [("pods", "the ARN of an EKS cluster"), (ARN.replace("us-west-2", "eu-west-1"), "an EKS cluster in us-west-2")]
)
def test_invalid_clusters_are_refused(arn: str, message: str) -> None:
    with pytest.raises(Refused, match=message) as refused:
        cluster_name({"eks_cluster_arn": arn}, region="us-west-2")
    assert refused.value.option == "eks_cluster_arn"


@pytest.mark.parametrize("given", [[], ["vpc-0123456789abcdef0"]])
def test_invalid_subnets_are_refused(given: list[t.Any]) -> None:
    with pytest.raises(Refused) as refused:
        subnets({"subnets": given})
    assert refused.value.option == "subnets"
