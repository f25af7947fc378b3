# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The HealthCheckProgram: judges the node, and drains or resumes it in Slurm. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import fcntl
import time

from ....._core.files import locked
from . import hurry, own_node, verdict
from .here import Here
from .look import Looked
from .own_node import Reported

LOOK_SECONDS = 5.0
SECONDS = 9.0
"""Of all that it does, where what hangs is waited for no longer."""


def check(here: Here) -> Reported:
    """What Slurm was told of the node. slurmd starts it at its own start, too, beside one that may run."""
    with locked(here.lock, fcntl.flock, timeout=0, message="Another check of this node is running."):
        looked = Looked(here, asked=hurry.CHECKED, seconds=LOOK_SECONDS)
        found = verdict.verdict(looked.health, time.time())
        verdict.save(found, here.verdict)
        looked.remember()
        return own_node.tell(found)
