# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Who connected and who was refused, from the lines of a connection log."""

from __future__ import annotations

import json
import typing as t

from ..nothing import said


def result(lines: t.Collection[str] | None) -> dict[str, t.Any]:
    return {"exists": lines is not None, "people": people(lines or ())}


def people(lines: t.Iterable[str]) -> dict[str, dict[str, t.Any]]:
    """The last success, the last refusal and the number of successes of each name in the log. Unknown lines are ignored."""
    found: dict[str, dict[str, t.Any]] = {}
    for attempt in map(_attempt, lines):
        name = _first(attempt, "username", "common-name")
        if not name:
            continue
        person = found.setdefault(name, {"last_connected": "", "last_refused": "", "connections": 0})
        at = _iso(_first(attempt, "connection-start-time", "connection-last-update-time"))
        if attempt.get("connection-attempt-status") == "successful":
            person["last_connected"] = max(person["last_connected"], at)
            person["connections"] += 1
        elif attempt.get("connection-attempt-status") == "failed":
            person["last_refused"] = max(person["last_refused"], at)
    return dict(sorted(found.items()))


def _attempt(line: str) -> dict[str, t.Any]:
    try:
        event = json.loads(line)
    except ValueError:
        return {}
    return event if isinstance(event, dict) and event.get("connection-log-type") == "connection-attempt" else {}


def _first(event: t.Mapping[str, t.Any], *names: str) -> str:
    return next((text for text in (said(event.get(name)) for name in names) if text), "")


def _iso(text: str) -> str:
    """The ISO time for AWS's ``2026-11-21 08:15:30``, which is in UTC."""
    return f"{text[:10]}T{text[11:19]}Z" if len(text) >= 19 else text
