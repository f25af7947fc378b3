# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Commands on a node. Standard library only, Python 3.9 syntax."""

# Code below the module has no module object, hence no run_command.
# pylint: disable=ansible-bad-function

from __future__ import annotations

import shutil
import subprocess
import typing as t

from .._core.failure import Failure
from .._core.text import lines_of, printable

SEARCH_PATH = "/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin:/opt/slurm/bin"
"""The last is where HyperPod has Slurm's commands."""


class CommandFailed(Failure):
    """A command on the node ended with an error; the message holds its last line, never its input."""


def run(
    argv: t.Sequence[str], *, stdin: str = "", timeout: float = 30, check: bool = True
) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": SEARCH_PATH, "LC_ALL": "C"}
    program = shutil.which(argv[0], path=SEARCH_PATH)
    if program is None:
        raise CommandFailed(f"{argv[0]} is not installed on this node.")
    try:
        done = subprocess.run(
            [program, *argv[1:]],
            input=stdin.encode(),
            capture_output=True,
            timeout=timeout,
            env=environment,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise CommandFailed(f"{' '.join(argv)} did not end within {timeout:.0f} s.") from None
    # Not as text: that makes line feeds of the carriage returns in somebody's words, and fails at bytes that are none.
    told = subprocess.CompletedProcess(done.args, done.returncode, _text(done.stdout), _text(done.stderr))
    if check and told.returncode != 0:
        raise CommandFailed(f"{' '.join(argv)} failed: {last_line(told.stderr) or f'exit status {told.returncode}'}")
    return told


def last_line(text: str) -> str:
    lines = [line.strip() for line in lines_of(text) if line.strip()]
    return printable(lines[-1]) if lines else ""


def _text(output: bytes) -> str:
    return output.decode(errors="replace")
