# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The capacity of a training plan for replacements."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.remediation.spare import Capacity, arns, capacities

NONE_LEFT = "Training plan p has {} available and {} spare instances{}. There is no capacity for a replacement."
TAKES = ", and this run already uses {}"


@pytest.mark.parametrize(
    ("available", "spare", "taken", "refusal"),
    [
        (0, 0, 0, NONE_LEFT.format(0, 0, "")),
        (1, 0, 0, ""),
        (0, 1, 0, ""),
        (1, 1, 1, ""),
        (1, 1, 2, NONE_LEFT.format(1, 1, TAKES.format(2))),
        (1, 1, 3, NONE_LEFT.format(1, 1, TAKES.format(3))),
        (None, 0, 9, ""),
        (0, None, 9, ""),
    ],
)
def test_a_replacement_without_capacity_is_refused(available: int | None, spare: int | None, taken: int, refusal: str) -> None:
    assert Capacity("p", available, spare).refusal(taken) == refusal


DOUBT = "Capacity for a replacement in training plan p is unknown: {}."


@pytest.mark.parametrize(
    ("capacity", "left", "doubt"),
    [
        (Capacity("p", 2, 3), 5, ""),
        (Capacity("p", 0, 0, "why"), 0, ""),
        (Capacity("p", None, 3, "not allowed"), None, DOUBT.format("not allowed")),
        (Capacity("p", 2, None), None, DOUBT.format("AWS does not report it")),
    ],
)
def test_the_remaining_capacity_is_computed(capacity: Capacity, left: int | None, doubt: str) -> None:
    assert (capacity.left, capacity.doubt) == (left, doubt)


def group(name: str, arn: str = "") -> dict[str, t.Any]:
    return {"name": name, "training_plan_arn": arn}


def test_only_plans_of_groups_with_an_unfit_node_are_read() -> None:
    groups = [group("a", "arn:2"), group("b", "arn:1"), group("c"), group("d", "arn:3"), group("e", "arn:1")]
    verdicts = {"a": "unfit-reboot", "b": "unfit-replace", "c": "unfit-reboot", "d": "watch", "e": "unfit-replace"}
    assert arns(groups, {name: {"instance_group": name, "verdict": verdict} for name, verdict in verdicts.items()}) == ["arn:1", "arn:2"]


def test_capacities_are_returned_by_group() -> None:
    plans = [{"name": "arn:aws:plan/research", "available": 1, "spare": None, "why": "Not allowed."}]
    groups = [group("a", "arn:aws:plan/research"), group("b", "arn:aws:plan/other"), group("c")]
    assert capacities(groups, plans) == {"a": Capacity("research", 1, None, "Not allowed")}
