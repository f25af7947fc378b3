# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The result of ``nccl_test``. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import typing as t

from ...._core.finding import Finding, note, pending, to_result
from ...._core.text import printable
from .model import FAILED, NO_EFA, NOT_RUN, PASSED, SLOW, Desired, Outcome

MOST_EVIDENCE, LONGEST = 12, 300
SLOW_CODE, EFA_CODE, FAILED_CODE, NOT_RUN_CODE = "nccl-slow", "nccl-no-efa", "nccl-failed", "nccl-not-run"


def result(desired: Desired, outcome: Outcome) -> dict[str, t.Any]:
    known = outcome.reference
    return {
        "nccl_test": {
            "verdict": outcome.verdict,
            "failure": outcome.failure,
            "text": line(outcome.text),
            "addresses": list(desired.addresses),
            "nodes": [line(name) for name in outcome.nodes],
            "program": line(outcome.program),
            "bytes": desired.bytes,
            "bandwidth": outcome.bandwidth,
            "floor": outcome.floor,
            "reference": {"bandwidth": known.bandwidth, "source": known.source} if known else None,
            "rows": [{"bytes": row.bytes, "bandwidth": row.bandwidth} for row in outcome.rows[:64]],
            "carried_by": outcome.carried_by,
            "gpu_direct": outcome.gpu_direct,
            "evidence": [line(each) for each in dict.fromkeys(outcome.evidence)][:MOST_EVIDENCE],
        },
        **to_result(_findings(outcome)),
    }


def line(text: str) -> str:
    shown = printable(text.strip())
    return shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}…"


def code_of(verdict: str, failure: str) -> str:
    """The code of the finding; empty without a finding."""
    if verdict == FAILED:
        return EFA_CODE if failure == NO_EFA else FAILED_CODE
    return {SLOW: SLOW_CODE, NOT_RUN: NOT_RUN_CODE}.get(verdict, "")


def _findings(outcome: Outcome) -> list[Finding]:
    if outcome.verdict == PASSED:
        return []
    code, subject = code_of(outcome.verdict, outcome.failure), line(", ".join(outcome.nodes))
    text = line(f"NCCL test: {outcome.text}")
    if outcome.verdict == NOT_RUN:
        return [pending(code, text, subject=subject)]
    return [note(code, text, severity="warning", subject=subject)]
