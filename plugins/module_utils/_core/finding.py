# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Results of a module other than changes: pending items, failures and notes.

Modules return findings as ``hyperpod_findings``; reports, metrics and exit statuses are made of them. Code counts and
compares codes and subjects, and never reads the text.
Standard library only, Python 3.9 syntax: this file also runs on cluster nodes.
"""

from __future__ import annotations

import dataclasses
import typing as t
from dataclasses import dataclass

RESULT = "hyperpod_findings"
"""The return value."""
WHY = "hyperpod_failure"
"""Return value of a failed module, in addition to ``msg``: the finding with the reason."""

PENDING, FAILURE, NOTE = "pending", "failure", "note"
KINDS = (FAILURE, PENDING, NOTE)
"""From worst to best."""

INFO, WARNING, ERROR = "info", "warning", "error"
SEVERITIES = (INFO, WARNING, ERROR)


@dataclass(frozen=True)
class Finding:
    """One thing that was found on the host that the result is from."""

    kind: str
    """One of ``KINDS``: pending is for a later run, a failure is for a person, a note changes no verdict."""
    code: str
    """What it is, in lower case with hyphens. Stable; docs/reference/findings.md lists all."""
    text: str
    """One sentence for the operator."""
    severity: str
    subject: str = ""
    """The user or resource on the host that it is about; empty for the host itself."""
    next_step: str = ""
    """What the operator can do, if anything."""
    node: str = ""
    """The node's instance ID in findings of modules on the controller; findings of a module on a node are about that node."""
    brief: str = ""
    """The text without what only this node has, for one line about many nodes; empty if the text has nothing of the node."""

    def __str__(self) -> str:
        return self.text

    def to_result(self) -> dict[str, str]:
        return dataclasses.asdict(self)


def pending(code: str, text: str, *, subject: str = "", node: str = "", brief: str = "", next_step: str = "") -> Finding:
    """Something waits: for a node, a mount, a window. A later run does it."""
    return Finding(PENDING, code, text, WARNING, subject, next_step, node, brief)


def failure(code: str, text: str, *, subject: str = "", node: str = "", brief: str = "", next_step: str = "") -> Finding:
    """Something is wrong, and no later run mends it."""
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
    """As part of the return values of a module that fails. The text is ``msg``, and is shown once."""
    return {WHY: {name: getattr(found, name) for name in ("kind", "code", "severity", "subject", "next_step")}}


def to_result(findings: t.Iterable[Finding]) -> dict[str, list[dict[str, str]]]:
    """As part of a module's return values."""
    return {RESULT: [each.to_result() for each in findings]}
