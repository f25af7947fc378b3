# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ARNs of clusters that can be locked."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.arn import ClusterArn, lockable
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused

HYPERPOD = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abcdef012345"


@pytest.mark.parametrize("partition", ["aws", "aws-cn", "aws-us-gov"])
def test_an_eks_cluster_is_locked_by_its_name(partition: str) -> None:
    text = f"arn:{partition}:eks:us-west-2:111111111111:cluster/Ml_1-a"
    assert lockable(text) == ClusterArn(text, partition, "us-west-2", "111111111111", "eks/Ml_1-a")


def test_a_hyperpod_cluster_is_locked_by_its_id() -> None:
    assert lockable(HYPERPOD) == ClusterArn.parse(HYPERPOD)


@pytest.mark.parametrize("text", ["", "ml", HYPERPOD[:-1], HYPERPOD.replace("sagemaker", "eks") + "/a", "arn:aws:eks:a:1:cluster/ml"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(Refused, match="^lock_of: .* is not allowed. Allowed: arn:aws:sagemaker.*or arn:aws:eks"):
        lockable(text, option="lock_of")
