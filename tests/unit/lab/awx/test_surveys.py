# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The answers and defaults of surveys, with AWX's messages."""

from __future__ import annotations

import typing as t

import pytest
from lab.awx import surveys
from lab.awx.kinds import kinds
from lab.awx.objects import Object


def template(**question: t.Any) -> Object:
    made = Object(kinds()["job_templates"], 1, {"survey_enabled": True})
    made.survey = {"spec": [{"question_name": "q", "variable": "v", "required": False, "type": "text", **question}]}
    return made


@pytest.mark.parametrize(
    ("question", "value", "expected"),
    [
        ({"min": 2}, "a", ["'v' value a is too small (length is 1 must be at least 2)."]),
        ({"min": 2, "max": 3}, "ab", []),
        ({"min": 2, "max": 3}, "abc", []),
        ({"max": 3}, "abcd", ["'v' value abcd is too large (must be no more than 3)."]),
        ({"type": "integer", "min": 2}, 1, ["'v' value 1 is too small (must be at least 2)."]),
        ({"type": "integer"}, "1", ["Value 1 for 'v' expected to be an integer."]),
        ({"type": "integer"}, True, ["Value True for 'v' expected to be an integer."]),
        ({"type": "float"}, 1, []),
        ({"type": "float"}, "x", ["Value x for 'v' expected to be a numeric type."]),
        ({"type": "multiplechoice", "choices": ["a", "b"]}, "b", []),
        ({"type": "multiplechoice", "choices": "a\nb"}, "c", ["Value c for 'v' expected to be one of ['a', 'b']."]),
        ({"type": "multiselect", "choices": ["a", "b"]}, ["a", "c"], ["Value c for 'v' expected to be one of ['a', 'b']."]),
        ({"type": "multiselect", "choices": ["a", "b"]}, "a", ["'v' value is expected to be a list."]),
    ],
)
def test_an_answer_is_checked_by_its_question(question: dict[str, t.Any], value: t.Any, expected: list[str]) -> None:
    assert surveys.problems(template(**question), {"v": value}) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ({}, {}),
        ({"default": ""}, {"v": ""}),
        ({"default": "", "min": 1}, {}),
        ({"default": "", "type": "multiplechoice", "choices": ["a"]}, {}),
        ({"default": "a", "type": "multiplechoice", "choices": ["a"]}, {"v": "a"}),
        ({"default": "", "type": "integer"}, {}),
        ({"default": "x", "required": True}, {"v": "x"}),
    ],
)
def test_a_valid_default_is_an_answer(question: dict[str, t.Any], expected: dict[str, t.Any]) -> None:
    assert surveys.defaults(template(**question)) == expected


def test_a_disabled_survey_asks_nothing() -> None:
    made = template(required=True, default="x")
    made.values["survey_enabled"] = False
    assert (surveys.problems(made, {}), surveys.defaults(made)) == ([], {})


def test_the_default_of_a_password_is_kept_if_it_is_sent_back() -> None:
    made = template(type="password", default="s3cret")
    made.survey |= {"name": "", "description": ""}
    shown = surveys.answer("GET", made, None)[1]
    assert shown["spec"][0]["default"] == "$encrypted$"
    assert surveys.answer("POST", made, shown) == (200, None)
    assert made.survey["spec"][0]["default"] == "s3cret"
