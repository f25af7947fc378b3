# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Checks whether a value matches a JSON schema. The keywords that schemas of add-ons use are supported.

``not``, ``if``, ``dependencies``, ``format`` and references to other documents are not checked here. EKS checks all of them.
"""

from __future__ import annotations

import json
import re
import typing as t
from dataclasses import dataclass

from ..._core.text import printable

Schema = t.Any
"""A mapping; or true, which any value matches; or false, which no value matches."""
TYPES: dict[str, tuple[tuple[type, ...], str]] = {
    "object": ((dict,), "a mapping"),
    "array": ((list,), "a list"),
    "string": ((str,), "a text"),
    "integer": ((int,), "an integer"),
    "number": ((int, float), "a number"),
    "boolean": ((bool,), "true or false"),
    "null": ((type(None),), "null"),
}
DEEPEST = 60
"""The deepest level that is checked, because a schema may refer to itself."""


@dataclass(frozen=True)
class Problem:
    path: str
    value: t.Any
    allowed: str
    """The allowed values, as a noun."""
    why: str = ""


def problem(schema: Schema, value: t.Any, *, path: str) -> Problem | None:
    """The first value that does not match; None if all match."""
    return _Look(schema).at(schema, value, path)


class _Look:
    def __init__(self, root: Schema) -> None:
        self.root = root

    def at(self, schema: Schema, value: t.Any, path: str, depth: int = 0) -> Problem | None:
        if schema is False:
            return Problem(path, value, "nothing")
        if not isinstance(schema, dict) or depth > DEEPEST:
            return None
        if "$ref" in schema:
            return self.at(self._referred(schema["$ref"]), value, path, depth + 1)
        of_itself = (_of_type, _of_values, _of_number, _of_text, _of_length)
        found = next((wrong for wrong in (check(schema, value, path) for check in of_itself) if wrong), None)
        return found or self._inside(schema, value, path, depth) or self._alternatives(schema, value, path, depth)

    def _referred(self, reference: str) -> Schema:
        if not reference.startswith("#"):
            return True
        place = self.root
        for part in filter(None, reference.lstrip("#").split("/")):
            place = place.get(part, True) if isinstance(place, dict) else True
        return place

    def _inside(self, schema: Schema, value: t.Any, path: str, depth: int) -> Problem | None:
        if isinstance(value, dict):
            return self._of_mapping(schema, value, path, depth)
        if isinstance(value, list) and isinstance(schema.get("items"), (dict, bool)):
            looks = (self.at(schema["items"], each, f"{path}[{place}]", depth + 1) for place, each in enumerate(value))
            return next((wrong for wrong in looks if wrong), None)
        return None

    def _of_mapping(self, schema: Schema, value: dict[str, t.Any], path: str, depth: int) -> Problem | None:
        known, patterns = schema.get("properties") or {}, schema.get("patternProperties") or {}
        for name in schema.get("required") or ():
            if name not in value:
                return Problem(path, value, f"a mapping with {printable(name)}", f"{printable(name)} is missing")
        for name, each in value.items():
            fitting = [known[name]] if name in known else []
            fitting += [part for pattern, part in patterns.items() if _matches(pattern, str(name))]
            if not fitting and schema.get("additionalProperties") is False:
                allowed = ", ".join(sorted(map(printable, known))) or "an empty mapping"
                return Problem(f"{path}.{name}", each, allowed, "the setting is unknown")
            for part in fitting or [schema.get("additionalProperties", True)]:
                wrong = self.at(part, each, f"{path}.{name}", depth + 1)
                if wrong:
                    return wrong
        return None

    def _alternatives(self, schema: Schema, value: t.Any, path: str, depth: int) -> Problem | None:
        for part in schema.get("allOf") or ():
            wrong = self.at(part, value, path, depth + 1)
            if wrong:
                return wrong
        for word in ("anyOf", "oneOf"):
            found = [self.at(part, value, path, depth + 1) for part in schema.get(word) or ()]
            if found and None not in found:
                wrongs = [each for each in found if each]
                deepest = max(wrongs, key=lambda each: len(each.path))
                if deepest.path != path:
                    return deepest
                return Problem(path, value, " or ".join(dict.fromkeys(each.allowed for each in wrongs)))
        return None


def _of_type(schema: Schema, value: t.Any, path: str) -> Problem | None:
    asked = schema.get("type") or []
    names = [name for name in ([asked] if isinstance(asked, str) else asked) if name in TYPES]
    if not names or any(_is_a(name, value) for name in names):
        return None
    return Problem(path, value, " or ".join(TYPES[name][1] for name in names))


def _is_a(name: str, value: t.Any) -> bool:
    """Whether the value has the type. In JSON Schema, true is not a number, and 2.0 is an integer."""
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, TYPES[name][0]) or (name == "integer" and isinstance(value, float) and value.is_integer())


def _of_values(schema: Schema, value: t.Any, path: str) -> Problem | None:
    allowed = schema.get("enum") or ([schema["const"]] if "const" in schema else [])
    if not allowed or any(_same(value, each) for each in allowed):
        return None
    return Problem(path, value, ", ".join(printable(each if isinstance(each, str) else json.dumps(each)) for each in allowed))


def _same(one: t.Any, other: t.Any) -> bool:
    return bool(one == other and isinstance(one, bool) is isinstance(other, bool))


def _of_number(schema: Schema, value: t.Any, path: str) -> Problem | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    least, most = schema.get("minimum"), schema.get("maximum")
    over, under = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    if least is not None and (value < least or (over is True and value == least)):
        return Problem(path, value, f"more than {least}" if over is True else f"{least} or more")
    if most is not None and (value > most or (under is True and value == most)):
        return Problem(path, value, f"less than {most}" if under is True else f"at most {most}")
    if not isinstance(over, (bool, type(None))) and value <= over:
        return Problem(path, value, f"more than {over}")
    if not isinstance(under, (bool, type(None))) and value >= under:
        return Problem(path, value, f"less than {under}")
    return None


def _of_text(schema: Schema, value: t.Any, path: str) -> Problem | None:
    pattern = schema.get("pattern")
    if not isinstance(value, str) or not pattern or _matches(pattern, value):
        return None
    return Problem(path, value, f"a text that matches {printable(pattern)}")


def _matches(pattern: str, text: str) -> bool:
    """Whether the text matches. A pattern that Python does not support counts as matched, because EKS checks it."""
    try:
        return re.search(pattern, text) is not None
    except re.error:
        return True


def _of_length(schema: Schema, value: t.Any, path: str) -> Problem | None:
    if not isinstance(value, (str, list)):
        return None
    least, most = ("minLength", "maxLength") if isinstance(value, str) else ("minItems", "maxItems")
    unit = "characters" if isinstance(value, str) else "entries"
    if len(value) < schema.get(least, 0):
        return Problem(path, value, f"{schema[least]} or more {unit}")
    if len(value) > schema.get(most, len(value)):
        return Problem(path, value, f"at most {schema[most]} {unit}")
    return None
