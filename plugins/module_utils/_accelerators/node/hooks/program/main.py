# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Entry point for slurmd. Errors of the program itself are no fault of the node. Standard library only, Python 3.9 syntax."""

# slurmd starts this file as a program, without any module object.
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
"""The argument for the check before a job; the periodic check gets no argument."""
UNFIT = 3
"""The exit status for an unfit node, which differs from those of failed Python programs and shells."""


def run(here: Here, arguments: t.Sequence[str]) -> int:
    """The exit status. Only ``UNFIT`` has a meaning."""
    try:
        if list(arguments) != [PROLOG]:
            _report(check(here))
            return 0
        return _before_a_job(here)
    except Exception as error:  # an unknown node must stay in service
        log(f"The accelerators could not be assessed: {type(error).__name__}: {error}")
        return 0


def _before_a_job(here: Here) -> int:
    """The exit status before a job. A prolog that fails also drains the node, so the limit of ``brake`` applies.

    If the number of drained nodes is unknown, findings from kernel records do not drain the node.
    """
    found = before_job(here)
    if not found.unfit:
        return 0
    try:
        reported = own_node.report(found)
    except (Failure, OSError) as error:
        reported = Reported(held=f"the number of drained nodes in Slurm is unknown ({error})" if found.log_led else "")
    if reported.held:
        log(f"Jobs still start on this unfit node ({found.unfit}): {reported.held}.")
        return 0
    log(f"No job starts on this node: {found.unfit}")
    return UNFIT


def _report(reported: Reported) -> None:
    if reported.values:
        log(f"Updated the node in Slurm: {' '.join(reported.values)}")
    if reported.held:
        log(f"The node is unfit, but was not drained: {reported.held}.")


def log(text: str) -> None:
    """Write to the system log, and print, because slurmd shows the output of a failed prolog."""
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
    """End the program, but not its hanging tools."""
    log("The accelerators could not be assessed in time.")
    os._exit(0)
