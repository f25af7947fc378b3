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
"""The states until which a run can wait."""
OURS = "mlfleet.hyperpod"
"""Prefix of our jobs' comment, before the placement and the hash."""
LONGEST_WAIT = 604_800
"""Maximum of ``switches_wait``, and its default with placement required, in seconds: 7 days."""
MAX_SWITCH_WAIT = 300
"""Slurm's default for ``max_switch_wait``, in seconds. Source: slurm.conf(5)."""
TREE = "tree"
"""The topology with a tree of switches. With any other topology, Slurm ignores the limit. Source: sbatch(1), --switches."""

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
    """Maximum number of leaf switches; 0 with the placement ``none``."""
    switches_wait: int = 0
    """Maximum number of seconds to wait for the switches; 0 for as long as Slurm allows."""
    leaves: int = 0
    """Number of leaf switches above the nodes of the cluster, from a source other than Slurm; 0 if unknown."""
    replace: bool = False
    force: bool = False

    @property
    def described(self) -> str:
        return f"job {self.name} of {self.user}"

    @property
    def defining(self) -> dict[str, t.Any]:
        """The options that identify the job. If one of them changes, it is a different job. The script is not included."""
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
    """0 for a predicted job."""
    uid: int
    state: str
    """Slurm's term, such as PENDING."""
    user: str = ""
    name: str = ""
    reason: str = ""
    """Slurm's term for the reason why the job waits, or how it ended."""
    nodes: tuple[str, ...] = ()
    size: int = 0
    """Number of requested nodes; 0 if unknown."""
    partition: str = ""
    switches: int = 0
    switches_wait: int = 0
    """In seconds, after Slurm has limited the value."""
    placement: str = ""
    """``required``, ``preferred`` or ``none``; empty if this module did not submit the job."""
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
        """``waiting``, ``running``, ``ending``, ``succeeded``, ``failed`` or ``cancelled``, from Slurm's state of the job."""
        if self.state in WAITING:
            return "waiting"
        if self.live:
            return "running"
        if self.cancelled:
            return "cancelled"
        return {ENDING: "ending", "COMPLETED": "succeeded"}.get(self.state, "failed")


@dataclass(frozen=True)
class Facts:
    """Slurm's settings that affect switch limits."""

    max_switch_wait: int = MAX_SWITCH_WAIT
    plugin: str = ""
    """The value of ``TopologyPlugin`` in slurm.conf, such as ``topology/tree``."""
    topology: str = ""
    """The kind of topology that Slurm reports: ``tree`` or ``block``; empty if it reports neither."""


@dataclass(frozen=True)
class State:
    jobs: tuple[Job, ...] = ()
    """The user's jobs of this name, the newest last."""
    facts: Facts = Facts()
    script: str | None = None
    """The script of the existing job; None if Slurm does not return it."""

    @property
    def live(self) -> tuple[Job, ...]:
        return tuple(job for job in self.jobs if job.live)

    @property
    def current(self) -> Job | None:
        """Our job of this name: a pending or running one, otherwise the last one that ended. Cancelled jobs are ignored."""
        ours = [job for job in self.jobs if job.ours and not job.cancelled]
        live = [job for job in ours if job.live]
        return _last(live) or _last(ours)

    @property
    def shown(self) -> Job | None:
        """The job to report. A cancelled job, or a job that is not ours, is reported only if there is no other."""
        return self.current or _last([job for job in self.jobs if job.ours]) or _last(self.jobs)


def _last(jobs: t.Sequence[Job]) -> Job | None:
    return jobs[-1] if jobs else None
