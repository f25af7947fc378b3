# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why no test may load a node now, as Slurm and HyperPod tell. Pure."""

from __future__ import annotations

from ..slurm_states import State
from .service import acting

DRAINED = ("drained", "drain")
IDLE = "idle"


def from_a_long_test(hyperpod: str, slurm: State | None) -> str:
    """Of a test outside Slurm, beside which Slurm could start a job: only a node that takes none and has none."""
    why = _occupied(hyperpod, slurm)
    if why or slurm is None or slurm.state in DRAINED:
        return why
    return f"Slurm has it as {slurm.state or 'not known'} and may start a job on it: drain it first"


def from_a_job(hyperpod: str, slurm: State | None) -> str:
    """Of a test that is itself a job of Slurm: only an idle node."""
    why = _occupied(hyperpod, slurm)
    return why if why or slurm is None or slurm.state == IDLE else f"Slurm has it as {slurm.state or 'not known'}"


def _occupied(hyperpod: str, slurm: State | None) -> str:
    if slurm is None:
        return "nobody could ask Slurm whether jobs are on it"
    if slurm.jobs:
        return f"there are jobs on it: {', '.join(slurm.jobs)}"
    return acting(hyperpod, slurm)
