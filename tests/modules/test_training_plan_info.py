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


def told(simulator: t.Any, *names: str) -> list[dict[str, t.Any]]:
    return list(reads(simulator, "training_plan_info", training_plans=list(names))["training_plans"])


def test_what_is_left_by_arn_and_by_name(simulator: t.Any) -> None:
    counts = {"status": "Active", "total": 16, "available": 1, "spare": 2, "known": True, "why": ""}
    assert told(simulator, ARN, "research", ARN) == [{"name": ARN, **counts}, {"name": "research", **counts}]
    assert simulator.calls() == ["DescribeTrainingPlan"] * 2


def test_one_that_is_not_there_takes_nothing_from_the_others(simulator: t.Any) -> None:
    gone, there = told(simulator, "gone", "research")
    assert (gone["known"], gone["available"], gone["spare"]) == (False, None, None) and there["known"]
    assert gone["why"].startswith("DescribeTrainingPlan for training plan gone failed"), gone


def test_nothing_is_asked_where_nothing_is_named(simulator: t.Any) -> None:
    assert told(simulator) == [] and simulator.calls() == []


@pytest.mark.parametrize("wrong", ["", "a b", "arn:aws:sagemaker:us-west-2:111111111111:cluster/research", "research\n"])
def test_what_is_no_plan_is_refused_before_any_call(simulator: t.Any, wrong: str) -> None:
    result = simulator.run("training_plan_info", training_plans=["research", wrong])
    assert result["msg"] == f"training_plans: {wrong!r} is not allowed. Allowed: names or ARNs of training plans." and not simulator.calls()


@pytest.mark.parametrize("name", ["clusters", "read-only"])
def test_each_policy_that_has_it_suffices(simulator: t.Any, policies: t.Any, name: str) -> None:
    policies(permissions.documented(name))
    assert told(simulator, ARN)[0]["known"]


def test_who_may_not_look_goes_on_and_is_told_which_action_it_takes(simulator: t.Any, policies: t.Any) -> None:
    policies(permissions.without("clusters", "sagemaker:DescribeTrainingPlan"))
    (found,) = told(simulator, ARN)
    assert not found["known"] and "allow the action" in found["why"] and "AccessDenied" in found["why"], found
