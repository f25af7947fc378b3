# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Before a job: whether something speaks against it. Standard library only, Python 3.9 syntax.

Slurm drains a node whose prolog fails, and holds the job. So this is about what was seen to be bad, and about nothing else.
"""

from __future__ import annotations

import time

from . import hurry, verdict
from .here import Here
from .look import Looked
from .verdict import Verdict

LOOK_SECONDS = 3.0
SECONDS = 7.5
"""Of all that it does: by default slurmctld waits for 10 s."""


def before_job(here: Here) -> Verdict:
    """By the last check, if that was a moment ago and found the node unfit; else by what is seen now."""
    last = verdict.load(here.verdict, time.time())
    if last and last.unfit:
        return last
    return verdict.verdict(Looked(here, asked=hurry.BEFORE_A_JOB, seconds=LOOK_SECONDS).health, time.time())
