# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The job as the module returns it."""

from __future__ import annotations

import dataclasses
import typing as t

from .denials import why as why_denied
from .difference import masked
from .model import ADMITTED, Desired, State
from .proof import placement, table
from .reasons import came_back, next_step, waiting
from .stages import WAITING, at_work, expected, failure_of, stage_of
from .survey import Found

NOTHING: dict[str, t.Any] = {"verdict": "", "told": "", "podsets": [], "rows": [], "table": []}


def result(desired: Desired, state: State) -> dict[str, t.Any]:
    job = desired.rendered
    now = stage_of(desired, state)
    why = _why(state, now)
    return {
        "job": {
            "api_version": job.kind.api_version,
            "kind": job.kind.name,
            "namespace": job.namespace,
            "name": job.name,
            "queue": job.queue,
            "hash": job.hash,
            "state": now,
            "why": why,
            "pods": expected(desired, state),
            "at_work": at_work(state),
            "workload": state.workload.name if state.workload else "",
        },
        "manifest": masked(job.manifest),
        "notes": [*job.notes, *filter(None, [job.reach, job.runtime, desired.vanishing]), *_came_back(job.described, state)],
        "placement": placed(desired, state),
    }


def _why(state: State, now: str) -> str:
    """Why the job waits, has no Pods, or has failed."""
    if now == WAITING:
        return f"{waiting(state.workload, state.layers)}. {next_step(state.workload)}"
    if now == "failed":
        return failure_of(state.job or {})
    denial = why_denied(state.denied) if now == ADMITTED else None
    return f"{denial.text}. {denial.step}" if denial else ""


def _came_back(job: str, state: State) -> list[str]:
    back = came_back(state.workload)
    return [f"{job} {back}."] if back else []


def placed(desired: Desired, state: State) -> dict[str, t.Any]:
    if state.job is None or (not state.pods and state.workload is None):
        return NOTHING
    found = placement(desired.rendered.podsets, state)
    podsets = [
        {
            "name": each.name,
            "mode": each.mode,
            "level": each.level,
            "verdict": each.verdict,
            "domains": [{"domain": name, "pods": count} for name, count in each.domains],
        }
        for each in found.podsets
    ]
    rows = list(map(dataclasses.asdict, found.rows))
    back = came_back(state.workload)
    text = f"{found.described}; the job {back}" if found.described and back else found.described
    return {"verdict": found.verdict, "told": text, "podsets": podsets, "rows": rows, "table": table(found.rows)}


def surveyed(found: Found) -> dict[str, t.Any]:
    """One job of the survey, as the module returns it."""
    whole = result(found.desired, found.state)
    return {**whole["job"], "ours": bool(found.state.hash), "problem": found.problem, "placement": whole["placement"]}
