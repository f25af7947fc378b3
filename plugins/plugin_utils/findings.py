# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings as results have them, read without trust: a node may put anything there. Pure."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.finding import (
    FAILURE,
    KINDS,
    SEVERITIES,
    WARNING,
    WHY,
    Finding,
    failure,
)
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.finding_codes import CODES, TASK_FAILED, UNKNOWN
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.told import one_line

TEXTS = ("text", "subject", "next_step", "node", "brief")


def findings_of(value: t.Any) -> list[Finding]:
    """Those entries that are findings, in printable words and with known codes."""
    entries = value if isinstance(value, (list, tuple)) else ()
    return [found for each in entries for found in [finding_of(each)] if found]


def finding_of(value: t.Any) -> Finding | None:
    """None for what is no finding, or has no text."""
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
    given = finding_of(result.get(WHY))
    if given is None or given.kind != FAILURE:
        return failure(TASK_FAILED, reason)
    return failure(given.code, reason, subject=given.subject, next_step=given.next_step)


def _code(value: t.Any) -> str:
    return value if isinstance(value, str) and value in CODES else UNKNOWN
