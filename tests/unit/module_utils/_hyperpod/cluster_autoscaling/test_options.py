# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Valid and invalid options of the autoscaler."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_autoscaling.model import Desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_autoscaling.options import desired

ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
ROLE = "arn:aws:iam::111111111111:role/karpenter"


def wanted(**given: t.Any) -> Desired:
    return desired({"cluster_arn": ARN, "state": "present", "cluster_role": ROLE, "replace_role": False, **given})


def test_valid_options_are_accepted() -> None:
    assert wanted() == Desired(ARN, True, ROLE)
    assert wanted(replace_role=True) == Desired(ARN, True, ROLE, replace_role=True)
    assert wanted(state="absent", cluster_role=None) == Desired(ARN, False)


REFUSED = [
    ({"cluster_role": None}, "cluster_role", "cluster_role: missing; state=present"),
    ({"cluster_role": "karpenter"}, "cluster_role", "cluster_role: 'karpenter' is not allowed"),
    ({"cluster_role": "karpenter", "state": "absent"}, "cluster_role", "cluster_role: 'karpenter' is not allowed"),
]


@pytest.mark.parametrize(("given", "option", "message"), REFUSED)
def test_invalid_options_are_refused(given: dict[str, t.Any], option: str, message: str) -> None:
    with pytest.raises(Refused, match=message) as refused:
        wanted(**given)
    assert refused.value.option == option
