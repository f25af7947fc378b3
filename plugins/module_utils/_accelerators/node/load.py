# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Which tests of DCGM may load the node now; pure. Standard library only, Python 3.9 syntax.

From level 2 on, ``dcgmi diag`` works on the GPUs: a job suffers from it, and it suffers from a job. Level 4 turns MIG off.
"""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from .model import Gpu

QUIET = 1
"""The highest level that starts no work on a GPU."""
WITHOUT_MIG = 4
SECONDS: t.Mapping[int, float] = {2: 900.0, 3: 2700.0, 4: 10800.0}
"""The deadline of each level. With eight GPUs, level 2 was seen to take up to 11 minutes, level 3 a quarter of an hour, level 4
up to two hours and a quarter."""
GRACE = 30.0
"""Seconds for ``dcgmi`` to end the test in the service that makes it."""


@dataclass(frozen=True)
class Asked:
    """Of ``dcgmi diag``."""

    level: int = QUIET
    """0 for nothing at all."""
    held: str = ""
    """Why no test may load the node, as somebody else knows: a job that Slurm has on it."""
    beside_jobs: bool = False

    @property
    def name(self) -> str:
        return f"DCGM level {self.level}"


def why_not(asked: Asked, gpus: t.Sequence[Gpu]) -> str:
    """Why the level that is asked for is not made; empty where it may be."""
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
