# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which values match a JSON schema, and how others are reported."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.addon.schema import DEEPEST, problem

CLOSED = {"type": "object", "additionalProperties": False, "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}}
REFERRED = {"$ref": "#/definitions/S", "definitions": {"S": {"properties": {"s": {"$ref": "#/definitions/S"}, "n": {"type": "integer"}}}}}
FORMS = {"oneOf": [{"type": "integer"}, {"type": "object", "properties": {"x": {"type": "string"}}}]}


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (True, 1),
        ({}, {"a": 1}),
        (CLOSED, {"a": 1, "b": "x"}),
        ({"type": "integer"}, 2.0),
        ({"type": ["string", "null"]}, None),
        ({"type": "number"}, 2),
        ({"type": "number"}, 2.5),
        ({"type": "array"}, []),
        ({"type": "boolean"}, False),
        ({"type": "a type of a later draft"}, 1),
        ({"enum": [1, True]}, True),
        ({"const": "a"}, "a"),
        ({"minimum": 1, "maximum": 2}, 2),
        ({"minimum": 1}, "text"),
        ({"exclusiveMinimum": 1, "exclusiveMaximum": 3}, 2),
        ({"exclusiveMinimum": True}, 0),
        ({"exclusiveMaximum": False}, 1),
        ({"minimum": 1, "exclusiveMinimum": False}, 1),
        ({"maximum": 1, "exclusiveMaximum": False}, 1),
        ({"exclusiveMinimum": 1, "exclusiveMaximum": 3}, True),
        ({"pattern": "^a"}, "ab"),
        ({"pattern": "(?P<"}, "what Python can't read"),
        ({"minLength": 1, "maxLength": 2}, "ab"),
        ({"minItems": 1, "items": {"type": "string"}}, ["a"]),
        ({"patternProperties": {"^x-": {"type": "string"}}, "additionalProperties": False}, {"x-a": "b"}),
        ({"additionalProperties": {"type": "string"}}, {"a": "b"}),
        (REFERRED, {"s": {"s": {"n": 1}}}),
        ({"$ref": "https://example.com/other"}, 1),
        ({"$ref": "#/definitions/none"}, 1),
        ({"$ref": "#"}, 1),
        (FORMS, {"x": "y"}),
        ({"allOf": [{"type": "integer"}, {"minimum": 1}]}, 1),
        ({"not": {}, "if": {}, "format": "ipv4"}, 1),
    ],
)
def test_matching_values_have_no_problem(schema: t.Any, value: t.Any) -> None:
    assert problem(schema, value, path="c") is None


@pytest.mark.parametrize(
    ("schema", "value", "path", "allowed"),
    [
        (False, 1, "c", "nothing"),
        (CLOSED, {"c": 1}, "c.c", "a, b"),
        (CLOSED, {"a": "x"}, "c.a", "an integer"),
        (CLOSED, {"a": True}, "c.a", "an integer"),
        (CLOSED, [], "c", "a mapping"),
        ({"additionalProperties": False}, {"a": 1}, "c.a", "an empty mapping"),
        ({"type": ["string", "null"]}, 1, "c", "a text or null"),
        ({"type": "array"}, 1, "c", "a list"),
        ({"type": "number"}, "1", "c", "a number"),
        ({"type": "boolean"}, 1, "c", "true or false"),
        ({"maximum": 1}, 1.5, "c", "at most 1"),
        ({"items": False}, [1], "c[0]", "nothing"),
        ({"enum": [1, "a"]}, True, "c", "1, a"),
        ({"const": False}, 0, "c", "false"),
        ({"minimum": 1}, 0, "c", "1 or more"),
        ({"maximum": 1}, 2, "c", "at most 1"),
        ({"exclusiveMinimum": 1}, 1, "c", "more than 1"),
        ({"exclusiveMaximum": 1}, 1, "c", "less than 1"),
        ({"minimum": 1, "exclusiveMinimum": True}, 1, "c", "more than 1"),
        ({"maximum": 1, "exclusiveMaximum": True}, 1, "c", "less than 1"),
        ({"pattern": "^a"}, "b", "c", "a text that matches ^a"),
        ({"minLength": 2}, "a", "c", "2 or more characters"),
        ({"maxItems": 1}, [1, 2], "c", "at most 1 entries"),
        ({"items": {"type": "string"}}, ["a", 1], "c[1]", "a text"),
        ({"required": ["a"]}, {}, "c", "a mapping with a"),
        ({"additionalProperties": {"type": "string"}}, {"a": 1}, "c.a", "a text"),
        ({"patternProperties": {"^x-": {"type": "string"}}}, {"x-a": 1}, "c.x-a", "a text"),
        (REFERRED, {"s": {"s": {"n": "1"}}}, "c.s.s.n", "an integer"),
        (FORMS, "text", "c", "an integer or a mapping"),
        (FORMS, {"x": 1}, "c.x", "a text"),
        ({"allOf": [{"type": "integer"}, {"minimum": 1}]}, 0, "c", "1 or more"),
        ({"enum": ["\x1b[31m"]}, "a", "c", "?[31m"),
    ],
)
def test_problems_name_the_values_that_do_not_match(schema: t.Any, value: t.Any, path: str, allowed: str) -> None:
    found = problem(schema, value, path="c")
    assert found is not None and (found.path, found.allowed) == (path, allowed)


NESTED: dict[str, tuple[t.Callable[[t.Any], t.Any], t.Callable[[t.Any], t.Any]]] = {
    "items": (lambda inner: {"items": inner}, lambda value: [value]),
    "properties": (lambda inner: {"properties": {"a": inner}}, lambda value: {"a": value}),
    "allOf": (lambda inner: {"allOf": [inner]}, lambda value: value),
    "anyOf": (lambda inner: {"anyOf": [inner]}, lambda value: value),
    "$ref": (lambda inner: {"$ref": "#/a", "a": inner}, lambda value: value),
}
"""By nesting keyword: the schema around another one, and the value around another one."""


@pytest.mark.parametrize("word", NESTED)
def test_schemas_are_checked_to_a_limited_depth(word: str) -> None:
    outer, around = NESTED[word]
    schema: t.Any = {"type": "integer"}
    value: t.Any = "text"
    for _level in range(DEEPEST if word != "$ref" else 1):
        schema, value = outer(schema), around(value)
    assert problem(schema, value, path="c") is not None
    if word != "$ref":
        assert problem(outer(schema), around(value), path="c") is None


@pytest.mark.parametrize("word", ["allOf", "anyOf", "oneOf"])
def test_a_recursive_schema_terminates(word: str) -> None:
    assert problem({word: [{"$ref": "#"}]}, 1, path="c") is None


def test_only_some_problems_have_a_reason() -> None:
    wrong, unknown = problem({"minimum": 1}, 0, path="c"), problem(CLOSED, {"c": 1}, path="c")
    assert wrong is not None and wrong.why == ""
    assert unknown is not None and unknown.why == "the setting is unknown"
