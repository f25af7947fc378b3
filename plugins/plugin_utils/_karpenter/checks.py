# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of what is declared: each returns the value, or refuses it by its path in the variable."""

from __future__ import annotations

import re
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused, refuse_option, refuse_shown
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.gathering import made, parts
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.quantity import DURATION, NEVER, quantity
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.nearest import did_you_mean

NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
NAME_ALLOWED = "lower case, digits and -, at most 63 characters"
_PART = r"[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?"
_LABEL = r"[a-z0-9]([a-z0-9-]*[a-z0-9])?"
_KEY = re.compile(rf"(?=[^/]{{1,253}}(/|$))({_LABEL}(\.{_LABEL})*/)?{_PART}")
_VALUE = re.compile(rf"({_PART})?")
EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
STATES = ("present", "absent")
Given = t.Mapping[str, t.Any]


def fields(option: str, given: t.Any, known: t.Sequence[str], *, required: t.Sequence[str] = ()) -> dict[str, t.Any]:
    """An object with no other fields than those that are known, and with all that are required."""
    if not isinstance(given, dict):
        refuse_option(option, given, f"an object with {', '.join(known)}")
    with parts() as part:
        for name in given:
            with part:
                _check_known(f"{option}.{name}", str(name), known)
        for name in required:
            with part:
                if given.get(name) in (None, ""):
                    raise Refused(f"{option}.{name}: missing.", option=f"{option}.{name}")
    return dict(given)


def _check_known(option: str, name: str, known: t.Sequence[str]) -> None:
    if name not in known:
        raise Refused(f"{option}: unknown; {did_you_mean(name, known)}Allowed: {', '.join(known)}.", option=option)


def each_of(make: t.Callable[[str, t.Any], t.Any], option: str, given: t.Iterable[t.Any]) -> list[t.Any]:
    """``make`` of the path and the value of each item of a list."""
    return made(lambda each: make(f"{option}[{each[0]}]", each[1]), enumerate(given))


def items(option: str, given: t.Any, most: int | None = None) -> list[t.Any]:
    if not isinstance(given, list):
        refuse_option(option, given, "a list")
    if most is not None and len(given) > most:
        refuse_shown(option, f"a list of {len(given)}", f"{most} at most")
    return given


def name_of(option: str, given: t.Any) -> str:
    if not isinstance(given, str) or not NAME.fullmatch(given):
        refuse_option(option, given, NAME_ALLOWED)
    return given


def one_of(option: str, given: t.Any, allowed: t.Sequence[str]) -> str:
    if given not in allowed:
        refuse_option(option, given, ", ".join(allowed))
    return str(given)


def number(option: str, given: t.Any, low: int, high: int) -> int:
    if isinstance(given, bool) or not isinstance(given, int) or not low <= given <= high:
        refuse_option(option, given, f"{low} to {high}")
    return given


def duration(option: str, given: t.Any) -> str:
    if given != NEVER and not DURATION.fullmatch(str(given)):
        refuse_option(option, given, f"a time such as 30s, 10m or 1h30m, or {NEVER}")
    return str(given)


def labels(option: str, given: t.Any) -> dict[str, str]:
    if not isinstance(given, dict):
        refuse_option(option, given, "names and values")
    return dict(made(lambda each: _label(f"{option}.{each[0]}", *each), given.items()))


def _label(option: str, key: t.Any, value: t.Any) -> tuple[str, str]:
    return key_of(option, key), _value_of(option, value)


def key_of(option: str, given: t.Any) -> str:
    if not isinstance(given, str) or not _KEY.fullmatch(given):
        refuse_option(option, given, "a key of Kubernetes such as example.com/team")
    return given


def taints(option: str, given: t.Any) -> list[dict[str, str]]:
    return each_of(_taint, option, items(option, given))


def _taint(option: str, given: t.Any) -> dict[str, str]:
    found = fields(option, given, ("key", "value", "effect"), required=("key", "effect"))
    taint = {}
    with parts() as part:
        with part:
            taint["key"] = key_of(f"{option}.key", found["key"])
        with part:
            taint["effect"] = one_of(f"{option}.effect", found["effect"], EFFECTS)
        with part:
            if found.get("value", "") != "":  # Karpenter's definition refuses an empty one; none at all is the same
                taint["value"] = _value_of(f"{option}.value", found["value"])
    return taint


def amounts(option: str, given: t.Any) -> dict[str, t.Any]:
    """Of resources by name."""
    if not isinstance(given, dict):
        refuse_option(option, given, "resources and amounts")
    return dict(made(lambda each: _amount(f"{option}.{each[0]}", *each), given.items()))


def _amount(option: str, name: t.Any, value: t.Any) -> tuple[str, str]:
    if isinstance(value, bool) or quantity(value) is None:
        refuse_option(option, value, "an amount such as 16, 500m or 2Ti")
    return key_of(option, name), str(value)


def _value_of(option: str, given: t.Any) -> str:
    if not isinstance(given, str) or not _VALUE.fullmatch(given):
        refuse_option(option, given, "a text of letters, digits, -, _ and ., at most 63 characters")
    return given
