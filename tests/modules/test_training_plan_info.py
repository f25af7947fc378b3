# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""training_plan_info against the simulated API."""

from __future__ import annotations

import typing as t

import pytest
from lab.aws import permissions
from simulated.shape import reads

ARN = "arn:aws:sagemaker:us-west-2:111111111111:training-plan/research"


@pytest.fixture(autouse=True)
def plans(simulator: t.Any) -> t.Iterator[None]:
    simulator.control("settings", {"training_plans": {"research": [1, 2]}})
    yield
    simulator.control("settings", {"training_plans": {}})


def plan_info(simulator: t.Any, *names: str) -> list[dict[str, t.Any]]:
    return list(reads(simulator, "training_plan_info", training_plans=list(names))["training_plans"])


def test_remaining_capacity_by_arn_and_by_name(simulator: t.Any) -> None:
    counts = {"status": "Active", "total": 16, "available": 1, "spare": 2, "known": True, "why": ""}
    assert plan_info(simulator, ARN, "research", ARN) == [{"name": ARN, **counts}, {"name": "research", **counts}]
    assert simulator.calls() == ["DescribeTrainingPlan"] * 2


def test_an_unknown_plan_does_not_affect_the_others(simulator: t.Any) -> None:
    missing, known = plan_info(simulator, "gone", "research")
    assert (missing["known"], missing["available"], missing["spare"]) == (False, None, None) and known["known"]
    assert missing["why"].startswith("DescribeTrainingPlan for training plan gone failed"), missing


def test_empty_input_makes_no_call(simulator: t.Any) -> None:
    assert plan_info(simulator) == [] and simulator.calls() == []


@pytest.mark.parametrize("wrong", ["", "a b", "arn:aws:sagemaker:us-west-2:111111111111:cluster/research", "research\n"])
def test_bad_names_are_refused_before_any_call(simulator: t.Any, wrong: str) -> None:
    result = simulator.run("training_plan_info", training_plans=["research", wrong])
    assert result["msg"] == f"training_plans: {wrong!r} is not allowed. Allowed: names or ARNs of training plans." and not simulator.calls()


@pytest.mark.parametrize("name", ["clusters", "read-only"])
def test_each_policy_with_the_action_suffices(simulator: t.Any, policies: t.Any, name: str) -> None:
    policies(permissions.documented(name))
    assert plan_info(simulator, ARN)[0]["known"]


def test_a_denied_call_is_a_warning_with_the_missing_action(simulator: t.Any, policies: t.Any) -> None:
    policies(permissions.without("clusters", "sagemaker:DescribeTrainingPlan"))
    (found,) = plan_info(simulator, ARN)
    assert not found["known"] and "allow the action" in found["why"] and "AccessDenied" in found["why"], found
