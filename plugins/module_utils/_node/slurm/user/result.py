# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""What ``slurm_user`` returns. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import typing as t
from dataclasses import asdict

from .model import Desired, State


def result(desired: Desired, state: State) -> dict[str, t.Any]:
    report = {"pending": pending(desired, state), "notes": notes(desired, state)}
    return {"slurm_user": _to_result(state), "hyperpod_report": report}


def pending(desired: Desired, state: State) -> list[str]:
    """What is not done in ``state``, the one after the plan."""
    sentences = list(state.unread)
    if desired.cancel and state.active:
        listed = ", ".join(job.id for job in state.active)
        sentences.append(f"Jobs of {desired.name} have not ended within {desired.timeout} s: {listed}.")
    if state.accounting == "present":
        sentence = f"The Slurm account of {desired.name} stays while there are jobs; run again when they are over."
        sentences.append(sentence)
    return sentences


def notes(desired: Desired, state: State) -> list[str]:
    if desired.cancel or not state.active:
        return []
    listed = ", ".join(f"{job.id} ({job.state.lower()} in {job.partition}: {job.name})" for job in state.active)
    return [f"Jobs of {desired.name} go on: {listed}."]


def _to_result(state: State) -> dict[str, t.Any]:
    return {
        "jobs": [asdict(job) for job in state.jobs],
        "accounting": state.accounting,
        "accounts": list(state.accounts),
    }
