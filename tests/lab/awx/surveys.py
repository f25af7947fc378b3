# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Surveys of templates: their document, their defaults, and the answers of a launch."""

from __future__ import annotations

import typing as t

from .objects import ENCRYPTED, Object, Refused, Values

Question = t.Mapping[str, t.Any]
TEXTS = ("text", "textarea", "password")
_NUMBERS: dict[str, tuple[tuple[type, ...], str]] = {"integer": ((int,), "an integer"), "float": ((int, float), "a numeric type")}


def answer(method: str, found: Object, body: t.Any) -> tuple[int, t.Any]:
    """Read, replace or delete the survey of a template."""
    if method == "GET":
        return 200, _shown(found.survey)
    if method == "DELETE":
        found.survey = {}
        return 200, None
    for name in ("spec", "name", "description"):
        if name not in (body or {}):
            raise Refused(400, {"error": f"Field '{name}' is missing from survey spec."})
    if not isinstance(body["spec"], list) or not body["spec"]:
        raise Refused(400, {"error": "'spec' doesn't contain any items."})
    before = {each["variable"]: each.get("default") for each in questions(found)}
    names = [each.get("variable") for each in body["spec"]]
    for number, each in enumerate(body["spec"]):
        _check(number, each, names)
        if each["type"] == "password" and each.get("default") == ENCRYPTED:
            each["default"] = before.get(each["variable"])
    found.survey = body
    return 200, None


def questions(found: Object) -> list[Question]:
    """The questions of an enabled survey."""
    return found.survey.get("spec", []) if found.values.get("survey_enabled") else []


def passwords(found: Object) -> frozenset[str]:
    """The variables whose values AWX does not return."""
    return frozenset(each["variable"] for each in found.survey.get("spec", []) if each["type"] == "password")


def defaults(found: Object) -> Values:
    """The variables that a launch gets without an answer: also empty texts, but no empty choice."""
    given = {each["variable"]: each["default"] for each in questions(found) if each.get("default") is not None}
    return {name: value for name, value in given.items() if not problems(found, {name: value}, needs_required=False)}


def problems(found: Object, answers: Values, *, needs_required: bool = True) -> list[str]:
    """AWX's messages about the answers of a launch."""
    return [
        problem for each in questions(found) for problem in _problems(each, answers) if needs_required or not problem.endswith("missing")
    ]


def _problems(question: Question, answers: Values) -> list[str]:
    name, kind = question["variable"], question["type"]
    if name not in answers:
        return [f"'{name}' value missing"] if question.get("required") else []
    value = answers[name]
    if kind in TEXTS:
        if not isinstance(value, str):
            return [f"Value {value} for '{name}' expected to be a string."]
        return _limits(question, value, len(value), f"length is {len(value)} must be at least")
    if kind in _NUMBERS:
        types, words = _NUMBERS[kind]
        if type(value) not in types:
            return [f"Value {value} for '{name}' expected to be {words}."]
        return _limits(question, value, value, "must be at least")
    choices = question["choices"].split("\n") if isinstance(question["choices"], str) else question["choices"]
    if kind == "multiselect" and not isinstance(value, list):
        return [f"'{name}' value is expected to be a list."]
    chosen = value if kind == "multiselect" else [value]
    return [f"Value {each} for '{name}' expected to be one of {choices}." for each in chosen if each not in choices]


def _limits(question: Question, value: t.Any, size: float, words: str) -> list[str]:
    least, most = question.get("min"), question.get("max")
    found = []
    if least not in ("", None) and size < least:
        found.append(f"'{question['variable']}' value {value} is too small ({words} {least}).")
    if most not in ("", None) and size > most:
        found.append(f"'{question['variable']}' value {value} is too large (must be no more than {most}).")
    return found


def _check(number: int, question: Question, names: t.Sequence[str]) -> None:
    for name in ("question_name", "type", "variable", "required"):
        if name not in question:
            raise Refused(400, {"error": f"'{name}' missing from survey question {number}."})
    if names.count(question["variable"]) > 1:
        raise Refused(400, {"error": f"'variable' '{question['variable']}' duplicated in survey question {number}."})
    if question["type"] in ("multiplechoice", "multiselect") and "choices" not in question:
        raise Refused(400, {"error": f"Survey question {number} of type {question['type']} must specify choices."})


def _shown(survey: Values) -> Values:
    if not survey:
        return {}
    hidden = [{**each, "default": ENCRYPTED} if each["type"] == "password" and each.get("default") else each for each in survey["spec"]]
    return {**survey, "spec": hidden}
