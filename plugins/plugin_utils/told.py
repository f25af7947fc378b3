# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who told what. A node tells of itself alone, in printable words; the controller tells of its clusters. Pure."""

from __future__ import annotations

import dataclasses
import math
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.finding import Finding
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

    def says(self, found: Finding, *, opening: str = "", task: str = "") -> Told:
        """``opening``: what stands before the text if the callback itself made it."""
        own = self.subject if self.subject != self.cluster else ""
        if self.trusted:
            return Told(self.subject, dataclasses.replace(found, node=found.node or own), True, opening, task)
        return Told(self.subject, _shortened(found, node=own), False, opening or f"{self.subject}: ", task)


@dataclass(frozen=True)
class Told:
    """A finding, and who told it."""

    host: str
    """The node or the cluster whose result it was."""
    finding: Finding
    trusted: bool
    opening: str = ""
    """Whom the text is about, where it does not say so itself."""
    task: str = ""
    """The task that failed."""

    @property
    def shown(self) -> str:
        return f"{self.opening}{self.finding.text}"

    @property
    def in_brief(self) -> str:
        """Without what only this node has; a failure keeps its task."""
        text = self.finding.brief or self.finding.text
        return f"{self.task}: {text}" if self.task else text

    @property
    def sort(self) -> tuple[bool, str, str, str, str]:
        """What is alike on many nodes. Nodes can put no words into the controller's mouth."""
        return self.trusted, self.finding.kind, self.finding.code, self.finding.subject, self.task

    @property
    def identity(self) -> tuple[str, ...]:
        """One finding, whoever tells it."""
        found = self.finding
        return found.kind, found.code, found.node, found.subject, self.task

    def to_report(self) -> dict[str, str]:
        found = self.finding
        return {
            "kind": found.kind,
            "code": found.code,
            "severity": found.severity,
            "node": found.node,
            "subject": found.subject,
            "text": self.shown,
            "next_step": found.next_step,
        }


def _shortened(found: Finding, *, node: str) -> Finding:
    texts = {name: _cut(getattr(found, name)) for name in ("text", "subject", "next_step", "brief")}
    return dataclasses.replace(found, node=node, **texts)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


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
