# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Tools of accelerators, which may hang in the driver for good.

A process in such a state (D) does not end by SIGKILL, and whoever waits for it hangs with it. So each tool writes into a file,
nobody waits for it after its deadline, and as long as it is there it is not started again.
Standard library only, Python 3.9 syntax.
"""

# Code below the module has no module object, hence no run_command.
# pylint: disable=ansible-bad-function

from __future__ import annotations

import contextlib
import json
import os
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import typing as t
from dataclasses import dataclass

from ..system import SEARCH_PATH

PATHS = f"{SEARCH_PATH}:/opt/amazon/efa/bin:/opt/aws/neuron/bin"
"""The last two are where the installers of EFA and Neuron have their programs."""
REMEMBERED = "/run/mlfleet-hyperpod/hung-tools"
_SIGKILL = 1 << (signal.SIGKILL - 1)
LARGEST = 32 * 1024 * 1024
_LOOKS_EVERY = 0.02
_IN_CHROOT = {"SYSTEMD_IGNORE_CHROOT": "1"}
"""Else systemctl asks nobody where its root is another one than that of the first process (systemd, ENVIRONMENT.md)."""


class Missing(Exception):
    """The tool is not on this node."""


class Hung(Exception):
    """The tool did not come back; ``since`` is when it was started, in seconds of the epoch."""

    def __init__(self, tool: str, since: float) -> None:
        super().__init__(f"{tool} does not come back")
        self.since = since


@dataclass(frozen=True)
class Answer:
    text: str
    """What it wrote to its standard output, or all of it where that is empty."""
    status: int


class Tools:
    """The tools of one look.

    :param seconds: The deadline of each.
    :param root: Where the node's root file system is; tools of another one run with it as theirs.
    :param remembered: The folder that names those that hang.
    :param proc: Where processes of the node are, for a caller that is gone, with all that it remembers, before its tools are.
    """

    def __init__(
        self, *, seconds: float, root: str = "/", remembered: str = REMEMBERED, paths: str = PATHS, proc: str = ""
    ) -> None:
        self._seconds = seconds
        self._root = root.rstrip("/") or "/"
        self._remembered = remembered
        self._paths = paths
        self._proc = proc

    def ask(self, *argv: str, seconds: float | None = None, grace: float = 0) -> Answer:
        """:param grace: Seconds that it gets at its deadline to end by itself, with what it has started elsewhere."""
        command = self._found(argv)
        self._refuse_beside_a_hung_one(argv[0])
        begin = time.time()
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
            process = _start(command, out, errors, self._paths)
            if not _until(seconds or self._seconds, lambda: process.poll() is not None):
                self._end(argv[0], process, begin, grace=grace)
                raise Hung(argv[0], begin)
            return Answer(_text(out) or _text(errors), process.returncode)

    def first_line(self, *argv: str) -> str:
        """Of a tool that goes on for ever; empty if it ends without one. It is ended then."""
        command = self._found(argv)
        self._refuse_beside_a_hung_one(argv[0])
        begin = time.time()
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
            process = _start(command, out, errors, self._paths)
            told = _until(self._seconds, lambda: process.poll() is not None or "\n" in _text(out))
            text = _text(out)
            self._end(argv[0], process, begin)
            if not told:
                raise Hung(argv[0], begin)
            return text.partition("\n")[0]

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

    def _end(self, tool: str, process: subprocess.Popen[bytes], begin: float, *, grace: float = 0) -> None:
        if grace:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGTERM)
            _until(grace, lambda: process.poll() is not None)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        _until(1, lambda: process.poll() is not None)
        self._remember(tool, process.pid, begin)

    def _refuse_beside_a_hung_one(self, tool: str) -> None:
        path = self._path(tool)
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            with open(path, encoding="utf-8") as stream:
                last = json.load(stream)
            if started(last["pid"]) == last["ticks"]:
                raise Hung(tool, float(last["since"]))
            os.unlink(path)
        if self._proc:
            self._refuse_beside_one_of_another(tool)

    def _refuse_beside_one_of_another(self, tool: str) -> None:
        left = killed_in_vain(tool, self._proc)
        if left:
            _until(self._seconds, lambda: not left & killed_in_vain(tool, self._proc))
            for pid, ticks in sorted(left & killed_in_vain(tool, self._proc)):
                since = _at(ticks, self._proc)
                self._record(tool, pid, ticks, since)
                raise Hung(tool, since)

    def _remember(self, tool: str, pid: int, since: float) -> None:
        ticks = started(pid)
        if ticks is not None:  # SIGKILL has not ended it
            self._record(tool, pid, ticks, since)

    def _record(self, tool: str, pid: int, ticks: int, since: float) -> None:
        os.makedirs(self._remembered, mode=0o700, exist_ok=True)
        with open(self._path(tool), "w", encoding="utf-8") as stream:
            json.dump({"pid": pid, "ticks": ticks, "since": since}, stream)

    def _path(self, tool: str) -> str:
        return os.path.join(self._remembered, f"{tool}.json")


def children_seconds() -> float:
    """Processor time of all children that ended and were collected."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def killed_in_vain(tool: str, proc: str) -> set[tuple[int, int]]:
    """Processes that ``Tools`` started and that hang in the kernel, by number and start in ticks since the boot.

    Arguments and environment are not read: who asks for them may hang with the process.
    """
    numbers = [int(name) for name in os.listdir(proc) if name.isdecimal()]
    found = {pid: started(pid, proc) for pid in numbers if _hangs(tool, pid, f"{proc}/{pid}")}
    return {(pid, ticks) for pid, ticks in found.items() if ticks is not None}


def _hangs(tool: str, pid: int, process: str) -> bool:
    """As the first of a session of its own, in state D, with a SIGKILL that waits for it to come back."""
    try:
        with open(f"{process}/status", encoding="utf-8", errors="replace") as stream:
            told = dict(line.rstrip("\n").split(":\t", 1) for line in stream if ":\t" in line)
        with open(f"{process}/stat", encoding="utf-8", errors="replace") as stream:
            session = int(stream.read().rpartition(")")[2].split()[3])
    except OSError:
        return False
    pending = int(told.get("SigPnd", "0"), 16) | int(told.get("ShdPnd", "0"), 16)
    return session == pid and told.get("Name") == tool[:15] and told.get("State", "")[:1] == "D" and bool(pending & _SIGKILL)


def _at(ticks: int, proc: str) -> float:
    """Seconds of the epoch."""
    with open(f"{proc}/uptime", encoding="utf-8") as stream:
        boot = time.time() - float(stream.read().split()[0])
    return boot + ticks / os.sysconf("SC_CLK_TCK")


def started(pid: int, proc: str = "/proc") -> int | None:
    """When a process was started, in ticks since the boot; None if it is gone, or has ended and waits to be collected."""
    try:
        with open(f"{proc}/{pid}/stat", encoding="utf-8", errors="replace") as stream:
            state, *rest = stream.read().rpartition(")")[2].split()  # the name before it may hold anything
    except OSError:
        return None
    return None if state in "ZX" else int(rest[18])


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
