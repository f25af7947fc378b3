# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""A table of nested settings, with structures and lists, under the names of the options.

The argument spec, validation, comparison, requests and the parsing of replies are derived from the same table. Settings
that a user omits stay unchanged. AWS returns some settings under names that differ from those in requests; the table has both.
Standard library only, Python 3.9 syntax: this file may also run on cluster nodes.
"""

from __future__ import annotations

import re
import typing as t
from dataclasses import dataclass

from .failure import Refused, refuse_option
from .gathering import made, parts
from .plan import Change
from .times import iso_time, moment_of

Values = t.Mapping[str, t.Any]
"""Values, keyed by option name. A structure is such a mapping, and a list of structures is a list of such mappings."""
Answer = t.Mapping[str, t.Any]


@dataclass(frozen=True)
class Setting:
    """One setting: its option, AWS's name for it, and its valid values."""

    option: str
    api: str
    """AWS's name of the setting in requests."""
    type: str = "str"
    """A type of Ansible's argument specs, or ``time`` for a time, or ``map`` for a mapping with arbitrary keys."""
    about: str = ""
    """Description for the module's documentation."""
    parts: Table = ()
    """The settings of the structure, or of each structure in the list."""
    choices: tuple[str, ...] = ()
    low: int | None = None
    high: int | None = None
    """Minimum and maximum of the number, or of the number of entries."""
    pattern: str = ""
    allowed: str = ""
    """Describes the values that match ``pattern``, as a noun."""
    required: bool = False
    """Whether AWS requires this setting in the enclosing structure."""
    instead_of: str = ""
    """An alternative option. AWS accepts either this setting or the alternative, but not both."""
    answers: tuple[str, ...] = ()
    """AWS's names in replies if they differ from ``api``, the preferred one first."""
    ordered: bool = False
    """Whether the order of a list matters."""
    immutable: bool = False
    sends_empty: bool = False
    """Whether an empty value is sent. AWS requires it to clear the setting, because an omitted setting keeps its value."""
    sounds_secret: bool = False
    """Whether Ansible would treat the setting as a secret because of its name, although the setting is not secret."""


Table = tuple[Setting, ...]


def argument_spec(table: Table) -> dict[str, dict[str, t.Any]]:
    return {setting.option: _spec(setting) for setting in table}


def checked(table: Table, given: Values | None, *, within: str) -> dict[str, t.Any]:
    """The given options in canonical form, without omitted ones.

    :raises Refused: for the first invalid value, with its path.
    """
    present = {name: value for name, value in (given or {}).items() if value is not None}
    result = {}
    with parts() as part:
        for setting in (each for each in table if each.option in present):
            with part:
                path, value = _path(within, setting.option), present[setting.option]
                if setting.instead_of in present:
                    other = setting.instead_of
                    refuse_option(path, value, f"either {setting.option} or {other}", f"{other} is also given")
                result[setting.option] = _checked(setting, value, path)
    return result


def require(table: Table, values: Values, *, within: str, what: str) -> None:
    """:raises Refused: for the first required setting that is missing; ``what`` names the structure or action that requires it."""
    with parts() as part:
        for setting in table:
            path, value = _path(within, setting.option), values.get(setting.option)
            with part:
                if setting.required and value is None:
                    raise Refused(f"{path}: missing; {what} requires it.", option=path)
                for each, place in _structures(setting, value, path):
                    require(setting.parts, each, within=place, what=path)


def observed(table: Table, answer: Answer) -> dict[str, t.Any]:
    """The settings in AWS's reply, keyed by option name; missing values are omitted."""
    result = {}
    for setting in table:
        name = next((name for name in (setting.answers or (setting.api,)) if answer.get(name) is not None), None)
        if name is not None:
            result[setting.option] = _observed(setting, answer[name])
    return result


def request(table: Table, values: Values) -> dict[str, t.Any]:
    """The values in the form that AWS accepts. Empty lists and texts are omitted unless the setting has ``sends_empty``. An empty
    mapping is omitted only if AWS also requires at least one entry.
    """
    return {
        setting.api: _request(setting, values[setting.option])
        for setting in table
        if setting.option in values and (setting.sends_empty or not _none(setting, values[setting.option]))
    }


