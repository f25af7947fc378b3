# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The results of a module that are not changes: pending items, failures and notes.

Modules return findings as ``hyperpod_findings``. Reports, metrics and exit statuses are derived from findings. Programs
count and compare the codes and subjects of findings, and never interpret their texts.
Standard library only, Python 3.9 syntax: this file also runs on cluster nodes.
"""

from __future__ import annotations

import dataclasses
import typing as t
from dataclasses import dataclass

RESULT = "hyperpod_findings"
"""Name of the return value with all findings."""
WHY = "hyperpod_failure"
"""Name of a failed module's return value with the finding that explains the failure. ``msg`` and ``changes`` accompany it."""

PENDING, FAILURE, NOTE = "pending", "failure", "note"
KINDS = (FAILURE, PENDING, NOTE)
"""All kinds, from worst to best."""

INFO, WARNING, ERROR = "info", "warning", "error"
SEVERITIES = (INFO, WARNING, ERROR)


@dataclass(frozen=True)
class Finding:
    """One result that is not a change, about the host that returned it."""

    kind: str
    """One of ``KINDS``. A later run completes a pending item, a person must act on a failure, and a note changes no verdict."""
    code: str
    """The type of finding, in lower case with hyphens. Codes are stable; docs/reference/findings.md lists all of them."""
    text: str
    """One sentence for the operator."""
    severity: str
    subject: str = ""
    """The user or resource that the finding is about; empty if it is about the host itself."""
    next_step: str = ""
    """What the operator can do, if anything."""
    node: str = ""
    """Instance ID of the node that a module on the control node reports about. Empty in findings of a module on a node,
    which are about that node."""
    brief: str = ""
    """The text without details of one node, so that one line can report many nodes; empty if ``text`` has no such details."""

    def __str__(self) -> str:
        return self.text

    def to_result(self) -> dict[str, str]:
        return dataclasses.asdict(self)


def pending(code: str, text: str, *, subject: str = "", node: str = "", brief: str = "", next_step: str = "") -> Finding:
    """Work that must wait, for example for a node, a mount or a maintenance window, and that a later run completes."""
    return Finding(PENDING, code, text, WARNING, subject, next_step, node, brief)


def failure(code: str, text: str, *, subject: str = "", node: str = "", brief: str = "", next_step: str = "") -> Finding:
    """A problem that later runs do not correct by themselves."""
    return Finding(FAILURE, code, text, ERROR, subject, next_step, node, brief)


def note(
    code: str,
    text: str,
    *,
    severity: str = INFO,
    subject: str = "",
    node: str = "",
    brief: str = "",
    next_step: str = "",
) -> Finding:
    """Information that requires no action."""
    return Finding(NOTE, code, text, severity, subject, next_step, node, brief)


def why(found: Finding) -> dict[str, dict[str, str]]:
    """The finding as a return value of a failed module. ``msg`` already has its text, so the text is omitted here."""
    return {WHY: {name: getattr(found, name) for name in ("kind", "code", "severity", "subject", "next_step")}}


def to_result(findings: t.Iterable[Finding]) -> dict[str, list[dict[str, str]]]:
    """The findings as a return value of a module."""
    return {RESULT: [each.to_result() for each in findings]}
