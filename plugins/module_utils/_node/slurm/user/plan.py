# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The plan to remove a user from Slurm: first the jobs, then the user in accounting. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

from dataclasses import asdict, replace

from ...._core.plan import Change, Plan, Step
from .model import Desired, State

CANCEL, FORGET = "cancel_jobs", "forget_user"


def plan(desired: Desired, state: State) -> Plan:
    steps = []
    if desired.cancel and state.active:
        steps.append(_cancel(desired, state))
    # Slurm does not remove a user who still has jobs.
    if state.accounting == "present" and (desired.cancel or not state.jobs):
        steps.append(_forget(desired, state))
    return Plan(steps=tuple(steps))


def _cancel(desired: Desired, state: State) -> Step:
    changes = tuple(Change("delete", f"job {job.id} of {desired.name}", None, {**asdict(job)}, None) for job in state.active)
    ids = tuple(dict.fromkeys(job.number for job in state.active))
    return Step(CANCEL, {"ids": ids}, changes, effect=lambda state: replace(state, jobs=()))


def _forget(desired: Desired, state: State) -> Step:
    change = Change("delete", f"Slurm account of {desired.name}", None, {"accounts": list(state.accounts)}, None)
    return Step(FORGET, {}, (change,), effect=lambda state: replace(state, accounting="absent", accounts=()))
