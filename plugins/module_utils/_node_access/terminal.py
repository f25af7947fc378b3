# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""A program on its own pseudo-terminal, controlled line by line."""

# This runs on the control node, partly without a module object, so run_command is not available.
# pylint: disable=ansible-bad-function

from __future__ import annotations

import errno
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
import typing as t

ROWS, COLUMNS = 50, 500
LARGEST = 1024 * 1024
"""Characters of output that are kept during a wait. Expected output is far shorter, but a node may print endlessly."""
_ESCAPES = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")


def plain(text: str) -> str:
    """The text without carriage returns and terminal escapes."""
    return _ESCAPES.sub("", text).replace("\r", "")


class Ended(Exception):
    """The program ended; ``text`` is its remaining output."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class Silent(Exception):
    """The expected output did not arrive in time."""


class Terminal:
    """The terminal of the Session Manager plugin. The plugin needs a controlling terminal, because it calls stty and reads keys."""

    def __init__(self, command: t.Sequence[str], *, environment: t.Mapping[str, str]) -> None:
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        device = os.ttyname(slave)
        # The first terminal that a session leader opens becomes its controlling terminal. The shell opens it by name, so that
        # no Python code has to run between fork and exec (this process has threads).
        opener = ["/bin/sh", "-c", 'exec "$@" <"$0" >"$0" 2>&1', device, *command]
        try:
            self.process = subprocess.Popen(
                opener,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=dict(environment),
                start_new_session=True,
            )
            self._wait_until_open()
        finally:
            os.close(slave)
        self._master = master
        self._text = ""

    def _wait_until_open(self) -> None:
        """Wait until the child has opened the terminal. Otherwise the terminal would have no open end and would hang up."""
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline and self.process.poll() is None:
            with open(f"/proc/{self.process.pid}/stat", encoding="utf-8", errors="replace") as file:
                if file.read().rpartition(")")[2].split()[4] != "0":
                    return
            time.sleep(0.01)

    def send(self, line: str) -> None:
        data = f"{line}\n".encode()
        while data:
            try:
                data = data[os.write(self._master, data) :]
            except OSError as error:
                raise Ended(self._text) from error

    def expect(self, pattern: str, *, timeout: float) -> re.Match[str]:
        """Read until ``pattern`` matches, and discard the output up to the end of the match.

        :raises Silent: after ``timeout`` seconds, with the output kept; or after too much output, with the output discarded.
        :raises Ended: if the program ends. The exception has the unread output.
        """
        deadline = time.monotonic() + timeout
        while True:
            match = re.search(pattern, plain(self._text))
            if match:
                self._text = plain(self._text)[match.end() :]
                return match
            if len(self._text) > LARGEST:
                self._text = ""
                raise Silent(f"the node printed more than {LARGEST} unexpected characters")
            rest = deadline - time.monotonic()
            if rest <= 0 or not select.select([self._master], [], [], rest)[0]:
                raise Silent(pattern)
            self._text += self._read()

    def listen(self, *, timeout: float) -> None:
        """Wait until there is any output, for at most ``timeout`` seconds."""
        select.select([self._master], [], [], timeout)

    def _read(self) -> str:
        try:
            data = os.read(self._master, 65536)
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            data = b""
        if not data:
            raise Ended(plain(self._text))
        return data.decode(errors="replace")

    def close(self, *, patience: float = 5.0) -> None:
        """Wait ``patience`` seconds for the program's end, then kill its whole process group."""
        try:
            self.process.wait(patience)
        except subprocess.TimeoutExpired:
            for number in (signal.SIGHUP, signal.SIGKILL):
                try:
                    os.killpg(self.process.pid, number)
                    self.process.wait(2)
                    break
                except ProcessLookupError:
                    break
                except subprocess.TimeoutExpired:
                    continue
        os.close(self._master)
