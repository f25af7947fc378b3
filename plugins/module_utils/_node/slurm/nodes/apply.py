# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Executes the plan for Slurm nodes. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import time
import typing as t

from ...._core.failure import Refused
from ...._core.plan import Step
from ...system import CommandFailed, run
from .model import Job
from .observe import jobs_on, listed_nodes

_AT_ONCE = 200
_HEARS_SECONDS = 60.0
"""Seconds of retries. After slurmctld has started, it refuses to resume a drained node until the node has registered."""
_POLL_SECONDS = 2.0


def apply(step: Step) -> None:
    """:raises Refused: if a repair would be requested for nodes with jobs."""
    names = step.arguments["names"]
    if "state=fail" in step.arguments["values"]:
        _refuse_jobs(jobs_on(names))
    for begin in range(0, len(names), _AT_ONCE):
        _update(names[begin : begin + _AT_ONCE], step.arguments["values"])


def _refuse_jobs(jobs: t.Sequence[Job]) -> None:
    """HyperPod's reboot does not wait for jobs."""
    if jobs:
        listed = ", ".join(f"{job.id} of {job.user}" for job in jobs)
        raise Refused(f"There are jobs on the nodes: {listed}. Nothing was changed. Drain the nodes first.", code="jobs-running")


def _update(names: t.Sequence[str], values: t.Sequence[str]) -> None:
    deadline = time.monotonic() + _HEARS_SECONDS
    while names:
        try:
            run(["scontrol", "update", f"nodename={','.join(names)}", *values], timeout=60)
            return
        except CommandFailed:
            if "state=resume" not in values or time.monotonic() > deadline:
                raise
        time.sleep(_POLL_SECONDS)
        names = [node.name for node in listed_nodes() if node.name in names and node.drained]
