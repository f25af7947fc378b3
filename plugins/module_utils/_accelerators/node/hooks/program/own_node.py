# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The Slurm node of this machine. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import os
import socket
import time
from dataclasses import dataclass

from ....._node.slurm.nodes.model import DRAINING, OF_HEALTH
from ....._node.system import run
from . import brake
from .brake import Member
from .verdict import Verdict

SECONDS = 3.0
"""The time limit of all Slurm commands together, in seconds."""
_DRAIN, _RESUME = "state=drain", "state=resume"


@dataclass(frozen=True)
class Reported:
    """The update of the node in Slurm, and why the node was not drained."""

    values: tuple[str, ...] = ()
    held: str = ""


def name() -> str:
    """The node's name in Slurm, from slurmd or otherwise from the host name."""
    return os.environ.get("SLURMD_NODENAME") or socket.gethostname().partition(".")[0]


def change(node: Member, found: Verdict) -> tuple[str, ...]:
    """The update for the node in Slurm; empty if none is needed, or if its drain or reason is not from this collection."""
    drained, by_us = node.state in DRAINING, node.reason.startswith(OF_HEALTH)
    if found.unfit:
        reason = f"{OF_HEALTH}{found.unfit}"
        is_set = drained and node.reason == reason
        return () if is_set or not (by_us or not (drained or node.reason)) else (_DRAIN, f"reason={reason}")
    return (_RESUME,) if found.fit and drained and by_us else ()


def report(found: Verdict) -> Reported:
    """Update the node in Slurm. The limit of ``brake`` does not apply to a node that is already drained.

    :raises CommandFailed: if Slurm does not reply in time.
    """
    own, until = name(), time.monotonic() + SECONDS
    before = _members(until)
    node = next((each for each in before if each.name == own), None)
    if node is None:
        return Reported(held="Slurm does not list the node" if found.log_led else "")
    held = brake.held(before, own) if found.unfit and node.state not in DRAINING else ""
    values = () if held else change(node, found)
    if values:
        _update(own, values, until)
    if values[:1] == (_DRAIN,) and node.state not in DRAINING and brake.undone(before, _members(until), own):
        _update(own, (_RESUME,), until)
        return Reported(held="other nodes of the partition were drained because of their accelerators at the same moment")
    return Reported(values, held)


def _members(until: float) -> list[Member]:
    command = ("sinfo", "--all", "--Node", "--noheader", f"--format={brake.FORMAT}")
    return brake.parse(run(command, timeout=_left(until)).stdout)


def _update(own: str, values: tuple[str, ...], until: float) -> None:
    run(["scontrol", "update", f"nodename={own}", *values], timeout=_left(until))


def _left(until: float) -> float:
    return max(until - time.monotonic(), 0.1)
