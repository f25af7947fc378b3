# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Tools of accelerators, which may hang in the driver for good.

A process in such a state (D) does not end by SIGKILL, and whoever waits for it hangs with it. So each tool writes into a file,
nobody waits for it after its deadline, and as long as it is there it is not started again (``hung_tools``).
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
"""The last two are where the installers of EFA and Neuron have their programs."""
LARGEST = 32 * 1024 * 1024
_LOOKS_EVERY = 0.02
_TO_DIE = 1.0
"""Seconds after a SIGKILL."""
_IN_CHROOT = {"SYSTEMD_IGNORE_CHROOT": "1"}
"""Else systemctl asks nobody where its root is another one than that of the first process (systemd, ENVIRONMENT.md)."""


class Missing(Exception):
    """The tool is not on this node."""


class Hung(Exception):
    """The tool did not come back.

    :param since: When it was started, in seconds of the epoch.
    :param survived: SIGKILL does not end it. Otherwise it may only have been slow.
    """

    def __init__(self, tool: str, since: float, *, survived: bool) -> None:
        super().__init__(f"{tool} does not come back")
        self.since = since
        self.survived = survived


@dataclass(frozen=True)
class Answer:
    text: str
    """What it wrote to its standard output, or all of it where that is empty."""
    status: int
    errors: str = ""
    """What it wrote to its standard error."""


class Tools:
    """The tools of one look.

    :param seconds: The deadline of each.
    :param root: Where the node's root file system is; tools of another one run with it as theirs.
    :param remembered: The folder with the records of those that hang.
    :param proc: Where processes of the node are.
    """

    def __init__(
        self, *, seconds: float, root: str = "/", remembered: str = FOLDER, paths: str = PATHS, proc: str = "/proc"
    ) -> None:
        self._seconds = seconds
        self._root = root.rstrip("/") or "/"
        self._paths = paths
        self._records = HungTools(remembered, proc)
        self._hanging: dict[str, float] = {}

    def ask(self, *argv: str, seconds: float | None = None, grace: float = 0) -> Answer:
        """:param grace: Seconds that it gets at its deadline to end by itself, with what it has started elsewhere."""
        with self._started(argv) as (process, begin, out, errors):
            if not _until(seconds or self._seconds, lambda: process.poll() is not None):
                raise self._hung(argv[0], process, begin, grace=grace)
            said, complaints = _text(out), _text(errors)
            return Answer(said or complaints, process.returncode, complaints)

    def first_line(self, *argv: str) -> str:
        """Of a tool that goes on for ever; empty if it ends without one. It is ended then."""
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
        self._refuse_beside_a_hung_one(argv[0])
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
        """As the node itself calls it. A link of another root may lead to what has that name there alone."""
        if self._root == "/":
            return shutil.which(tool, path=self._paths)
        places = [f"{path}/{tool}" for path in self._paths.split(":")]
        inside = {place: f"{self._root}{place}" for place in places}
        return next((place for place, seen in inside.items() if os.path.islink(seen) or os.access(seen, os.X_OK)), None)

    def _hung(self, tool: str, process: subprocess.Popen[bytes], begin: float, *, grace: float = 0) -> Hung:
        """After it was ended."""
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

    def _refuse_beside_a_hung_one(self, tool: str) -> None:
        """Another look may have killed its tool at this moment."""
        if tool not in self._hanging and self._records.hanging(tool):
            _until(_TO_DIE, lambda: not self._records.hanging(tool))
            left = self._records.hanging(tool)
            self._hanging.update({tool: min(left)} if left else {})
        if tool in self._hanging:
            raise Hung(tool, self._hanging[tool], survived=True)


def children_seconds() -> float:
    """Processor time of all children that ended and were collected."""
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
        time.sleep(_LOOKS_EVERY)
    return True


def _text(stream: t.BinaryIO) -> str:
    stream.seek(0)
    return stream.read(LARGEST).decode(errors="replace")
