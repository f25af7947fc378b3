# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""What slurmd starts. Whatever goes wrong here is no fault of the node. Standard library only, Python 3.9 syntax."""

# slurmd starts it as a program, without any module object.
# pylint: disable=ansible-bad-function

from __future__ import annotations

import os
import signal
import sys
import syslog
import typing as t

from ....._core.failure import Failure
from ....._core.text import printable
from . import own_node
from .before_job import SECONDS as JOB_SECONDS, before_job
from .check import SECONDS as CHECK_SECONDS, check
from .here import Here
from .own_node import Reported

PROLOG = "prolog"
"""The argument of the one that stands before a job; the other one gets none."""
UNFIT = 3
"""Exit status. Python and shells have others where they fail."""


def run(here: Here, arguments: t.Sequence[str]) -> int:
    """The exit status. Only ``UNFIT`` means something."""
    try:
        if list(arguments) != [PROLOG]:
            _report(check(here))
            return 0
        return _before_a_job(here)
    except Exception as error:  # unknown is no reason to take a node out of work
        say(f"The accelerators could not be judged: {type(error).__name__}: {error}")
        return 0


def _before_a_job(here: Here) -> int:
    """A prolog that fails drains the node as well, so the brake holds for it. Where nobody knows how many nodes are drained, what
    records in the kernel's log led to drains none.
    """
    found = before_job(here)
    if not found.unfit:
        return 0
    try:
        reported = own_node.tell(found)
    except (Failure, OSError) as error:
        reported = Reported(held=f"Slurm does not say how many nodes are drained ({error})" if found.log_led else "")
    if reported.held:
        say(f"Jobs go on here, though the node is unfit ({found.unfit}): {reported.held}.")
        return 0
    say(f"No job starts here: {found.unfit}")
    return UNFIT


def _report(reported: Reported) -> None:
    if reported.values:
        say(f"Slurm was told: {' '.join(reported.values)}")
    if reported.held:
        say(f"The node is unfit and was not drained: {reported.held}.")


def say(text: str) -> None:
    """In the system's log; slurmd shows what is printed where the prolog fails."""
    words = printable(text)
    print(words, flush=True)
    syslog.openlog("mlfleet-hyperpod")
    syslog.syslog(syslog.LOG_WARNING, words)


def main() -> t.NoReturn:
    arguments = sys.argv[1:]
    seconds = JOB_SECONDS if arguments else CHECK_SECONDS
    signal.signal(signal.SIGALRM, _late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    sys.exit(run(Here(os.path.dirname(os.path.abspath(sys.argv[0]))), arguments))


def _late(_signal: int, _frame: t.Any) -> t.NoReturn:
    """What hangs is left behind."""
    say("The accelerators could not be judged in time.")
    os._exit(0)
