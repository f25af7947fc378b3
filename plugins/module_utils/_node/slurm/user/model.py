# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""One person in Slurm: desired and observed. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...._core.finding import Finding

_ENDING = "COMPLETING"
JOB_ID = re.compile(r"([0-9]+)(?:_[0-9]+|_\[[0-9,:%.-]+\]|\+[0-9]+)?")
"""A job, one or several of an array, or a part of a heterogeneous job."""


@dataclass(frozen=True)
class Desired:
    name: str
    uid: int | None
    cancel: bool
    timeout: int
    other_uids: tuple[int, ...] = ()


@dataclass(frozen=True)
class Job:
    id: str
    state: str
    partition: str
    nodes: str
    name: str = ""

    @property
    def number(self) -> str:
        """What all of an array, or of a heterogeneous job, has in common."""
        found = JOB_ID.fullmatch(self.id)
        if found is None:
            raise ValueError(f"{self.id!r} is not a job ID")
        return found.group(1)


@dataclass(frozen=True)
class State:
    """``accounting``: unused (the cluster keeps none), absent, present, or unknown (it does not answer)."""

    jobs: tuple[Job, ...] = ()
    accounting: str = "unused"
    accounts: tuple[str, ...] = ()
    unread: tuple[Finding, ...] = ()
    """Failed queries."""

    @property
    def active(self) -> tuple[Job, ...]:
        """Without those that are over and only being cleared away."""
        return tuple(job for job in self.jobs if job.state != _ENDING)
