# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Assesses a test. No I/O. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import typing as t
from dataclasses import replace

from ...._core.text import lines_of
from . import faults, logs
from .model import (
    FAILED,
    HARDWARE,
    IMAGE,
    NO_EFA,
    NOT_RUN,
    OUTPUT,
    PASSED,
    SLOW,
    SOCKETS,
    TIMEOUT,
    UNCLEAR,
    UNPROVEN,
    WRONG_VALUES,
    Desired,
    Outcome,
    Ran,
    Reference,
    Table,
)
from .programs import FOUND
from .references import reference
from .table import table, unlabelled

_MOST_WORDS = 5


def judge(desired: Desired, ran: Ran) -> Outcome:
    lines = [unlabelled(line) for line in lines_of(ran.text)]
    measured, log = table(lines), logs.log(lines)
    seen = Outcome(
        NOT_RUN,
        "",
        program=next((line[len(FOUND) :].strip() for line in lines if line.startswith(FOUND)), ""),
        rows=measured.rows,
        carried_by=logs.carried_by(log, nodes=desired.nodes),
        gpu_direct=log.gpu_direct,
        evidence=log.evidence,
    )
    wrong = max([measured.out_of_bounds or 0, *(row.wrong or 0 for row in measured.rows)])
    if wrong:
        return replace(seen, verdict=FAILED, failure=WRONG_VALUES, text=f"The reduction returned wrong values, {wrong} in total.")
    if not _complete(desired, ran, measured):
        return _not_ended(desired, ran, lines, seen)
    if measured.ranks != desired.ranks:
        why = ": the test was built without MPI, or MPI lacks support for Slurm" if desired.mpi else ""
        text = f"{measured.ranks} of {desired.ranks} GPUs took part{why}."
        return replace(seen, failure=IMAGE, text=text)
    return _measured(desired, seen, measured)


def _complete(desired: Desired, ran: Ran, measured: Table) -> bool:
    """A test that fails only in its clean-up is complete."""
    has_row = any(row.bytes == desired.bytes for row in measured.rows)
    return has_row and (ran.status == 0 or (ran.status is not None and measured.out_of_bounds == 0))


def _not_ended(desired: Desired, ran: Ran, lines: t.Sequence[str], seen: Outcome) -> Outcome:
    found = faults.fault(lines)
    words = (*seen.evidence, *faults.last_words(lines, most=_MOST_WORDS))
    if ran.status == 0:
        text = f"The test succeeded, but its table has no row for {desired.bytes} bytes."
        return replace(seen, failure=OUTPUT, text=text, evidence=words)
    if found:
        verdict = FAILED if found.failure == HARDWARE else NOT_RUN
        return replace(seen, verdict=verdict, failure=found.failure, text=found.text, evidence=(found.line, *words))
    if ran.too_much:
        return replace(seen, failure=OUTPUT, text="The test was stopped, because it printed too much.", evidence=words)
    if ran.status is None:
        after = f"the last row of its table is for {seen.rows[-1].bytes} bytes" if seen.rows else "its table has no row"
        hint = "" if desired.nodes == 1 or seen.rows else " Security groups that block EFA may be the cause."
        return replace(
            seen,
            failure=TIMEOUT,
            text=f"The test did not end within {desired.timeout} s: {after}.{hint}",
            evidence=words,
        )
    return replace(seen, failure=UNCLEAR, text=f"The test ended with exit status {ran.status}.", evidence=words)


def _measured(desired: Desired, seen: Outcome, measured: Table) -> Outcome:
    bandwidth = min(row.bandwidth for row in measured.rows if row.bytes == desired.bytes)
    known = _reference(desired)
    floor = round(known.bandwidth * desired.floor_percent / 100, 1) if known else None
    seen = replace(seen, bandwidth=bandwidth, reference=known, floor=floor)
    size = f"{bandwidth:g} GB/s with {desired.bytes} bytes"
    if desired.nodes > 1 and desired.efa and seen.carried_by == SOCKETS:
        return replace(seen, verdict=FAILED, failure=NO_EFA, text=f"Sockets, not EFA, carried the data: {size}.")
    if desired.nodes > 1 and desired.efa and not seen.carried_by:
        return replace(seen, failure=UNPROVEN, text=f"The log does not prove that EFA carried the data: {size}.")
    if floor is not None and bandwidth < floor:
        return replace(seen, verdict=SLOW, text=f"{size}, below {floor:g} GB/s.")
    judged = f"at least {floor:g} GB/s is expected" if floor is not None else "not assessed, because no reference is published"
    return replace(seen, verdict=PASSED, text=f"{size}; {judged}.")


def _reference(desired: Desired) -> Reference | None:
    if desired.reference is not None:
        return Reference(desired.reference, "option reference")
    return reference(desired.instance_type, nodes=desired.nodes, bytes_=desired.bytes, gpus=desired.gpus)
