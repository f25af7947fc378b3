# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""A job as it is asked for, and jobs as Slurm has them. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import hashlib
import json
import typing as t
from dataclasses import dataclass

PRESENT, ABSENT, QUERY = "present", "absent", "query"
REQUIRED, PREFERRED, NONE = PLACEMENTS = ("required", "preferred", "none")
STAGES = (NONE, "running", "finished")
"""What may be waited for."""
OURS = "mlfleet.hyperpod"
"""What the comment of a job of ours begins with; its placement and its hash follow."""
LONGEST_WAIT = 604_800
"""Seconds: 7 days. How long a required job asks Slurm to wait for its switches, unless somebody says it."""
MAX_SWITCH_WAIT = 300
"""Seconds: what Slurm's max_switch_wait is by default. Source: slurm.conf(5)."""
TREE = "tree"
"""Slurm has a tree of switches; with anything else it does not look at the wish. Source: sbatch(1), --switches."""

WAITING = ("PENDING", "CONFIGURING", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT", "RESV_DEL_HOLD", "EXPEDITING")
LIVE = (*WAITING, "RUNNING", "SUSPENDED", "STOPPED", "RESIZING", "SIGNALING", "STAGE_OUT")
ENDING = "COMPLETING"


@dataclass(frozen=True)
class Desired:
    state: str
    name: str
    user: str
    uid: int
    script: str = ""
    nodes: int = 1
    partition: str = ""
    working_directory: str = ""
    placement: str = NONE
    switches: int = 0
    """Most leaf switches; 0 where the placement is none."""
    switches_wait: int = 0
    """Seconds; 0 for as long as Slurm allows."""
    leaves: int = 0
    """Leaf switches above all nodes, as somebody else tells; 0 where nobody does."""
    replace: bool = False
    force: bool = False

    @property
    def described(self) -> str:
        return f"job {self.name} of {self.user}"

    @property
    def defining(self) -> dict[str, t.Any]:
        """What makes it another job, without its script."""
        names = ("nodes", "partition", "working_directory", "placement", "switches", "switches_wait")
        return {name: getattr(self, name) for name in names}

    @property
    def hash(self) -> str:
        text = json.dumps({**self.defining, "script": self.script}, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    @property
    def comment(self) -> str:
        return f"{OURS}:{self.placement}:{self.hash}"


@dataclass(frozen=True)
class Job:
    id: int
    """0 for one that is not submitted yet."""
    uid: int
    state: str
    """In Slurm's words, such as PENDING."""
    user: str = ""
    name: str = ""
    reason: str = ""
    """Why it waits, or how it has ended, in Slurm's words."""
    nodes: tuple[str, ...] = ()
    size: int = 0
    """Nodes that it is to have; 0 where that is not told."""
    partition: str = ""
    switches: int = 0
    switches_wait: int = 0
    """Seconds, as Slurm has cut it down."""
    placement: str = ""
    """required, preferred or none; empty for a job of somebody else."""
    hash: str = ""

    @property
    def ours(self) -> bool:
        return bool(self.hash)

    @property
    def live(self) -> bool:
        return self.state in LIVE

    @property
    def cancelled(self) -> bool:
        return self.state.startswith("CANCELLED")

    @property
    def stage(self) -> str:
        """waiting, running, ending, succeeded, failed or cancelled."""
        if self.state in WAITING:
            return "waiting"
        if self.live:
            return "running"
        if self.cancelled:
            return "cancelled"
        return {ENDING: "ending", "COMPLETED": "succeeded"}.get(self.state, "failed")


@dataclass(frozen=True)
class Facts:
    """What Slurm has of what a wish for switches needs."""

    max_switch_wait: int = MAX_SWITCH_WAIT
    plugin: str = ""
    """As slurm.conf has it, such as topology/tree."""
    topology: str = ""
    """tree, block, or empty for none."""


@dataclass(frozen=True)
class State:
    jobs: tuple[Job, ...] = ()
    """Of the user, with the name, the newest last."""
    facts: Facts = Facts()
    script: str | None = None
    """Of the job that is there, as far as Slurm tells."""

    @property
    def live(self) -> tuple[Job, ...]:
        return tuple(job for job in self.jobs if job.live)

    @property
    def current(self) -> Job | None:
        """The one of ours that has the name: a live one, else the last that has ended. One that was cancelled is gone."""
        ours = [job for job in self.jobs if job.ours and not job.cancelled]
        live = [job for job in ours if job.live]
        return _last(live) or _last(ours)

    @property
    def shown(self) -> Job | None:
        """The one to tell of: also one that was cancelled, or is somebody else's, where there is nothing else."""
        return self.current or _last([job for job in self.jobs if job.ours]) or _last(self.jobs)


def _last(jobs: t.Sequence[Job]) -> Job | None:
    return jobs[-1] if jobs else None
