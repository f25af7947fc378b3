# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Whether a test may load nodes now, from their state in Slurm. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import time

from ...._core.text import printable
from ...._node.slurm.nodes import observe as slurm
from ...._node.slurm.nodes.model import QUERY, Desired as Question, State
from .model import ALLOCATION, JOBS, NOT_RUN, Desired, Outcome

IDLE, ENDS = ("idle",), "completing"
SHARED = (*IDLE, "mixed", "allocated", ENDS)
POLL_SECONDS = 2.0


def observe(desired: Desired) -> State:
    """The state in Slurm, after jobs that are completing have ended: the previous test may still be in clean-up.

    :raises CommandFailed: if Slurm does not reply.
    """
    deadline = time.monotonic() + desired.queue_timeout
    while True:
        state = slurm.observe(Question(QUERY, desired.addresses))
        if not _completing(state) or time.monotonic() >= deadline:
            return state
        time.sleep(POLL_SECONDS)


def _completing(state: State) -> bool:
    """Whether only completing jobs keep the nodes from being idle."""
    jobs = all(job.state == "COMPLETING" for job in state.jobs)
    return jobs and all(node.state in (*IDLE, ENDS) for node in state.nodes) and any(node.state == ENDS for node in state.nodes)


def refusal(desired: Desired, state: State) -> Outcome | None:
    """Why the test can't start; None if it can."""
    names = tuple(node.name for node in state.nodes)
    if state.unknown:
        return Outcome(NOT_RUN, f"Slurm has no nodes with these addresses: {', '.join(state.unknown)}.", ALLOCATION, names)
    if state.jobs and not desired.beside_jobs:
        listed = ", ".join(f"{job.id} of {job.user} on {','.join(job.nodes)}" for job in state.jobs[:5])
        return Outcome(NOT_RUN, printable(f"Jobs run on the nodes: {listed}."), JOBS, names)
    allowed = SHARED if desired.beside_jobs else IDLE
    others = [f"{node.name} is {node.state}" for node in state.nodes if node.state not in allowed]
    if others:
        text = printable(f"The state of nodes in Slurm does not allow the test: {', '.join(others[:5])}.")
        return Outcome(NOT_RUN, text, ALLOCATION, names)
    return None
