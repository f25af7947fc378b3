# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The clients and the ARN of the cluster. tests/modules/test_eks_cluster_resource_info.py has the results."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.belongings.info import info

REGION = "us-west-2"
ARN = "arn:aws:eks:us-west-2:111111111111:cluster/ml"


def test_the_cluster_must_be_in_the_account_of_the_caller(stubbed: t.Any) -> None:
    (sts, answers), (ec2, _none) = stubbed("sts"), stubbed("ec2")
    answers.add_response("get_caller_identity", {"Account": "222222222222"}, {})
    clients = {"sts": Api(sts), "ec2": Api(ec2)}
    with pytest.raises(Refused, match="^eks_cluster: .* is not allowed: it is in another account. Allowed: an EKS cluster of account 222222222222.$"):
        info(clients.__getitem__, {"eks_cluster": ARN}, REGION)


@pytest.mark.parametrize("wrong", ["a b", "", ARN.replace("us-west-2", "us-east-1")])
def test_bad_input_is_refused_before_any_call(stubbed: t.Any, wrong: str) -> None:
    (sts, _none), (ec2, _nothing) = stubbed("sts"), stubbed("ec2")
    clients = {"sts": Api(sts), "ec2": Api(ec2)}
    with pytest.raises(Refused, match="^eks_cluster: "):
        info(clients.__getitem__, {"eks_cluster": wrong}, REGION)
