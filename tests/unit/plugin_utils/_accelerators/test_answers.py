# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers of nodes are parsed without trust."""

from __future__ import annotations

import json
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.answers import MOST, health_of

from .fleets import health_answer, problem

ODD: tuple[t.Any, ...] = (None, "", "x", 3, 1e308, [], ["x"], [None], {}, {"a": 1}, [{"code": ["x"]}], [[[]]], True, "\x1b[31m")


def test_a_valid_answer_is_unchanged() -> None:
    given = health_answer(problem(), verdict="unfit-reboot")
    assert health_of(given) == given


@pytest.mark.parametrize("value", [*ODD, {"verdict": "good"}, {"verdict": ["fit"]}], ids=repr)
def test_an_answer_without_a_verdict_is_none(value: t.Any) -> None:
    assert health_of(value) is None


@pytest.mark.parametrize("field", list(health_answer()))
@pytest.mark.parametrize("value", ODD, ids=repr)
def test_invalid_values_are_replaced(field: str, value: t.Any) -> None:
    found = health_of({**health_answer(), field: value, "verdict": "fit"})
    assert found is not None and "\\u001b" not in json.dumps(found)
    assert {name: type(each) for name, each in found.items()} == {name: type(each) for name, each in health_answer().items()}


def test_a_verdict_is_at_least_as_bad_as_its_problems() -> None:
    found = health_of(health_answer(problem(verdict="unfit-replace"), problem(verdict="none"), verdict="fit"))
    assert found and found["verdict"] == "unfit-replace" and [each["verdict"] for each in found["problems"]] == ["unfit-replace", "unknown"]


def test_long_answers_are_truncated() -> None:
    found = health_of(health_answer(*[problem(text="x" * 100_000)] * 1000, versions={str(number): "1" for number in range(1000)}))
    long = health_of(health_answer(versions={"driver": "x" * 100_000}))
    assert long and len(long["versions"]["driver"]) == 2000
    assert found and len(found["problems"]) == len(found["versions"]) == MOST and len(found["problems"][0]["text"]) == 2000


def test_an_unknown_code_is_kept_as_text() -> None:
    found = health_of(health_answer(problem("made-up", cause="magic")))
    assert found and (found["problems"][0]["code"], found["problems"][0]["cause"]) == ("unknown", "service")
