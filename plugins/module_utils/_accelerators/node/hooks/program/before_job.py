# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The check before a job. Standard library only, Python 3.9 syntax.

Slurm drains a node whose prolog fails, and holds the job. Therefore, only proven faults count.
"""

from __future__ import annotations

import time

from . import hurry, verdict
from .here import Here
from .node_check import NodeCheck
from .verdict import Verdict

LOOK_SECONDS = 3.0
SECONDS = 7.5
"""The time limit of the whole program, in seconds. By default, slurmctld waits for 10 s."""


def before_job(here: Here) -> Verdict:
    """The verdict of a recent check if that check found the node unfit; otherwise, the verdict of a new check."""
    last = verdict.load(here.verdict, time.time())
    if last and last.unfit:
        return last
    return verdict.verdict(NodeCheck(here, tools=hurry.BEFORE_A_JOB, seconds=LOOK_SECONDS).health, time.time())
