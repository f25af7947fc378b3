# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The findings in task results. A node's result is untrusted: it may contain anything, so it applies to that node only. No I/O."""

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
"""Maximum characters of a text from a node. A single node must not fill the report of all nodes."""


@dataclass(frozen=True)
class Source:
    """The source of a result. It follows from the inventory and the task, never from the result itself."""

    cluster: str | None
    """The inventory host that represents the cluster; None if the result's host belongs to no cluster."""
    subject: str
    """The instance ID of a node, or the key of a cluster."""
    host: str
    """The inventory host that the task ran for."""
    trusted: bool
    """Whether the result comes from the control node, not from a node of the cluster."""

    def reported(self, found: Finding, *, opening: str = "", task: str = "") -> Reported:
        """Add the source to a finding. ``opening``: the prefix of its text, if the callback writes one."""
        own = self.subject if self.subject != self.cluster else ""
        if self.trusted:
            return Reported(self.subject, dataclasses.replace(found, node=found.node or own), True, opening, task)
        return Reported(self.subject, _shortened(found, node=own), False, opening or f"{self.subject}: ", task)


@dataclass(frozen=True)
class Reported:
    """A finding and its source."""

    host: str
    """The node or cluster that the result is about."""
    finding: Finding
    trusted: bool
    opening: str = ""
    """A prefix with the name of the host; empty if the text itself names the host."""
    task: str = ""
    """The name of the failed task; empty if no task failed."""

    @property
    def shown(self) -> str:
        return f"{self.opening}{self.finding.text}"

    @property
    def in_brief(self) -> str:
        """The text without the node's own values. The text about a failed task includes the task's name."""
        text = self.finding.brief or self.finding.text
        return f"{self.task}: {text}" if self.task else text

    @property
    def sort(self) -> tuple[bool, str, str, str, str]:
        """The key that groups the same finding of several nodes. Findings of nodes and of the control node have different keys."""
        return self.trusted, self.finding.kind, self.finding.code, self.finding.subject, self.task

    @property
    def identity(self) -> tuple[str, ...]:
        """The key that is equal if several sources report the same finding."""
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
    """The entries of a list that have the form of a finding, with printable texts and known codes."""
    entries = value if isinstance(value, (list, tuple)) else ()
    return [found for each in entries for found in [finding_of(each)] if found]


def finding_of(value: t.Any) -> Finding | None:
    """The finding in a value; None if the value is not a finding, or has no text."""
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
    """The finding about a failed task. ``reason``: its text. Code, subject and next step come from the module's ``result``."""
    described = result.get(WHY)
    given = finding_of({**described, "text": reason}) if isinstance(described, t.Mapping) else None
    if given is None or given.kind != FAILURE:
        return failure(TASK_FAILED, reason)
    return failure(given.code, reason, subject=given.subject, next_step=given.next_step)


def _code(value: t.Any) -> str:
    return value if isinstance(value, str) and value in CODES else UNKNOWN
