# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of what is declared: each returns the value, or refuses it by its path in the variable."""

from __future__ import annotations

import re
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused, refuse_option, refuse_shown
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
    for name in given:
        if name not in known:
            where = f"{option}.{name}"
            raise Refused(f"{where}: unknown; {did_you_mean(str(name), known)}Allowed: {', '.join(known)}.", option=where)
    for name in required:
        if given.get(name) in (None, ""):
            raise Refused(f"{option}.{name}: missing.", option=f"{option}.{name}")
    return dict(given)


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
    return {key_of(f"{option}.{key}", key): _value_of(f"{option}.{key}", value) for key, value in given.items()}


def key_of(option: str, given: t.Any) -> str:
    if not isinstance(given, str) or not _KEY.fullmatch(given):
        refuse_option(option, given, "a key of Kubernetes such as example.com/team")
    return given


def taints(option: str, given: t.Any) -> list[dict[str, str]]:
    return [_taint(f"{option}[{place}]", each) for place, each in enumerate(items(option, given))]


def _taint(option: str, given: t.Any) -> dict[str, str]:
    found = fields(option, given, ("key", "value", "effect"), required=("key", "effect"))
    made = {"key": key_of(f"{option}.key", found["key"]), "effect": one_of(f"{option}.effect", found["effect"], EFFECTS)}
    if found.get("value", "") != "":  # Karpenter's definition refuses an empty one; none at all is the same
        made["value"] = _value_of(f"{option}.value", found["value"])
    return made


def amounts(option: str, given: t.Any) -> dict[str, t.Any]:
    """Of resources by name."""
    if not isinstance(given, dict):
        refuse_option(option, given, "resources and amounts")
    for name, value in given.items():
        key_of(f"{option}.{name}", name)
        if isinstance(value, bool) or quantity(value) is None:
            refuse_option(f"{option}.{name}", value, "an amount such as 16, 500m or 2Ti")
    return {name: str(value) for name, value in given.items()}


def _value_of(option: str, given: t.Any) -> str:
    if not isinstance(given, str) or not _VALUE.fullmatch(given):
        refuse_option(option, given, "a text of letters, digits, -, _ and ., at most 63 characters")
    return given
