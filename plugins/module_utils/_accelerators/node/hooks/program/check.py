# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The HealthCheckProgram: assesses the node, and drains or resumes it in Slurm. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import fcntl
import time

from ....._core.files import locked
from . import hurry, own_node, verdict
from .here import Here
from .node_check import NodeCheck
from .own_node import Reported

LOOK_SECONDS = 5.0
SECONDS = 9.0
"""The time limit of the whole program, in seconds."""


def check(here: Here) -> Reported:
    """Check the node, and update it in Slurm. Another check may be running, because slurmd also starts one when slurmd starts."""
    with locked(here.lock, fcntl.flock, timeout=0, message="Another check of this node is running."):
        node = NodeCheck(here, tools=hurry.CHECKED, seconds=LOOK_SECONDS)
        found = verdict.verdict(node.health, time.time())
        verdict.save(found, here.verdict)
        node.remember()
        return own_node.report(found)
