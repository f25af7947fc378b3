# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Training plans as AWS answers: what it leaves out, and what it does not know yet, is not made up."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.training_plans import TrainingPlan, read

ANSWER = {"TrainingPlanArn": "arn:aws:sagemaker:us-west-2:111111111111:training-plan/a", "TrainingPlanName": "a", "Status": "Active"}


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ({}, (None, None, None)),
        ({"TotalInstanceCount": 4, "AvailableInstanceCount": 0, "AvailableSpareInstanceCount": 1}, (4, 0, 1)),
        ({"AvailableInstanceCount": 0}, (None, 0, None)),
    ],
)
def test_counts(counts: dict[str, int], expected: tuple[int | None, ...]) -> None:
    found = TrainingPlan.from_api("a", {**ANSWER, **counts})
    assert (found.total, found.available, found.spare) == expected and found.known


def test_where_botocore_lacks_the_operation_nothing_is_known(stubbed: t.Any, monkeypatch: pytest.MonkeyPatch) -> None:
    client, _stub = stubbed("sagemaker")
    monkeypatch.setitem(vars(client.meta.service_model), "operation_names", [])
    (found,) = read(Api(client), ["a"])["training_plans"]
    assert not found["known"] and "does not know DescribeTrainingPlan" in found["why"]
