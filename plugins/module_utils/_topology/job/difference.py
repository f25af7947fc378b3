# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Describes how an existing job differs from its manifest, without values of environment variables. No I/O."""

from __future__ import annotations

import typing as t

from ..._core.text import printable
from ..._kubernetes.client import Object

MOST, LONGEST = 10, 120
"""Limits: differences in a description, and characters of a value."""
HIDDEN = "..."
"""Replaces a value that may be a secret."""
_CONTEXT = 20
"""The number of characters shown before the first difference in a long text."""
_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
_MISSING = object()


def masked(value: t.Any, *, env: bool = False) -> t.Any:
    """A copy without literal values of environment variables.

    :param env: whether ``value`` is a list of environment variables, or one of them.
    """
    if isinstance(value, dict):
        return {name: HIDDEN if _hides(name, env) else masked(each, env=name == "env") for name, each in value.items()}
    if isinstance(value, list):
        return [masked(each, env=env) for each in value]
    return value


def _hides(name: str, env: bool) -> bool:
    return (env and name == "value") or name == _LAST_APPLIED


def difference(wanted: Object, live: Object) -> str:
    """The differences, as text. Fields that others set or that the API server added are ignored."""
    body = {name: value for name, value in wanted.items() if name not in ("apiVersion", "kind")}
    found = list(_differing("", body, live, env=False))
    if not found:
        return "the existing job has fields that the manifest no longer has"
    more = f", and {len(found) - MOST} more" if len(found) > MOST else ""
    return ", ".join(found[:MOST]) + more


def _differing(path: str, wanted: t.Any, live: t.Any, *, env: bool) -> t.Iterator[str]:
    if isinstance(wanted, dict) and isinstance(live, dict):
        for name, value in wanted.items():
            inner = f"{path}.{printable(name)}" if path else printable(name)
            there = live.get(name, _MISSING)
            if not _hides(name, env):
                yield from _differing(inner, value, there, env=name == "env")
            elif there != value:
                yield f"{inner} differs"
    elif isinstance(wanted, list) and isinstance(live, list) and len(wanted) == len(live):
        for place, (value, there) in enumerate(zip(wanted, live)):
            yield from _differing(f"{path}[{_name_of(value, there) or place}]", value, there, env=env)
    elif isinstance(wanted, list) and isinstance(live, list):
        yield f"{path} has {len(live)} elements and would have {len(wanted)}"
    elif not _same(wanted, live):
        before, after = _short(masked(live, env=env), masked(wanted, env=env))
        yield f"{path} is {before} and would be {after}"


def _name_of(wanted: t.Any, live: t.Any) -> str:
    """The name that two elements of lists have in common; empty without one."""
    if not isinstance(wanted, dict) or not isinstance(live, dict):
        return ""
    name = wanted.get("name")
    return printable(name) if isinstance(name, str) and name == live.get("name") else ""


def _same(wanted: t.Any, live: t.Any) -> bool:
    """Whether values are equal. The API server discards empty values and stores amounts as strings."""
    if live is _MISSING:
        return wanted in (None, {}, [])
    numbers = not isinstance(wanted, (bool, dict, list)) and not isinstance(live, (bool, dict, list))
    return bool(wanted == live or (numbers and str(wanted) == str(live)))


def _short(before: t.Any, after: t.Any) -> tuple[str, str]:
    """Shorten long texts to the part around the first difference."""
    begin = 0
    if isinstance(before, str) and isinstance(after, str) and max(len(before), len(after)) > LONGEST:
        same = next((place for place, each in enumerate(zip(before, after)) if len(set(each)) > 1), min(len(before), len(after)))
        begin = max(0, same - _CONTEXT)
    return _shown(before, begin), _shown(after, begin)


def _shown(value: t.Any, begin: int) -> str:
    if value is _MISSING:
        return "missing"
    shown = printable(repr(value[begin:] if begin else value))
    return ("…" if begin else "") + (shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}…")