def from_request(table: Table, given: Answer, *, within: str) -> dict[str, t.Any]:
    """The inverse of ``request``: the settings of a request in AWS's form, keyed by option name.

    :raises Refused: for the first name that the table does not contain, with its path.
    """
    known = {setting.api: setting for setting in table}
    result = {}
    with parts() as part:
        for name, value in given.items():
            path = _path(within, name)
            with part:
                if name not in known:
                    raise Refused(f"{path}: unknown. Allowed: {', '.join(known)}.", option=path)
                result[known[name].option] = _from_request(known[name], value, path)
    return result


def has(table: Table, have: Values, want: Values) -> bool:
    """Whether the observed settings include the desired ones; other settings are ignored."""
    return all(_has(setting, have.get(setting.option), want[setting.option]) for setting in table if setting.option in want)


def merged(table: Table, have: Values, want: Values) -> dict[str, t.Any]:
    """The observed settings, updated with the desired ones. Alternatives of a desired setting (``instead_of``) are removed."""
    result = dict(have)
    for setting in table:
        if setting.option not in want or _has(setting, have.get(setting.option), want[setting.option]):
            continue
        result.pop(setting.instead_of, None)
        value = want[setting.option]
        if setting.type == "dict":
            value = merged(setting.parts, have.get(setting.option) or {}, value)
        if setting.type == "list" and setting.parts:
            value = _kept(setting, have.get(setting.option) or [], value)
        result[setting.option] = value
        if _none(setting, value) and not setting.sends_empty:
            del result[setting.option]
    return result


def changes(resource: str, table: Table, have: Values, want: Values, *, within: str = "") -> tuple[Change, ...]:
    """One change for each setting that differs, with the setting's path."""
    found: list[Change] = []
    for setting in table:
        before, after = have.get(setting.option), want.get(setting.option)
        if before == after:
            continue
        path = _path(within, setting.option)
        if setting.type == "dict" and isinstance(before, dict) and isinstance(after, dict):
            found += changes(resource, setting.parts, before, after, within=path)
        else:
            found.append(Change("update", resource, path, before, after))
    return tuple(found)


def refuse_immutable(resource: str, table: Table, have: Values, want: Values, *, within: str, way: str) -> None:
    """:raises Refused: for the first setting that AWS cannot change on an existing resource; ``way`` describes the alternative."""
    for setting in table:
        if setting.option not in want:
            continue
        path, value = _path(within, setting.option), want[setting.option]
        if setting.immutable and not _has(setting, have.get(setting.option), value):
            shown = have.get(setting.option)
            refuse_option(path, value, f"{shown!r}, or {way}", f"{resource} has {shown!r}, and AWS cannot change that")
        if setting.type == "dict":
            refuse_immutable(resource, setting.parts, have.get(setting.option) or {}, value, within=path, way=way)


def parameters(table: Table, values: Values, prefix: tuple[str, ...] = ()) -> t.Iterator[tuple[str, ...]]:
    """The paths of the API parameters that the values need. The caller checks them against the installed botocore."""
    for setting in table:
        if setting.option in values:
            yield (*prefix, setting.api)
            for each, _place in _structures(setting, values[setting.option], ""):
                yield from parameters(setting.parts, each, (*prefix, setting.api))


def all_parameters(table: Table, prefix: tuple[str, ...] = ()) -> t.Iterator[tuple[str, ...]]:
    """The paths of all API parameters in the table."""
    for setting in table:
        yield (*prefix, setting.api)
        yield from all_parameters(setting.parts, (*prefix, setting.api))


def _path(within: str, option: str) -> str:
    return f"{within}.{option}" if within else option


def _spec(setting: Setting) -> dict[str, t.Any]:
    spec: dict[str, t.Any] = {"type": {"time": "str", "map": "dict"}.get(setting.type, setting.type)}
    if setting.type == "list":
        spec["elements"] = "dict" if setting.parts else "str"
    if setting.choices:
        spec["choices"] = list(setting.choices)
    if setting.parts:
        spec["options"] = argument_spec(setting.parts)
    if setting.sounds_secret:
        spec["no_log"] = False
    return spec


