# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Submits a job as its user, or cancels a job. An existing job is never changed. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import os
import pwd
import re

from ...._core.failure import Failure
from ...._core.plan import Step
from ...child import Identity
from ...system import CommandFailed, run
from .model import NONE, Desired
from .plan import CANCEL

_SECONDS = 120
_NUMBER = re.compile(r"^(\d+)(?:;\S*)?$", re.M)


class Applier:
    def __init__(self, desired: Desired) -> None:
        self.desired = desired

    def __call__(self, step: Step) -> None:
        """:raises CommandFailed: with Slurm's message, if Slurm refuses the call."""
        if step.operation == CANCEL:
            run(["scancel", "--", str(step.arguments["id"])], timeout=_SECONDS)
        else:
            self._submit()

    def _submit(self) -> None:
        """Submit the job as its user, so that Slurm applies the user's rights. The deprecated --uid would use root's rights."""
        try:
            done = run(command(self.desired), stdin=self.desired.script, timeout=_SECONDS, identity=identity(self.desired.user))
        except CommandFailed as error:
            raise Failure(f"{self.desired.described} was not submitted: {error}") from None
        if not _NUMBER.search(done.stdout):
            raise Failure(f"For {self.desired.described}, sbatch returned no job ID. Check squeue before you run again.")


def command(desired: Desired) -> list[str]:
    """The sbatch command with the options, which override the script's directives. The script itself is sent on standard input, so
    that the process list does not show it.
    """
    asked = f"--switches={desired.switches}" + (f"@{minutes(desired.switches_wait)}" if desired.switches_wait else "")
    return [
        "sbatch",
        "--parsable",
        f"--job-name={desired.name}",
        f"--comment={desired.comment}",
        f"--nodes={desired.nodes}",
        *([f"--partition={desired.partition}"] if desired.partition else []),
        f"--chdir={desired.working_directory}",
        *([asked] if desired.placement != NONE else []),
    ]


def minutes(seconds: int) -> str:
    """A time in Slurm's format MINUTES:SECONDS."""
    return f"{seconds // 60}:{seconds % 60:02}"


def identity(user: str) -> Identity:
    known = pwd.getpwnam(user)
    return Identity(user, known.pw_uid, known.pw_gid, tuple(os.getgrouplist(user, known.pw_gid)))
