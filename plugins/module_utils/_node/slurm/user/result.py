# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The return values of ``slurm_user``. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import typing as t
from dataclasses import asdict

from ...._core.finding import Finding, note, pending, to_result
from .model import Desired, State


def result(desired: Desired, state: State) -> dict[str, t.Any]:
    return {"slurm_user": _to_result(state), **to_result([*waiting(desired, state), *going_on(desired, state)])}


def waiting(desired: Desired, state: State) -> list[Finding]:
    """Pending items in ``state``, which is the state after the plan."""
    found = list(state.unread)
    if desired.cancel and state.active:
        listed = ", ".join(job.id for job in state.active)
        text = f"Jobs of {desired.name} have not ended within {desired.timeout} s: {listed}."
        found.append(pending("jobs-not-ended", text, subject=desired.name))
    if state.accounting == "present":
        text = f"The Slurm account of {desired.name} stays while there are jobs. Run again after the jobs have ended."
        found.append(pending("slurm-account-stays", text, subject=desired.name))
    return found


def going_on(desired: Desired, state: State) -> list[Finding]:
    if desired.cancel or not state.active:
        return []
    listed = ", ".join(f"{job.id} ({job.state.lower()} in {job.partition}: {job.name})" for job in state.active)
    return [note("jobs-go-on", f"Jobs of {desired.name} continue: {listed}.", subject=desired.name)]


def _to_result(state: State) -> dict[str, t.Any]:
    return {
        "jobs": [asdict(job) for job in state.jobs],
        "accounting": state.accounting,
        "accounts": list(state.accounts),
    }