def _checked(setting: Setting, value: t.Any, path: str) -> t.Any:
    if setting.type == "dict":
        return checked(setting.parts, value, within=path)
    if setting.type in ("list", "map"):
        _check_number(setting, path, len(value), "entries")
    if setting.type == "list":
        if setting.parts:
            return made(lambda each: checked(setting.parts, each[1], within=f"{path}[{each[0]}]"), enumerate(value))
        made(lambda each: _check_text(setting, path, each), value)
        return list(value)
    if setting.type == "map":
        made(lambda each: _check_text(setting, f"{path}.{each[0]}", str(each[1])), value.items())
        return {str(key): str(each) for key, each in value.items()}
    if setting.type in ("int", "float"):
        _check_number(setting, path, value, "")
    if setting.type == "str":
        _check_text(setting, path, value)
    return _moment(path, value) if setting.type == "time" else value


def _moment(path: str, text: str) -> str:
    try:
        return iso_time(moment_of(text))
    except ValueError:
        refuse_option(path, text, "a time such as 2026-12-01T02:00:00Z")


def _check_number(setting: Setting, path: str, number: float, unit: str) -> None:
    least = setting.low if number or not unit else 0
    if (least is not None and number < least) or (setting.high is not None and number > setting.high):
        limits = f"{setting.low} to {setting.high}" if setting.high is not None else f"{setting.low} or more"
        refuse_option(path, number, f"{limits} {unit}".rstrip())


def _check_text(setting: Setting, path: str, text: str) -> None:
    if setting.choices and text not in setting.choices:
        refuse_option(path, text, ", ".join(setting.choices))
    if setting.pattern and not re.fullmatch(setting.pattern, text):
        refuse_option(path, text, setting.allowed)


def _structures(setting: Setting, value: t.Any, path: str) -> t.Iterator[tuple[Values, str]]:
    """The structures inside a setting, each with its path."""
    if not setting.parts or value is None:
        return
    if setting.type == "dict":
        yield value, path
    else:
        for place, each in enumerate(value):
            yield each, f"{path}[{place}]"


def _observed(setting: Setting, value: t.Any) -> t.Any:
    if setting.type == "dict":
        return observed(setting.parts, value)
    if setting.type == "list":
        return [observed(setting.parts, each) for each in value] if setting.parts else list(value)
    if setting.type == "map":
        return dict(value)
    return iso_time(value) if setting.type == "time" else value


def _request(setting: Setting, value: t.Any) -> t.Any:
    if setting.type == "dict":
        return request(setting.parts, value)
    if setting.type == "list" and setting.parts:
        return [request(setting.parts, each) for each in value]
    return value


def _from_request(setting: Setting, value: t.Any, path: str) -> t.Any:
    if setting.type in ("dict", "map") and not isinstance(value, t.Mapping):
        refuse_option(path, value, "an object")
    if setting.type == "list" and not isinstance(value, list):
        refuse_option(path, value, "a list")
    if setting.type == "dict":
        return from_request(setting.parts, value, within=path)
    if setting.type == "list" and setting.parts:
        return made(lambda each: _from_each(setting, each[1], f"{path}[{each[0]}]"), enumerate(value))
    return value


def _from_each(setting: Setting, value: t.Any, path: str) -> dict[str, t.Any]:
    if not isinstance(value, t.Mapping):
        refuse_option(path, value, "an object")
    return from_request(setting.parts, value, within=path)


def _none(setting: Setting, value: t.Any) -> bool:
    return value in ([], "") or (value == {} and bool(setting.low))


def _has(setting: Setting, have: t.Any, want: t.Any) -> bool:
    if have is None:
        return _none(setting, want) or (setting.type == "map" and not want)
    if setting.type == "dict":
        return has(setting.parts, have, want)
    if setting.type == "list" and setting.parts:
        return len(have) == len(want) and None not in _matches(setting, have, want)
    if setting.type == "list" and not setting.ordered:
        return sorted(have) == sorted(want)
    return bool(have == want)


def _matches(setting: Setting, have: t.Sequence[Values], want: t.Sequence[Values]) -> list[Values | None]:
    """For each desired structure, the observed structure that matches it, or None. Each observed structure is used once."""
    left = list(have)
    found: list[Values | None] = []
    for each in want:
        match = next((there for there in left if has(setting.parts, there, each)), None)
        if match is not None:
            left.remove(match)
        found.append(match)
    return found


def _kept(setting: Setting, have: t.Sequence[Values], want: t.Sequence[Values]) -> list[Values]:
    """The desired structures. If one matches an observed structure, the observed structure with all its settings is used."""
    return [there or each for there, each in zip(_matches(setting, have, want), want)]
