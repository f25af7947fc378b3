# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Runs a builder with a time limit, and passes on each line that it prints."""

# Code below the module has no module object, so run_command is not available.
# pylint: disable=ansible-bad-function

from __future__ import annotations

import collections
import contextlib
import os
import select
import signal
import subprocess
import time
import typing as t

from ..._core.text import printable

SHOWN = 20
"""Number of last lines that a message shows."""
LONGEST_LINE = 2000
_CHUNK = 65536
_QUIET = 1.0
"""Seconds between two calls of ``on_line`` while the program prints nothing."""
_ENDS_SECONDS = 10.0
"""Seconds for a program to end after a signal."""


class Timeout(Exception):
    """The program did not end in time, and was stopped."""


class Ran(t.NamedTuple):
    status: int
    lines: list[str]
    """The last lines, printable and without secrets."""

    @property
    def tail(self) -> str:
        """The last lines for the end of a message."""
        return "\n".join(["Last lines of the output:", *self.lines]) if self.lines else "The program printed nothing."


class Output:
    """Splits the output into lines, and keeps the last ones."""

    def __init__(self, hidden: t.Iterable[str], on_line: t.Callable[[str], None]) -> None:
        self._hidden = [each for each in hidden if each]
        self._on_line = on_line
        self._rest = b""
        self.lines: collections.deque[str] = collections.deque(maxlen=SHOWN)

    def add(self, chunk: bytes) -> None:
        *whole, self._rest = (self._rest + chunk).split(b"\n")
        for each in whole:
            self._line(each)

    def wait(self) -> None:
        """The program has printed nothing for a while."""
        self._on_line("")

    def end(self) -> None:
        if self._rest:
            self._line(self._rest)
        self._rest = b""

    def _line(self, raw: bytes) -> None:
        text = raw.decode(errors="replace").rstrip("\r")
        for each in self._hidden:
            text = text.replace(each, "***")
        line = printable(text)[:LONGEST_LINE]
        self.lines.append(line)
        self._on_line(line)


def run(
    argv: t.Sequence[str],
    *,
    environment: t.Mapping[str, str],
    folder: str,
    seconds: float,
    stdin: str = "",
    hidden: t.Iterable[str] = (),
    on_line: t.Callable[[str], None] = lambda line: None,
) -> Ran:
    """Run the program.

    :param folder: the working directory.
    :param hidden: secrets, which the returned lines do not contain.
    :param on_line: gets each line, and an empty one now and then.
    :raises Timeout: after ``seconds``.
    :raises OSError: if the program can't be started.
    """
    output = Output(hidden, on_line)
    deadline = time.monotonic() + seconds
    process = subprocess.Popen(
        list(argv),
        env=dict(environment),
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        with contextlib.suppress(BrokenPipeError):
            _write(process, stdin)
        _read(process, output, deadline)
        status = process.wait(max(0.1, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        raise Timeout from None
    finally:
        _end(process)
    output.end()
    return Ran(status, list(output.lines))


def _write(process: subprocess.Popen[bytes], text: str) -> None:
    """Send a text that fits into the buffer of a pipe, and close the pipe."""
    if process.stdin is not None:
        with process.stdin as stream:
            stream.write(text.encode())


def _read(process: subprocess.Popen[bytes], output: Output, deadline: float) -> None:
    """Read until the program has closed its output, or has ended and something that it started keeps its output open."""
    if process.stdout is None:
        return
    while time.monotonic() < deadline:
        ready, _writable, _failed = select.select([process.stdout], [], [], min(_QUIET, max(0.0, deadline - time.monotonic())))
        if ready:
            chunk = os.read(process.stdout.fileno(), _CHUNK)
            if not chunk:
                return
            output.add(chunk)
        elif process.poll() is not None:
            return
        else:
            output.wait()
    raise Timeout


def _end(process: subprocess.Popen[bytes]) -> None:
    """Stop the program with everything that it started."""
    for sent in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is not None:
            break
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, sent)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_ENDS_SECONDS)
    if process.stdout is not None:
        process.stdout.close()
