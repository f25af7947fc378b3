# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Runs the test. Standard library only, Python 3.9 syntax."""

# Code below the module has no module object, hence no run_command.
# pylint: disable=ansible-bad-function

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import typing as t

from ...._node import system
from ...._node.child import Identity
from .model import Ran

LARGEST = 64 * 1024 * 1024
"""The maximum size of the output, in bytes. A hundred nodes write about ten million."""
ENDS_SECONDS = 10.0
"""Seconds for srun to end its tasks after a signal."""
_POLL_SECONDS = 0.2


def run(
    command: t.Sequence[str], environment: t.Mapping[str, str], *, name: str, seconds: float, identity: Identity | None = None
) -> Ran:
    """
    :param identity: account of srun and the job; by default root.
    :raises CommandFailed: if ``srun`` is not installed.
    """
    program = shutil.which(command[0], path=system.SEARCH_PATH)
    if program is None:
        raise system.CommandFailed(f"{command[0]} is not installed on this node.")
    _lock_memory()
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(
            [program, *command[1:]],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            env={"PATH": system.SEARCH_PATH, "LC_ALL": "C", **environment},
            cwd="/",
            start_new_session=True,
            user=identity.uid if identity else None,
            group=identity.gid if identity else None,
            extra_groups=[] if identity else None,
        )
        try:
            ended = _until(seconds, lambda: process.poll() is not None or _size(out) > LARGEST)
        finally:
            status = process.poll()
            if status is None:
                _end(process, name)
        out.seek(0)
        text = out.read(LARGEST).decode(errors="replace")
        return Ran(text, status, too_much=status is None and ended)


def _end(process: subprocess.Popen[bytes], name: str) -> None:
    """Cancel the job by its name, then end ``srun``. Otherwise, the job would occupy the nodes until its time limit."""
    with contextlib.suppress(system.CommandFailed):
        system.run(["scancel", f"--name={name}"], timeout=30)
    for sent in (signal.SIGTERM, signal.SIGKILL):
        if _until(ENDS_SECONDS, lambda: process.poll() is not None):
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, sent)
    _until(ENDS_SECONDS, lambda: process.poll() is not None)


def _lock_memory() -> None:
    """Remove the limit on locked memory, because EFA locks memory and Slurm passes the limits of srun to the tasks."""
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_MEMLOCK, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def _size(stream: t.BinaryIO) -> int:
    return os.fstat(stream.fileno()).st_size


def _until(seconds: float, done: t.Callable[[], bool]) -> bool:
    deadline = time.monotonic() + seconds
    while not done():
        if time.monotonic() >= deadline:
            return False
        time.sleep(_POLL_SECONDS)
    return True
