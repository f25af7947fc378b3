# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings of results, read without trust: a node may put anything there, and reports on itself alone. Pure."""

from __future__ import annotations

import dataclasses
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.finding import (
    FAILURE,
    KINDS,
    SEVERITIES,
    WARNING,
    WHY,
    Finding,
    failure,
)

from .codes import CODES, TASK_FAILED, UNKNOWN
from .plain import one_line

TEXTS = ("text", "subject", "next_step", "node", "brief")
LONGEST = 2000
"""Characters that are kept of a node's text: a terminal and a file are for all nodes."""


@dataclass(frozen=True)
class Source:
    """Where a result comes from, known from inventory and task and never from the result."""

    cluster: str | None
    """The host name of the cluster that it counts for; nothing for hosts of no cluster."""
    subject: str
    """Whom it is about: a node by its instance id, a cluster by its key."""
    host: str
    """The host of the task."""
    trusted: bool
    """The controller itself reported it."""

    def says(self, found: Finding, *, opening: str = "", task: str = "") -> Reported:
        """``opening``: what stands before the text if the callback itself made it."""
        own = self.subject if self.subject != self.cluster else ""
        if self.trusted:
            return Reported(self.subject, dataclasses.replace(found, node=found.node or own), True, opening, task)
        return Reported(self.subject, _shortened(found, node=own), False, opening or f"{self.subject}: ", task)


@dataclass(frozen=True)
class Reported:
    """A finding, and where it comes from."""

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
        """Equal for the same finding from several sources."""
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


def findings_of(value: t.Any) -> list[Finding]:
    """Those entries that are findings, in printable words and with known codes."""
    entries = value if isinstance(value, (list, tuple)) else ()
    return [found for each in entries for found in [finding_of(each)] if found]


def finding_of(value: t.Any) -> Finding | None:
    """None if the value is not a finding, or has no text."""
    if not isinstance(value, t.Mapping) or value.get("kind") not in KINDS:
        return None
    texts = {name: one_line(value.get(name) or "") for name in TEXTS}
    if not texts["text"]:
        return None
    return Finding(
        kind=str(value["kind"]),
        code=_code(value.get("code")),
        severity=str(value["severity"]) if value.get("severity") in SEVERITIES else WARNING,
        **texts,
    )


def why_of(result: t.Mapping[str, t.Any], reason: str) -> Finding:
    """Why a task failed: ``reason`` is for people, the module itself gave the code."""
    described = result.get(WHY)
    given = finding_of({**described, "text": reason}) if isinstance(described, t.Mapping) else None
    if given is None or given.kind != FAILURE:
        return failure(TASK_FAILED, reason)
    return failure(given.code, reason, subject=given.subject, next_step=given.next_step)


def _code(value: t.Any) -> str:
    return value if isinstance(value, str) and value in CODES else UNKNOWN
