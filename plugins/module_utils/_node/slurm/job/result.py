# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The return values of ``slurm_job``. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import typing as t

from .model import ABSENT, Desired, Job, State
from .reasons import why


def result(desired: Desired, state: State) -> dict[str, t.Any]:
    """The selected job. With state absent, a job that has ended is returned as absent."""
    job = state.shown
    gone = job is None or (desired.state == ABSENT and not job.live)
    shown = Job(0, desired.uid, "") if job is None or gone else job
    named = {"name": desired.name, "user": desired.user}
    return {"job": {**to_result(shown), **named, **({"state": "absent", "why": ""} if gone else {})}}


def to_result(job: Job) -> dict[str, t.Any]:
    return {
        "id": job.id,
        "name": job.name,
        "user": job.user,
        "ours": job.ours,
        "state": job.stage,
        "slurm_state": job.state,
        "why": why(job),
        "nodes": list(job.nodes),
        "partition": job.partition,
        "placement": job.placement,
        "switches": job.switches,
        "switches_wait": job.switches_wait,
        "hash": job.hash,
    }
