# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of untrusted results as plain, printable data for terminals and files. No I/O."""

from __future__ import annotations

import math
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.text import printable

ACTIONS = ("create", "update", "delete")
DEEPEST = 20
"""Levels of a nested value that are copied; an ellipsis replaces deeper levels."""


def one_line(value: t.Any) -> str:
    """The value as one printable line, with single spaces."""
    return printable(" ".join(str(value).split()))


def changes_of(value: t.Any) -> list[dict[str, t.Any]]:
    """The entries of a list that have the form of a change, made printable."""
    return [_change(each) for each in value if _is_change(each)] if isinstance(value, (list, tuple)) else []


def _is_change(value: t.Any) -> bool:
    return (
        isinstance(value, t.Mapping)
        and value.get("action") in ACTIONS
        and isinstance(value.get("resource"), str)
        and isinstance(value.get("field"), (str, type(None)))
    )


def _change(value: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    return {
        "action": str(value["action"]),
        "resource": one_line(value["resource"]),
        "field": None if value.get("field") is None else one_line(value["field"]),
        "before": plain(value.get("before")),
        "after": plain(value.get("after")),
    }


def plain(value: t.Any, depth: int = 0) -> t.Any:
    """The value as printable data for a report. Line breaks in texts are preserved."""
    if value is None or isinstance(value, (bool, int)) or (isinstance(value, float) and math.isfinite(value)):
        return value
    if depth == DEEPEST:
        return "…"
    if isinstance(value, t.Mapping):
        return {one_line(name): plain(each, depth + 1) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each, depth + 1) for each in value]
    return "\n".join(map(printable, str(value).split("\n")))


def escaped(value: t.Any) -> t.Any:
    """The value, with each text in it made printable on one line."""
    if isinstance(value, t.Mapping):
        return {str(key): escaped(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [escaped(item) for item in value]
    return printable(value) if isinstance(value, str) else value
