# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""All pending and running jobs that requested few leaf switches. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import pwd
import typing as t
from dataclasses import replace

from ...._core.text import printable
from ...system import run
from .model import Job
from .observe import parse_pairs, queue, with_comments, with_switches
from .result import to_result


def survey() -> list[dict[str, t.Any]]:
    """:raises CommandFailed: if Slurm does not respond."""
    wishing = [job for job in with_switches(queue()) if job.switches]
    return [to_result(job) for uid in sorted({job.uid for job in wishing}) for job in _of_user(uid, wishing)]


def _of_user(uid: int, wishing: t.Sequence[Job]) -> list[Job]:
    own = [job for job in wishing if job.uid == uid]
    asked = ("squeue", "--noheader", "--all", "--states=all", f"--user={uid}", "--format=%A|%j")
    names = parse_pairs(run(asked, timeout=60, check=False).stdout)
    user = user_of(uid)
    return [replace(job, user=user, name=printable(names.get(job.id, ""))) for job in with_comments(own)]


def user_of(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)
