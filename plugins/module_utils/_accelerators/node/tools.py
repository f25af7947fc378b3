# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Runs tools of accelerators, which may hang in the driver forever.

A process in that state (D) survives SIGKILL, and a wait for it would also hang. Therefore, each tool writes to a file, the wait
ends at its deadline, and the tool is not started again while the process exists (``hung_tools``).
Standard library only, Python 3.9 syntax.
"""

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
from dataclasses import dataclass

from ..._node.system import SEARCH_PATH
from .hung_tools import FOLDER, HungTools

PATHS = f"{SEARCH_PATH}:/opt/amazon/efa/bin:/opt/aws/neuron/bin"
"""The last two are the folders of EFA's and Neuron's installers."""
LARGEST = 32 * 1024 * 1024
_POLL_SECONDS = 0.02
_TO_DIE = 1.0
"""Seconds to wait after a SIGKILL."""
_IN_CHROOT = {"SYSTEMD_IGNORE_CHROOT": "1"}
"""Without this variable, systemctl skips queries in a chroot (systemd, ENVIRONMENT.md)."""


class Missing(Exception):
    """The tool was not run, because it is not on this node or a check has no time for it."""


class Hung(Exception):
    """The tool did not end in time.

    :param since: the start of the tool, in seconds of the epoch.
    :param survived: whether the tool survived SIGKILL. Otherwise, it may only have been slow.
    """

    def __init__(self, tool: str, since: float, *, survived: bool) -> None:
        super().__init__(f"{tool} did not end in time")
        self.since = since
        self.survived = survived


@dataclass(frozen=True)
class Answer:
    text: str
    """The standard output of the tool, or its standard error if the output is empty."""
    status: int
    errors: str = ""
    """The standard error of the tool."""


class Tools:
    """The tools of one check.

    :param seconds: the time limit of each tool.
    :param root: the path of the node's root file system. If it is not /, tools run there by chroot.
    :param remembered: the folder with the records of hanging tools.
    :param proc: the path of the node's /proc.
    """

    def __init__(
        self, *, seconds: float, root: str = "/", remembered: str = FOLDER, paths: str = PATHS, proc: str = "/proc"
    ) -> None:
        self._seconds = seconds
        self._root = root.rstrip("/") or "/"
        self._paths = paths
        self._records = HungTools(remembered, proc)
        self._hanging: dict[str, float] = {}

    def run(self, *argv: str, seconds: float | None = None, grace: float = 0) -> Answer:
        """:param grace: seconds after the deadline in which the tool may end by itself and stop work that it started elsewhere."""
        with self._started(argv) as (process, begin, out, errors):
            if not _until(seconds or self._seconds, lambda: process.poll() is not None):
                raise self._hung(argv[0], process, begin, grace=grace)
            printed, complaints = _text(out), _text(errors)
            return Answer(printed or complaints, process.returncode, complaints)

    def first_line(self, *argv: str) -> str:
        """The first line that a tool prints; empty if it ends without output. The tool is then stopped, because it runs forever."""
        with self._started(argv) as (process, begin, out, _errors):
            answered = _until(self._seconds, lambda: process.poll() is not None or "\n" in _text(out))
            text = _text(out)
            hung = self._hung(argv[0], process, begin)
            if not answered:
                raise hung
            return text.partition("\n")[0]

    @contextlib.contextmanager
    def _started(self, argv: t.Sequence[str]) -> t.Iterator[tuple[subprocess.Popen[bytes], float, t.BinaryIO, t.BinaryIO]]:
        command = self._found(argv)
        self._refuse_while_hanging(argv[0])
        begin = time.time()
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
            process = _start(command, out, errors, self._paths)
            self._records.begin(argv[0], process.pid, begin)
            try:
                yield process, begin, out, errors
            finally:
                if process.poll() is not None:
                    self._records.end(argv[0], process.pid)

    def _found(self, argv: t.Sequence[str]) -> list[str]:
        program = self._program(argv[0])
        if program is None:
            raise Missing(f"{argv[0]} is not on this node")
        return [*([] if self._root == "/" else ["chroot", self._root]), program, *argv[1:]]

    def _program(self, tool: str) -> str | None:
        """The tool's path within the root. A link there may point to a path that exists only within the root."""
        if self._root == "/":
            return shutil.which(tool, path=self._paths)
        places = [f"{path}/{tool}" for path in self._paths.split(":")]
        inside = {place: f"{self._root}{place}" for place in places}
        return next((place for place, seen in inside.items() if os.path.islink(seen) or os.access(seen, os.X_OK)), None)

    def _hung(self, tool: str, process: subprocess.Popen[bytes], begin: float, *, grace: float = 0) -> Hung:
        """Stop the tool, and return the error."""
        if grace:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGTERM)
            _until(grace, lambda: process.poll() is not None)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        survived = not _until(_TO_DIE, lambda: process.poll() is not None)
        if survived:
            self._hanging[tool] = begin
        return Hung(tool, begin, survived=survived)

    def _refuse_while_hanging(self, tool: str) -> None:
        """Raise an error if the tool hangs. Another check may be killing it now, so the error is raised only after a short wait."""
        if tool not in self._hanging and self._records.hanging(tool):
            _until(_TO_DIE, lambda: not self._records.hanging(tool))
            left = self._records.hanging(tool)
            self._hanging.update({tool: min(left)} if left else {})
        if tool in self._hanging:
            raise Hung(tool, self._hanging[tool], survived=True)


def children_seconds() -> float:
    """The processor time of all children that have ended, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _start(command: t.Sequence[str], out: t.BinaryIO, errors: t.BinaryIO, paths: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        list(command),
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=errors,
        env={"PATH": paths, "LC_ALL": "C", **_IN_CHROOT},
        cwd="/",
        start_new_session=True,
    )


def _until(seconds: float, done: t.Callable[[], bool]) -> bool:
    deadline = time.monotonic() + seconds
    while not done():
        if time.monotonic() >= deadline:
            return False
        time.sleep(_POLL_SECONDS)
    return True


def _text(stream: t.BinaryIO) -> str:
    stream.seek(0)
    return stream.read(LARGEST).decode(errors="replace")
