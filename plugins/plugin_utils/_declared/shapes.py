# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks a value against its argument spec. The problem is one sentence that names the variable."""

from __future__ import annotations

import typing as t

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import not_allowed, refusal_text

Spec = t.Mapping[str, t.Any]
KINDS = {
    "bool": "true and false",
    "dict": "a mapping, {name: value}",
    "float": "numbers",
    "int": "whole numbers",
    "list": "a list",
    "path": "the path of a file",
    "str": "a text",
}


def fits(value: t.Any, spec: Spec) -> bool:
    """Whether Ansible accepts ``value`` for an option of this spec. Null counts as omitted."""
    return not ArgumentSpecValidator({"value": {**spec, "required": False}}).validate({"value": value}).error_messages


def shape_problem(name: str, value: t.Any, spec: Spec) -> str:
    """The problem of the value; empty if it is valid."""
    if fits(value, spec):
        return ""
    allowed = _allowed(value, spec)
    if isinstance(value, (bool, int, float, str)):
        return not_allowed(name, value, allowed)
    return refusal_text(name, kind_of(value), allowed)


def kind_of(value: t.Any) -> str:
    if isinstance(value, str):
        return "a text"
    if isinstance(value, t.Mapping):
        return "a mapping"
    return "a list" if isinstance(value, (list, tuple)) else "this value"


def _allowed(value: t.Any, spec: Spec) -> str:
    choices = [str(each) for each in spec.get("choices") or () if each != ""]  # an empty choice means that the option is unset
    if choices:
        return ", ".join(choices)
    kind = spec.get("type", "str")
    if kind == "list" and isinstance(value, (list, tuple)):
        return f"{KINDS[spec['elements']]} in each entry of the list"
    return KINDS[kind]
