# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why no test may load a node now, by its states in Slurm and HyperPod. Pure."""

from __future__ import annotations

from ..slurm_states import State
from .service import acting

DRAINED = ("drained", "drain")
IDLE = "idle"


def from_a_long_test(hyperpod: str, slurm: State | None) -> str:
    """For a test outside Slurm, during which Slurm could start a job: the node must be drained and have no jobs."""
    why = _occupied(hyperpod, slurm)
    if why or slurm is None or slurm.state in DRAINED:
        return why
    return f"its state in Slurm is {slurm.state or 'unknown'}, so a job may start on it: drain it first"


def from_a_job(hyperpod: str, slurm: State | None) -> str:
    """For a test that is a Slurm job itself: the node must be idle."""
    why = _occupied(hyperpod, slurm)
    return why if why or slurm is None or slurm.state == IDLE else f"its state in Slurm is {slurm.state or 'unknown'}"


def _occupied(hyperpod: str, slurm: State | None) -> str:
    if slurm is None:
        return "Slurm could not be queried for jobs on it"
    if slurm.jobs:
        return f"there are jobs on it: {', '.join(slurm.jobs)}"
    return acting(hyperpod, slurm)
