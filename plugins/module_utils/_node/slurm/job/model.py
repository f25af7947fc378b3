# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The desired job and the jobs in Slurm. Standard library only, Python 3.9 syntax."""

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
"""Prefix of the comment of our jobs, before placement and hash."""
LONGEST_WAIT = 604_800
"""Seconds: 7 days. Default time that Slurm waits for the switches of a required job."""
MAX_SWITCH_WAIT = 300
"""Seconds: what Slurm's max_switch_wait is by default. Source: slurm.conf(5)."""
TREE = "tree"
"""Slurm has a tree of switches; otherwise it ignores the limit. Source: sbatch(1), --switches."""

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
    """Most leaf switches; 0 with placement none."""
    switches_wait: int = 0
    """Seconds; 0 for as long as Slurm allows."""
    leaves: int = 0
    """Leaf switches above all nodes, from another source than Slurm; 0 if unknown."""
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
    """Number of requested nodes; 0 if unknown."""
    partition: str = ""
    switches: int = 0
    switches_wait: int = 0
    """Seconds, as Slurm has cut it down."""
    placement: str = ""
    """required, preferred or none; empty for a job that this module did not submit."""
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
    """Of the existing job, as far as Slurm reports it."""

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
        """The job to report: a cancelled one or one of others only if there is no other."""
        return self.current or _last([job for job in self.jobs if job.ours]) or _last(self.jobs)


def _last(jobs: t.Sequence[Job]) -> Job | None:
    return jobs[-1] if jobs else None
