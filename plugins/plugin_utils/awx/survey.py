# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The survey of a job template: the variables that AWX asks for, from the table of verbs and the specs of the variables. No I/O."""

from __future__ import annotations

import re
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.variable_specs import IN_NO_SPEC, Option, behind, roles
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.verbs import Verb

LONGEST = 1024
"""The longest answer, as in AWX's own form."""
_MARKUP = re.compile(r"\b(?:RV|[CMOVIBP])\(([^)]*)\)")
_NUMBERS = {"int": "integer", "float": "float"}
Survey = dict[str, t.Any]


def survey(verb: Verb, known: t.Mapping[str, Option] | None = None, *, without: t.Container[str] = ()) -> Survey:
    """The survey in the form of AWX's API.

    :param known: the specs of variables; by default those that the roles have.
    :param without: variables that the playbook of the template sets.
    """
    specs = _known(verb) if known is None else known
    return {"name": "", "description": "", "spec": [_question(name, specs[name]) for name in verb.survey if name not in without]}


def _known(verb: Verb) -> dict[str, Option]:
    own = {name: dict(each) for asked in (verb.orders, verb.options) for name, each in asked.items() if "type" in each}
    return {**behind(set(verb.survey), roles()), **{name: IN_NO_SPEC[name] for name in IN_NO_SPEC}, **own}


def _question(name: str, spec: Option) -> dict[str, t.Any]:
    kind, choices = _kind(spec), _choices(spec)
    default = _default(spec.get("default"), choices)
    question = {
        "question_name": name,
        "question_description": _text(spec.get("description", "")),
        "variable": name,
        "type": kind,
        "required": bool(spec.get("required", False)),
        "choices": choices,
        "min": 0,
        "max": LONGEST,
        **({} if default == "" else {"default": default}),
    }
    return {**question, "min": None, "max": None} if choices else question


def _kind(spec: Option) -> str:
    if spec.get("no_log"):
        return "password"
    if _choices(spec):
        return "multiplechoice"
    return _NUMBERS.get(spec.get("type", "str"), "text")


def _choices(spec: Option) -> list[str]:
    """AWX's choices are texts. An unanswered question has no choice, so the empty one is left out."""
    if spec.get("type") == "bool":
        return ["true", "false"]
    return [str(each) for each in spec.get("choices", ()) if each != ""]


def _default(default: t.Any, choices: t.Sequence[str]) -> t.Any:
    """Empty without a default, and then the job has no such variable: AWX marks texts as unsafe, and ansible-core reads an empty
    unsafe text as null. A list, or a default that the role computes, is no text for an answer."""
    if isinstance(default, bool):
        return str(default).lower()
    if isinstance(default, int):
        return default if not choices else str(default)
    text = default if isinstance(default, str) and "{{" not in default else ""
    return text if not choices or text in choices else ""


def _text(description: t.Any) -> str:
    text = " ".join(description) if isinstance(description, list) else str(description)
    return _MARKUP.sub(r"\1", " ".join(text.split()))
