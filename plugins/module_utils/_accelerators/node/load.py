# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Whether DCGM tests may load the node now. No I/O. Standard library only, Python 3.9 syntax.

From level 2 on, ``dcgmi diag`` runs work on the GPUs. The test disturbs jobs, and jobs disturb the test. Level 4 turns MIG off.
"""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from .model import Gpu

QUIET = 1
"""The highest level that starts no work on a GPU."""
WITHOUT_MIG = 4
SECONDS: t.Mapping[int, float] = {2: 900.0, 3: 2700.0, 4: 10800.0}
"""The deadline of each level. Observed times with eight GPUs: level 2 up to 11 minutes, level 3 15 minutes, level 4 up to 135
minutes."""
GRACE = 30.0
"""Seconds for ``dcgmi`` to stop the test in its service."""


@dataclass(frozen=True)
class Asked:
    """The requested run of ``dcgmi diag``."""

    level: int = QUIET
    """The level; 0 for no run."""
    held: str = ""
    """Why the caller does not allow a test that loads the node, for example because of a Slurm job; empty if it is allowed."""
    beside_jobs: bool = False

    @property
    def name(self) -> str:
        return f"DCGM level {self.level}"


def why_not(asked: Asked, gpus: t.Sequence[Gpu]) -> str:
    """Why the requested level can't run; empty if it can."""
    if asked.level <= QUIET:
        return ""
    if asked.level >= WITHOUT_MIG and any(gpu.mig for gpu in gpus):
        return "MIG is on, and this level turns it off"
    if asked.beside_jobs:
        return ""
    busy = [index for index, gpu in enumerate(gpus) if gpu.processes]
    if busy:
        return f"there are processes on GPU {', '.join(map(str, busy))}"
    unknown = [index for index, gpu in enumerate(gpus) if gpu.processes is None]
    if unknown:
        return f"the processes on GPU {', '.join(map(str, unknown))} could not be listed"
    return asked.held
