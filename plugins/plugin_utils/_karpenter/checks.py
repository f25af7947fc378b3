# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of declared values. Each function returns the valid value, or refuses it with its path in the variable."""

from __future__ import annotations

import re
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import refuse_option
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.gathering import made, parts
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.duration import DURATION, NEVER
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.quantity import quantity
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.structures import each_of, fields, items, one_of

NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
NAME_ALLOWED = "lower-case letters, digits and -, at most 63 characters"
_PART = r"[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?"
_LABEL = r"[a-z0-9]([a-z0-9-]*[a-z0-9])?"
_KEY = re.compile(rf"(?=[^/]{{1,253}}(/|$))({_LABEL}(\.{_LABEL})*/)?{_PART}")
_VALUE = re.compile(rf"({_PART})?")
EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")


def name_of(option: str, given: t.Any) -> str:
    if not isinstance(given, str) or not NAME.fullmatch(given):
        refuse_option(option, given, NAME_ALLOWED)
    return given


def duration(option: str, given: t.Any) -> str:
    if given != NEVER and not DURATION.fullmatch(str(given)):
        refuse_option(option, given, f"a duration such as 30s, 10m or 1h30m, or {NEVER}")
    return str(given)


def labels(option: str, given: t.Any) -> dict[str, str]:
    if not isinstance(given, dict):
        refuse_option(option, given, "a mapping of names and values")
    return dict(made(lambda each: _label(f"{option}.{each[0]}", *each), given.items()))


def _label(option: str, key: t.Any, value: t.Any) -> tuple[str, str]:
    return key_of(option, key), _value_of(option, value)


def key_of(option: str, given: t.Any) -> str:
    if not isinstance(given, str) or not _KEY.fullmatch(given):
        refuse_option(option, given, "a Kubernetes key such as example.com/team")
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
            if found.get("value", "") != "":  # Karpenter refuses an empty value, which means the same as no value
                taint["value"] = _value_of(f"{option}.value", found["value"])
    return taint


def amounts(option: str, given: t.Any) -> dict[str, t.Any]:
    """Amounts of resources, keyed by name."""
    if not isinstance(given, dict):
        refuse_option(option, given, "a mapping of resources and amounts")
    return dict(made(lambda each: _amount(f"{option}.{each[0]}", *each), given.items()))


def _amount(option: str, name: t.Any, value: t.Any) -> tuple[str, str]:
    if isinstance(value, bool) or quantity(value) is None:
        refuse_option(option, value, "an amount such as 16, 500m or 2Ti")
    return key_of(option, name), str(value)


def _value_of(option: str, given: t.Any) -> str:
    if not isinstance(given, str) or not _VALUE.fullmatch(given):
        refuse_option(option, given, "a text of letters, digits, -, _ and ., at most 63 characters")
    return given
