# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the objects of an eksctl file: their keys, the types of the values, and values that always have the same effect. No I/O."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused, refuse_option
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.gathering import Part

from ..nearest import did_you_mean
from .checks import path_inside
from .eksctl_keys import FIXED, KEYS, REFUSED, WITHOUT_EFFECT

Values = dict[str, t.Any]


class Object(dict[str, t.Any]):
    """The valid values of an object in the file."""

    def __init__(self) -> None:
        super().__init__()
        self.wrong: set[str] = set()
        """Keys whose values were refused."""

    def lacks(self, name: str) -> bool:
        return name not in self and name not in self.wrong


_KINDS: t.Mapping[str, tuple[t.Callable[[t.Any], bool], str]] = {
    "text": (lambda value: isinstance(value, str), "a text, in quotes if YAML reads it as a number"),
    "flag": (lambda value: isinstance(value, bool), "true and false"),
    "number": (lambda value: isinstance(value, int) and not isinstance(value, bool), "a whole number"),
    "object": (lambda value: isinstance(value, dict), "an object"),
    "list": (lambda value: isinstance(value, list), "a list"),
    "texts": (lambda value: isinstance(value, list) and all(isinstance(each, str) for each in value), "a list of texts"),
    "objects": (lambda value: isinstance(value, list) and all(isinstance(each, dict) for each in value), "a list of objects"),
}
_EMPTY: tuple[t.Any, ...] = (None, "", [], {})


def read(given: t.Any, path: str, place: str) -> Object:
    """The values of an object, without empty values, values without effect, and values that have only one allowed value.

    If the caller gathers refusals, a refused value does not end the check of the object.

    :param path: the path of the object, for messages.
    :param place: the path of the object in the tables of keys, without the name of the file's option and without indices.
    :raises Refused: for an unknown key, and for an invalid value.
    """
    if not isinstance(given, dict):
        refuse_option(path, given, f"an object with {', '.join(KEYS[place])}")
    found = Object()
    for name, value in given.items():
        part = Part()
        with part:
            if _used(path, place, name, value):
                found[name] = value
        if part.refused:
            found.wrong.add(name)
    return found


def inside(values: Values, name: str, path: str, place: str) -> Object:
    """The values of an object inside another object; empty without this object."""
    return read(values.get(name, {}), f"{path}.{name}", f"{place}.{name}".removeprefix("."))


def below(path: str, values: Values, name: str) -> list[tuple[str, t.Any]]:
    """The entries of a list, each with its path."""
    return [(f"{path}.{name}[{place}]", each) for place, each in enumerate(values.get(name) or ())]


def without_effect(document: t.Mapping[str, t.Any]) -> dict[str, str]:
    """The keys of the file that have no effect, and the reasons."""
    found: dict[str, str] = {}
    _collect(document, "", found)
    return found


def _used(path: str, place: str, name: t.Any, value: t.Any) -> bool:
    option, spot = path_inside(path, name), f"{place}.{name}".removeprefix(".")
    if spot in REFUSED:
        if value not in _EMPTY:
            why, allowed = REFUSED[spot]
            refuse_option(option, value, f"no value{allowed and '; '}{allowed}", why)
        return False
    known = KEYS[place]
    if name not in known:
        raise Refused(f"{option}: unknown{did_you_mean(str(name), known)}Allowed: {', '.join(known)}.", option=option)
    if value is None:
        return False
    fits, allowed = _KINDS[known[name]]
    if not fits(value):
        refuse_option(option, value, allowed)
    if spot in FIXED:
        right, why = FIXED[spot]
        if value not in right:
            refuse_option(option, value, " or ".join(_shown(each) for each in right), why)
        return False
    return spot not in WITHOUT_EFFECT and value not in _EMPTY


def _shown(value: t.Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _collect(given: t.Any, spot: str, found: dict[str, str], path: str = "") -> None:
    if spot in WITHOUT_EFFECT and given is not None:
        found[path] = WITHOUT_EFFECT[spot]
    elif isinstance(given, dict):
        for name, value in given.items():
            inner = f"{spot}.{name}".removeprefix(".")
            _collect(value, inner, found, path_inside(path, name).removeprefix("."))
    elif isinstance(given, list):
        for place, each in enumerate(given):
            _collect(each, spot, found, f"{path}[{place}]")
