# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""A table of a resource's settings. The argument spec, validation, comparison, requests and results are derived from it.

Most settings have one name and one form in all of the API's requests and replies. Some have different forms in the create
request, the change request and the reply; the field then describes each form.
"""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from .failure import refuse_option
from .plan import Change

Values = t.Mapping[str, t.Any]
"""Values, keyed by option name."""
Answer = t.Mapping[str, t.Any]
Parameters = dict[str, t.Any]


@dataclass(frozen=True)
class Field:
    """One setting: its option, AWS's name for it, and its valid values."""

    option: str
    api: str
    """AWS's name of the setting, in requests and replies."""
    type: str
    default: t.Any
    """AWS's value for a new resource if the setting is omitted. It is never sent."""
    about: str = ""
    """Description for the module's documentation."""
    choices: tuple[str, ...] = ()
    low: int | None = None
    high: int | None = None
    word: str | None = None
    """A word that is allowed in place of a number, for example ``off``."""
    reads: t.Callable[[Answer], t.Any] | None = None
    """A function that reads the setting from a reply. None if the reply contains the setting as one value called ``api``."""
    writes: t.Callable[[t.Any], Parameters] | None = None
    """A function that returns the setting's part of a request. None if the request contains it as one value called ``api``."""
    creates: t.Callable[[t.Any], Parameters] | None = None
    """A function that returns the setting's part of a create request. None if this part is the same as in a change request."""
    immutable: bool = False
    cuts: str = ""
    """What a change of the setting interrupts; empty for nothing."""
    same: t.Callable[[t.Any, t.Any], bool] = lambda have, want: have == want

    @property
    def allowed(self) -> str:
        if self.choices:
            return ", ".join(self.choices)
        numbers = f"{self.low} to {self.high}" if self.high is not None else f"{self.low} or more"
        return f"{numbers}, or {self.word}" if self.word else numbers

    def check(self, value: t.Any, *, within: str) -> t.Any:
        """``value`` in its canonical form.

        :raises Refused: for an invalid value.
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

    def is_in(self, answer: Answer) -> bool:
        return self.reads is not None or self.api in answer

    def read(self, answer: Answer) -> t.Any:
        return self.reads(answer) if self.reads else answer[self.api]

    def write(self, value: t.Any) -> Parameters:
        return self.writes(value) if self.writes else {self.api: value}

    def create(self, value: t.Any) -> Parameters:
        return self.creates(value) if self.creates else self.write(value)


Table = tuple[Field, ...]


def argument_spec(table: Table) -> dict[str, dict[str, t.Any]]:
    spec: dict[str, dict[str, t.Any]] = {}
    for field in table:
        spec[field.option] = {"type": field.type}
        if field.choices:
            spec[field.option]["choices"] = list(field.choices)
    return spec


def desired(table: Table, options: Values | None, *, within: str) -> dict[str, t.Any]:
    """The given options, without omitted ones.

    :raises Refused: with the option, its value and the allowed values.
    """
    given = options or {}
    return {
        field.option: field.check(given[field.option], within=within)
        for field in table
        if given.get(field.option) is not None
    }


def defaults(table: Table) -> dict[str, t.Any]:
    """The settings of a new resource, keyed by option name."""
    return {field.option: field.default for field in table}


def observed(table: Table, answer: Answer) -> dict[str, t.Any]:
    """The settings in AWS's reply, keyed by option name. Settings that the Region or the service does not have yet are omitted."""
    return {field.option: field.read(answer) for field in table if field.is_in(answer)}


def different(table: Table, have: Values, want: Values) -> Table:
    """The fields that differ between ``have`` and ``want``."""
    asked = (field for field in table if field.option in want)
    return tuple(field for field in asked if not field.same(have.get(field.option), want[field.option]))


def values_of(table: Table, values: Values) -> dict[str, t.Any]:
    """The values of the options that the table contains."""
    return {field.option: values[field.option] for field in table if field.option in values}


def changes(resource: str, table: Table, have: Values, want: Values, *, within: str = "") -> tuple[Change, ...]:
    prefix = f"{within}." if within else ""
    return tuple(
        Change("update", resource, prefix + option, have.get(option), value)
        for option, value in values_of(table, want).items()
    )


def modification(table: t.Iterable[Field], values: Values) -> Parameters:
    """The request parameters that set the values on an existing resource."""
    return _joined(field.write(values[field.option]) for field in table if field.option in values)


def creation(table: t.Iterable[Field], values: Values) -> Parameters:
    """The request parameters that set the values on a new resource."""
    return _joined(field.create(values[field.option]) for field in table if field.option in values)


def refuse_immutable(resource: str, have: Values, want: Values) -> None:
    """:raises Refused: for the first difference in a field that AWS cannot change on an existing resource."""
    for option, value in want.items():
        if have.get(option) != value:
            refuse_option(
                option,
                value,
                f"{have.get(option)!r}, or a different value with another resource name or after the resource is removed",
                f"{resource} has {have.get(option)!r}, and AWS cannot change that",
            )


def _joined(parts: t.Iterable[Parameters]) -> Parameters:
    return {name: value for part in parts for name, value in part.items()}
