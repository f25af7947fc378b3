# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers of AWS about training plans; missing and unsupported values stay unknown."""

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
def test_the_counts_of_a_training_plan_are_read(counts: dict[str, int], expected: tuple[int | None, ...]) -> None:
    found = TrainingPlan.from_api("a", {**ANSWER, **counts})
    assert (found.total, found.available, found.spare) == expected and found.known


def test_without_the_operation_in_botocore_the_plan_is_unknown(stubbed: t.Any, monkeypatch: pytest.MonkeyPatch) -> None:
    client, _stub = stubbed("sagemaker")
    monkeypatch.setitem(vars(client.meta.service_model), "operation_names", [])
    (found,) = read(Api(client), ["a"])["training_plans"]
    assert not found["known"] and "does not support DescribeTrainingPlan" in found["why"]
