# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The Slurm node that this machine is. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import os
import socket

from ....system import run
from ...nodes.model import OF_HEALTH, SlurmNode
from ...nodes.observe import listed_nodes
from .verdict import Verdict

SECONDS = 1.5
"""For each of Slurm's commands."""


def name() -> str:
    """slurmd tells it."""
    return os.environ.get("SLURMD_NODENAME") or socket.gethostname().partition(".")[0]


def change(node: SlurmNode, found: Verdict) -> tuple[str, ...]:
    """What Slurm is to be told of the node; nothing where it is right, or somebody else's matter."""
    ours = node.reason.startswith(OF_HEALTH)
    if found.unfit:
        reason = f"{OF_HEALTH}{found.unfit}"
        told = node.drained and node.reason == reason
        return () if told or not (ours or not (node.drained or node.reason)) else ("state=drain", f"reason={reason}")
    return ("state=resume",) if found.fit and node.drained and ours else ()


def tell(found: Verdict) -> tuple[str, ...]:
    """What Slurm was told.

    :raises CommandFailed: where it does not answer in time.
    """
    own = name()
    nodes = [each for each in listed_nodes(own, seconds=SECONDS) if each.name == own]
    values = change(nodes[0], found) if nodes else ()
    if values:
        run(["scontrol", "update", f"nodename={own}", *values], timeout=SECONDS)
    return values
