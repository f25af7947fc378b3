# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who told what. A node tells of itself alone, in printable sentences; the controller tells of its clusters. Pure."""

from __future__ import annotations

import math
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.text import printable

ACTIONS = ("create", "update", "delete")
LONGEST = 2000
"""Characters of what a node says at most: a terminal and a file are for all nodes."""
DEEPEST = 20
"""Levels of a change's value; below that it is no plain data that a report could hold."""


@dataclass(frozen=True)
class Teller:
    """Where a result comes from, known from inventory and task and never from the result."""

    cluster: str | None
    """The host name of the cluster that it counts for; nothing for hosts of no cluster."""
    subject: str
    """Whom it is about: a node by its instance id, a cluster by its key."""
    host: str
    """The host of the task."""
    trusted: bool
    """The controller itself told it."""

    def says(self, text: str) -> Sentence:
        if not self.trusted and len(text) > LONGEST:
            text = f"{text[:LONGEST]}…"
        return Sentence(self.subject, text, self.trusted)


@dataclass(frozen=True)
class Sentence:
    """What somebody told."""

    subject: str
    text: str
    trusted: bool

    @property
    def shown(self) -> str:
        """A node's sentence begins with the node."""
        if self.trusted or self.text.startswith((f"{self.subject} ", f"{self.subject}:")):
            return self.text
        return f"{self.subject}: {self.text}"


def one_line(value: t.Any) -> str:
    """As one printable line, whatever lines and signs it has."""
    return printable(" ".join(str(value).split()))


def changes_of(value: t.Any) -> list[dict[str, t.Any]]:
    """Those entries that are changes, in printable words."""
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
    """What a report can hold of a value, in printable words. Lines of a text stay lines."""
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
    """The same value with printable texts, each in one line."""
    if isinstance(value, t.Mapping):
        return {str(key): escaped(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [escaped(item) for item in value]
    return printable(value) if isinstance(value, str) else value
