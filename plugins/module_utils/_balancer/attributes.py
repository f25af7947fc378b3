# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Converts attributes of load balancers and target groups, which AWS accepts and returns as text, such as ``true``.

The other files use Python values, so that they can compare booleans and set them.
"""

from __future__ import annotations

import typing as t

from .._core import fields
from .._core.fields import Field


def texts(answer: t.Mapping[str, t.Any]) -> dict[str, str]:
    """The ``Attributes`` of AWS's answer, as texts, keyed by AWS's names."""
    return {item["Key"]: item.get("Value", "") for item in answer.get("Attributes", ())}


def observed(table: fields.Table, answer: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """The ``Attributes`` of AWS's answer, as Python values, keyed by option name."""
    return fields.observed(table, {field.api: _value(field, text) for field, text in _paired(table, texts(answer))})


def request(table: fields.Table, values: fields.Values) -> list[dict[str, str]]:
    """The argument ``Attributes`` of the ``Modify…Attributes`` calls."""
    return [{"Key": key, "Value": _text(value)} for key, value in fields.modification(table, values).items()]


def _paired(table: fields.Table, found: t.Mapping[str, str]) -> t.Iterator[tuple[Field, str]]:
    return ((field, found[field.api]) for field in table if field.api in found)


def _value(field: Field, text: str) -> t.Any:
    if field.type == "bool":
        return text == "true"
    return int(text) if field.type == "int" else text


def _text(value: t.Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
