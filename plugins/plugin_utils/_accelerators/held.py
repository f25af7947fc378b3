# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why a test must not load a node now, according to the node's states in Slurm and HyperPod."""

from __future__ import annotations

from ..slurm_states import State
from .service import acting

DRAINED = ("drained", "drain")
IDLE = "idle"


def from_a_long_test(hyperpod: str, slurm: State | None) -> str:
    """Why a test outside Slurm must not start on the node; empty if it may.

    Slurm could start a job during the test, so the node must be drained and have no jobs.
    """
    why = _occupied(hyperpod, slurm)
    if why or slurm is None or slurm.state in DRAINED:
        return why
    return f"the node's state in Slurm is {slurm.state or 'unknown'}, so jobs may start; drain the node first"


def from_a_job(hyperpod: str, slurm: State | None) -> str:
    """Why a test that is itself a Slurm job must not start on the node; empty if it may. The node must be idle."""
    why = _occupied(hyperpod, slurm)
    return why if why or slurm is None or slurm.state == IDLE else f"the node's state in Slurm is {slurm.state or 'unknown'}"


def _occupied(hyperpod: str, slurm: State | None) -> str:
    if slurm is None:
        return "Slurm could not be queried for jobs on the node"
    if slurm.jobs:
        return f"the node has jobs: {', '.join(slurm.jobs)}"
    return acting(hyperpod, slurm)
