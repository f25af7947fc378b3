# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check data against the shapes of the botocore service model: required and unknown members, enums, patterns, bounds, unions."""

from __future__ import annotations

import datetime
import functools
import re
import typing as t

from moto.core.utils import get_service_model

GENERIC_CODES = frozenset(
    {
        "ValidationException",
        "ValidationError",
        "ThrottlingException",
        "Throttling",
        "RequestLimitExceeded",
        "AccessDeniedException",
        "AccessDenied",
        "UnauthorizedOperation",
        "InternalFailure",
        "InternalError",
        "InternalServerError",
        "ServiceUnavailable",
    }
)
UNICODE_CLASSES = {r"\p{L}": r"\w", r"\p{N}": r"\d", r"\p{Z}": r"\s", r"\p{M}": "", r"\p{S}": "", r"\p{P}": ""}


@functools.lru_cache(None)
def service_model(name: str) -> t.Any:
    """botocore's model of a service in moto's classes, which moto's parsers need; that of EC2 takes a sixth of a second."""
    return get_service_model(name)


def answer_problems(shape: t.Any, answer: t.Any) -> list[str]:
    """All problems except known differences of AWS itself: empty lists where the model requires an item (no tags, no invalid
    names), the states of a VPC endpoint in lower case, a processor feature that the model lacks, a pattern that no ARN of a
    placement group matches, and answers of SQS to batches without the empty one of two lists.
    """
    features = ": 'metal-compatibility' is not one of the enum"
    never = ":placement-group/^.{1,255}$"
    states = (".State: 'available' is not one of the enum", ".State: 'deleted' is not one of the enum")
    batches = tuple(f"BatchResult: missing required member {name}" for name in ("Failed", "Successful"))
    known = (": 0 items is less than 1", ": 0 entries is less than 1", *states, features, never, *batches)
    return [each for each in problems(shape, answer) if not each.endswith(known)]


def problems(shape: t.Any, value: t.Any, path: str = "") -> t.Iterator[str]:
    """Each difference between ``value`` and ``shape`` as a sentence."""
    if shape is None or value is None:
        return
    check = CHECKS.get(shape.type_name)
    if check is not None:
        yield from check(shape, value, path or shape.name)


def _structure(shape: t.Any, value: t.Any, path: str) -> t.Iterator[str]:
    if not isinstance(value, dict):
        yield f"{path}: want a structure, got {type(value).__name__}"
        return
    for name in shape.required_members:
        if value.get(name) is None:
            yield f"{path}: missing required member {name}"
    for name, item in value.items():
        if name not in shape.members:
            yield f"{path}: unknown member {name}"
        else:
            yield from problems(shape.members[name], item, f"{path}.{name}")
    if getattr(shape, "is_tagged_union", False) and sum(item is not None for item in value.values()) != 1:
        yield f"{path}: a union needs exactly one member"


def _list(shape: t.Any, value: t.Any, path: str) -> t.Iterator[str]:
    if not isinstance(value, (list, tuple)):
        yield f"{path}: want a list, got {type(value).__name__}"
        return
    yield from _bounds(shape, len(value), path, "items")
    for index, item in enumerate(value):
        yield from problems(shape.member, item, f"{path}[{index}]")


def _map(shape: t.Any, value: t.Any, path: str) -> t.Iterator[str]:
    if not isinstance(value, dict):
        yield f"{path}: want a map, got {type(value).__name__}"
        return
    yield from _bounds(shape, len(value), path, "entries")
    for key, item in value.items():
        yield from problems(shape.key, key, f"{path}<{key}>")
        yield from problems(shape.value, item, f"{path}.{key}")


def _string(shape: t.Any, value: t.Any, path: str) -> t.Iterator[str]:
    if not isinstance(value, str):
        yield f"{path}: want a string, got {type(value).__name__}"
        return
    if shape.enum and value not in shape.enum:
        yield f"{path}: {value!r} is not one of the enum"
    yield from _bounds(shape, len(value), path, "characters")
    pattern = _pattern(shape.metadata.get("pattern"))
    if pattern is not None and not pattern.search(value):
        yield f"{path}: {value!r} does not match {shape.metadata['pattern']}"


def _number(shape: t.Any, value: t.Any, path: str) -> t.Iterator[str]:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        yield f"{path}: want a number, got {type(value).__name__}"
        return
    yield from _bounds(shape, value, path, "")


def _boolean(shape: t.Any, value: t.Any, path: str) -> t.Iterator[str]:
    if not isinstance(value, bool):
        yield f"{path}: want a boolean, got {type(value).__name__}"


def _timestamp(shape: t.Any, value: t.Any, path: str) -> t.Iterator[str]:
    if not isinstance(value, (datetime.datetime, int, float, str)):
        yield f"{path}: want a timestamp, got {type(value).__name__}"


def _bounds(shape: t.Any, size: float, path: str, what: str) -> t.Iterator[str]:
    least, most = shape.metadata.get("min"), shape.metadata.get("max")
    if least is not None and size < least:
        yield f"{path}: {size} {what} is less than {least}"
    if most is not None and size > most:
        yield f"{path}: {size} {what} is more than {most}"


@functools.lru_cache(None)
def _pattern(text: str | None) -> re.Pattern[str] | None:
    """The pattern in Python's syntax; None if Python lacks a feature of it."""
    if not text:
        return None
    for unicode_class, characters in UNICODE_CLASSES.items():
        text = text.replace(unicode_class, characters)
    try:
        return re.compile(text if text.startswith("^") else f"^(?:{text})$")
    except re.error:
        return None


CHECKS: dict[str, t.Callable[[t.Any, t.Any, str], t.Iterator[str]]] = {
    "structure": _structure,
    "list": _list,
    "map": _map,
    "string": _string,
    "integer": _number,
    "long": _number,
    "float": _number,
    "double": _number,
    "boolean": _boolean,
    "timestamp": _timestamp,
}


def error_codes(operation: t.Any) -> set[str]:
    """Error codes of an operation in its model, and the generic ones."""
    declared = {shape.error_code for shape in operation.error_shapes} | {s.name for s in operation.error_shapes}
    return declared | GENERIC_CODES
