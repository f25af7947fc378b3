# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The stage of a job, and whether the job can still advance. No I/O."""

from __future__ import annotations

import typing as t

from ..._core.text import printable
from ..._kubernetes.client import Object
from ..._kubernetes.job_conditions import FAILED, SUCCEEDED, conditions_of, outcome
from .denials import why as why_denied
from .model import ADMITTED, FINISHED, NONE, RUNNING, Desired, State
from .reasons import ADMITTED as IS_ADMITTED, BY_EVICTION, EVICTED, waiting
from .ttl import field_of, seconds_of

WAITING = "waiting"
AT_WORK = ("Running", "Succeeded")
LONGEST = 1000


def failure_of(job: Object) -> str:
    condition = conditions_of(job).get(FAILED.capitalize()) or {}
    words = [printable(condition.get(name) or "")[:LONGEST] for name in ("reason", "message")]
    return ": ".join(filter(None, words)) or "no reason is reported"


def expected(desired: Desired, state: State) -> int:
    """The expected number of Pods, from Kueue if it reports one, otherwise from the manifest; 0 if it is unknown."""
    if state.workload is not None and state.workload.assigned:
        return sum(each.pods for each in state.workload.assigned)
    if state.workload is not None and state.workload.pods:
        return sum(state.workload.pods.values())
    return sum(each.pods or 0 for each in desired.rendered.podsets)


def at_work(state: State) -> int:
    return sum(1 for each in state.pods if each.node and each.phase in AT_WORK)


def is_admitted(state: State) -> bool:
    return state.workload is not None and state.workload.active and state.workload.holds(IS_ADMITTED)


def stage_of(desired: Desired, state: State) -> str:
    """The stage of the job: ``absent`` (also while it is being deleted), ``waiting``, ``admitted``, ``running``, ``succeeded`` or
    ``failed``.
    """
    if state.job is None or state.leaving:
        return "absent"
    ended = outcome(state.job)
    if ended:
        return ended
    if not is_admitted(state):
        return WAITING
    return RUNNING if at_work(state) >= max(1, expected(desired, state)) else ADMITTED


def reached(desired: Desired, state: State, stage: str) -> bool:
    if stage == NONE:
        return state.job is not None
    now = stage_of(desired, state)
    far_enough: dict[str, t.Sequence[str]] = {
        ADMITTED: (ADMITTED, RUNNING, SUCCEEDED),
        RUNNING: (RUNNING, SUCCEEDED),
        FINISHED: (SUCCEEDED,),
    }
    return now in far_enough[stage]


def described(desired: Desired, state: State) -> str:
    now = stage_of(desired, state)
    if now == WAITING:
        return f"waiting ({waiting(state.workload, state.layers)})"
    if now in (ADMITTED, RUNNING):
        denial = why_denied(state.denied) if now == ADMITTED else None
        return f"{now}, {at_work(state)} of {expected(desired, state)} Pods running{f' ({denial.text})' if denial else ''}"
    return now


def why_never(desired: Desired, state: State, before: State) -> str | None:
    """Why the job can't reach any further stage; None if it can.

    :param before: the last state with the job.
    """
    if state.job is None:
        return _why_missing(desired, before)
    if state.uid != before.uid:
        return "it was deleted, and a different job with its name was created"
    if outcome(state.job) == FAILED:
        why = failure_of(state.job)
        return f"it has failed ({why}). An ended job is not run again: check its logs, then submit it under a different name"
    if state.leaving:
        return "it is being deleted"
    if state.workload is not None and not state.workload.active:
        condition = state.workload.conditions.get(EVICTED)
        why = f" ({condition.message})" if condition is not None and condition.message else ""
        step = f"Set spec.active of Workload {state.workload.name} to true, or submit the job again"
        return f"{BY_EVICTION['Deactivated'].text}{why}. {step}"
    return None


def _why_missing(desired: Desired, before: State) -> str:
    """Why the job no longer exists. If Kubernetes removes the job after its end, this is more likely than a deletion by a user."""
    kind = desired.rendered.kind
    seconds = seconds_of(kind, before.job or {})
    if seconds is None:
        return "it or its namespace was deleted. Run again to submit the job again"
    removal = f"it ended and was removed {seconds} s later ({field_of(kind)})"
    if at_work(before):
        again = "Check the job's output first, because another run submits the job again"
        return f"{removal}, so its result is unknown. {again}"
    return f"it or its namespace was deleted, or {removal}. Run again to submit the job again"
