# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Whether nodes may be loaded now, as Slurm tells; pure but for the question. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

from ...._core.text import printable
from ..nodes import observe as slurm
from ..nodes.model import QUERY, Desired as Question, State
from .model import ALLOCATION, JOBS, NOT_RUN, Desired, Outcome

IDLE = ("idle",)
SHARED = (*IDLE, "mixed", "allocated", "completing")


def observe(desired: Desired) -> State:
    """:raises CommandFailed: where Slurm does not answer."""
    return slurm.observe(Question(QUERY, desired.addresses))


def refusal(desired: Desired, state: State) -> Outcome | None:
    """Why nothing is started; None where it may be."""
    names = tuple(node.name for node in state.nodes)
    if state.unknown:
        return Outcome(NOT_RUN, f"Slurm has no node at {', '.join(state.unknown)}.", ALLOCATION, names)
    if state.jobs and not desired.beside_jobs:
        listed = ", ".join(f"{job.id} of {job.user} on {','.join(job.nodes)}" for job in state.jobs[:5])
        return Outcome(NOT_RUN, printable(f"There are jobs on the nodes: {listed}."), JOBS, names)
    allowed = SHARED if desired.beside_jobs else IDLE
    others = [f"{node.name} is {node.state}" for node in state.nodes if node.state not in allowed]
    if others:
        return Outcome(NOT_RUN, printable(f"Slurm gives out idle nodes only: {', '.join(others[:5])}."), ALLOCATION, names)
    return None
