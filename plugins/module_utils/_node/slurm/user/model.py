# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""One user in Slurm, desired and observed. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...._core.finding import Finding

_ENDING = "COMPLETING"
JOB_ID = re.compile(r"([0-9]+)(?:_[0-9]+|_\[[0-9,:%.-]+\]|\+[0-9]+)?")
"""The ID of a job, of one or several tasks of an array, or of a part of a heterogeneous job."""


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
        """The number that all tasks of an array, or all parts of a heterogeneous job, have in common."""
        found = JOB_ID.fullmatch(self.id)
        if found is None:
            raise ValueError(f"{self.id!r} is not a job ID")
        return found.group(1)


@dataclass(frozen=True)
class State:
    """``accounting``: ``unused`` (the cluster keeps none), ``absent``, ``present`` or ``unknown`` (the database does not reply)."""

    jobs: tuple[Job, ...] = ()
    accounting: str = "unused"
    accounts: tuple[str, ...] = ()
    unread: tuple[Finding, ...] = ()
    """Failed queries."""

    @property
    def active(self) -> tuple[Job, ...]:
        """The jobs that have not ended. Jobs that Slurm is only cleaning up are excluded."""
        return tuple(job for job in self.jobs if job.state != _ENDING)
