# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All codes of findings: what programs count and act on. docs/reference/findings.md is written from this table.

A code keeps its meaning for good. What a module or a role tells under a code that is not here counts as ``unknown``.
"""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

FAILURE, PENDING, NOTE = "failure", "pending", "note"


@dataclass(frozen=True)
class Code:
    """One kind of thing that is found."""

    name: str
    kinds: tuple[str, ...]
    """Those that findings of this code may have."""
    says: str
    """What it means, in one sentence."""
    subject: str = ""
    """What a finding's subject is, if it has one."""


UNKNOWN, TASK_FAILED, UNREACHABLE = "unknown", "task-failed", "node-unreachable"
LOCK_HELD, NOT_LOOKED_AT = "lock-held", "not-looked-at"

AREAS: t.Mapping[str, tuple[Code, ...]] = {
    "Every run": (
        Code(TASK_FAILED, (FAILURE,), "A task failed, and its module gave no code of its own.", "task"),
        Code("module-failed", (FAILURE,), "What the module asked for did not work."),
        Code("option-refused", (FAILURE,), "An option or a variable is wrong, and nothing was changed.", "option"),
        Code(UNREACHABLE, (PENDING,), "The node did not answer over SSH or Session Manager."),
        Code(LOCK_HELD, (NOTE,), "Another run holds the lock of the cluster, so this run left it as it is."),
        Code(NOT_LOOKED_AT, (NOTE,), "No task asked AWS or a node about the cluster."),
        Code(UNKNOWN, (FAILURE, PENDING, NOTE), "A result had a code that this table lacks, as of a node that somebody else controls."),
    ),
}

CODES: t.Mapping[str, Code] = {code.name: code for codes in AREAS.values() for code in codes}
