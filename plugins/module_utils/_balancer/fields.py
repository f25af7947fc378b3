# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""A resource's settings as data: argument spec, validation, comparison and result come from one table of fields.

Elastic Load Balancing hands out attributes as texts, ``true`` and ``false`` included, and parameters as they are.
Here both are plain Python values, so that a boolean is compared, and can be switched, both ways.
"""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from .._core.failure import Refused, refuse_option
from .._core.plan import Change

Values = t.Mapping[str, t.Any]
"""Values by the option's name."""


@dataclass(frozen=True)
class Field:
    """One setting: what we call it, what AWS calls it, and what it may be."""

    option: str
    api: str
    type: str
    default: t.Any
    """What AWS takes when nobody says anything; for people to read, never sent."""
    about: str
    choices: tuple[str, ...] = ()
    low: int | None = None
    high: int | None = None
    word: str | None = None
    """The one word allowed in place of a number, for example ``off``."""

    @property
    def allowed(self) -> str:
        if self.choices:
            return "allowed are " + ", ".join(self.choices)
        numbers = f"{self.low} to {self.high}" if self.high is not None else f"{self.low} or more"
        return f"allowed is {numbers}" + (f", or {self.word}" if self.word else "")

    def check(self, value: t.Any, *, within: str) -> t.Any:
        """``value`` in its one form.

        :raises Refused: when it is outside of what is allowed.
        """
        option = f"{within}.{self.option}" if within else self.option
        if self.low is None or value == self.word:
            return value
        try:
            number = int(value)
        except ValueError:
            refuse_option(option, value, self.allowed)
        if number < self.low or (self.high is not None and number > self.high):
            refuse_option(option, value, self.allowed)
        return number if self.type == "int" else str(number)

    def read(self, answer: t.Any) -> t.Any:
        """AWS's text or value as ours."""
        if self.type == "bool" and isinstance(answer, str):
            return answer == "true"
        if self.type == "int" and isinstance(answer, str):
            return int(answer)
        return answer


Table = tuple[Field, ...]


def argument_spec(table: Table) -> dict[str, dict[str, t.Any]]:
    spec: dict[str, dict[str, t.Any]] = {}
    for field in table:
        spec[field.option] = {"type": field.type}
        if field.choices:
            spec[field.option]["choices"] = list(field.choices)
    return spec


def wanted(table: Table, options: Values | None, *, within: str) -> dict[str, t.Any]:
    """What the person asked for; what was left out is not in the result.

    :raises Refused: naming option, value and what is allowed.
    """
    given = options or {}
    return {
        field.option: field.check(given[field.option], within=within)
        for field in table
        if given.get(field.option) is not None
    }


def observed(table: Table, answer: Values) -> dict[str, t.Any]:
    """AWS's answer by our names; a field that this region or service does not have yet is left out."""
    return {field.option: field.read(answer[field.api]) for field in table if field.api in answer}


def attributes_of(answer: t.Mapping[str, t.Any]) -> dict[str, str]:
    """The ``Attributes`` of an answer as a dict."""
    return {item["Key"]: item.get("Value", "") for item in answer.get("Attributes", ())}


def different(have: Values, want: Values) -> dict[str, t.Any]:
    """The part of ``want`` that is not so yet."""
    return {option: value for option, value in want.items() if have.get(option) != value}


def changes(resource: str, have: Values, differing: Values, *, action: str = "update") -> tuple[Change, ...]:
    return tuple(Change(action, resource, option, have.get(option), value) for option, value in differing.items())


def refuse_immutable(resource: str, have: Values, want: Values) -> None:
    """:raises Refused: naming the first field that AWS cannot change on an existing resource."""
    for option, value in different(have, want).items():
        raise Refused(
            f"{option}: {resource} has {have.get(option)!r} and AWS cannot change it to {value!r}; "
            "choose another name, or remove the resource first."
        )


def as_attributes(table: Table, values: Values) -> list[dict[str, str]]:
    """For the ``Modify…Attributes`` calls."""
    return [{"Key": field.api, "Value": _text(values[field.option])} for field in table if field.option in values]


def as_parameters(table: Table, values: Values) -> dict[str, t.Any]:
    """For calls that take the field as a parameter of its own."""
    return {field.api: values[field.option] for field in table if field.option in values}


def _text(value: t.Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
