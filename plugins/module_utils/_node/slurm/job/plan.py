# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The plan from the observed jobs to the desired job. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

from dataclasses import replace

from ...._core.failure import Refused, refuse_shown
from ...._core.plan import Change, Plan, Step
from ...._core.text import lines_of, printable
from .checks import check
from .model import ABSENT, QUERY, Desired, Job, State

SUBMIT, CANCEL = "sbatch", "scancel"


def plan(desired: Desired, state: State) -> Plan:
    """:raises Refused: if a different job has the name, or if Slurm would ignore the required placement."""
    if desired.state == QUERY:
        return Plan()
    return _absent(desired, state) if desired.state == ABSENT else _present(desired, state)


def _present(desired: Desired, state: State) -> Plan:
    current = state.current
    if current is not None and current.hash == desired.hash:
        return Plan()
    _check_ours(desired, state, "a different name, or replace=true with force=true, which cancels the job")
    if current is not None and not desired.replace:
        others = "the submitted script, a different name, or replace=true, which cancels the job first if it is pending or running"
        there = f"a change of {desired.described} ({current.id}), which {'is pending or running' if current.live else 'has ended'},"
        refuse_shown("script", there, others, difference(desired, current, state))
    steps = [_cancel(desired, job) for job in state.live]
    notes = check(desired, state.facts)
    change = Change("create", desired.described, None, None, {**desired.defining, "lines": len(lines_of(desired.script))})
    steps.append(Step(SUBMIT, {}, (change,), lambda before: _submitted(desired, before)))
    return Plan(tuple(steps), notes=notes)


def _submitted(desired: Desired, before: State) -> State:
    foreseen = Job(
        id=0,
        uid=desired.uid,
        state="PENDING",
        user=desired.user,
        name=desired.name,
        partition=desired.partition,
        switches=desired.switches,
        switches_wait=min(desired.switches_wait or before.facts.max_switch_wait, before.facts.max_switch_wait),
        placement=desired.placement,
        hash=desired.hash,
    )
    return replace(before, jobs=(*before.jobs, foreseen))


def _absent(desired: Desired, state: State) -> Plan:
    """If one of our jobs exists, even an ended one, other jobs of that name are ignored."""
    ours = [job for job in state.live if job.ours]
    if not any(job.ours for job in state.jobs):
        _check_ours(desired, state, "force=true, which cancels the job")
    going = state.live if desired.force else ours
    return Plan(tuple(_cancel(desired, job) for job in going))


def _check_ours(desired: Desired, state: State, ways: str) -> None:
    foreign = next((job for job in state.live if not job.ours), None)
    allowed = desired.force and (desired.replace or desired.state == ABSENT)
    if foreign is not None and not allowed:
        problem = f"{desired.described} already exists ({foreign.id}), and this module did not submit it"
        raise Refused(f"{problem}. Allowed: {ways}.", option="name")


def _cancel(desired: Desired, job: Job) -> Step:
    change = Change("delete", f"{desired.described} ({job.id})", None, {"state": job.state, "nodes": list(job.nodes)}, None)
    return Step(CANCEL, {"id": job.id}, (change,), lambda before: _cancelled(before, job.id))


def _cancelled(before: State, number: int) -> State:
    return replace(before, jobs=tuple(replace(job, state="CANCELLED") if job.id == number else job for job in before.jobs))


def difference(desired: Desired, current: Job, state: State) -> str:
    """Differences between a job and the options, as a clause. Script lines may contain secrets, so only a line number is shown."""
    names = ("partition", "placement", "switches")
    wanted = {"nodes": desired.nodes, **{name: getattr(desired, name) for name in names}}
    there = {"nodes": current.size, **{name: getattr(current, name) for name in names}}
    compared = [name for name in wanted if wanted[name] != there[name] and wanted[name]]
    differences = [f"{name} is {printable(there[name] or 'none')} and would be {wanted[name]}" for name in compared if current.live]
    if state.script is not None and state.script != desired.script:
        differences.append(f"its script differs from line {_first_other(state.script, desired.script)} on")
    return ", ".join(differences) or "it was submitted with a different script or with different options"


def _first_other(there: str, wanted: str) -> int:
    pairs = zip(lines_of(there), lines_of(wanted))
    same = next((number for number, (a, b) in enumerate(pairs, 1) if a != b), 0)
    return same or min(len(lines_of(there)), len(lines_of(wanted))) + 1
