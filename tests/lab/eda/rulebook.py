# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A running ansible-rulebook."""

from __future__ import annotations

import contextlib
import subprocess
import time
import typing as t
from pathlib import Path

from .runtime import Runtime

READY = "Waiting for events"
"""Printed with the option ``-v``, once the rules run."""


class Rulebook:
    """The process, with its rulebook and its output in a folder."""

    def __init__(self, folder: Path, runtime: Runtime, text: str, *options: str, **environment: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.log = folder, folder / "output.log"
        (folder / "rulebook.yml").write_text(text)
        argv = [str(runtime.program), "--rulebook", "rulebook.yml", "-v", *options]
        variables = {**runtime.environment, "HOME": str(folder), **environment}
        with open(self.log, "w", encoding="utf-8") as output:
            self._process = subprocess.Popen(
                argv, cwd=folder, env=variables, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
            )

    @property
    def output(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")

    @property
    def status(self) -> int | None:
        """The exit status; None while it runs."""
        return self._process.poll()

    def wait_for(self, text: str, *, count: int = 1, seconds: float = 120) -> str:
        """Wait until the output has a text ``count`` times; return the output.

        :raises AssertionError: if it does not, or if the process has ended before.
        """
        deadline = time.monotonic() + seconds
        while True:
            ended = self.status is not None
            output = self.output
            if output.count(text) >= count:
                return output
            assert not ended and time.monotonic() < deadline, f"no {text!r}, exit status {self.status}:\n{output}"
            time.sleep(0.1)

    def wait(self, seconds: float = 120) -> int:
        """Wait for the end; return the exit status."""
        return self._process.wait(seconds)

    def kill(self) -> None:
        """End the process as a crash does."""
        self._process.kill()

    def stop(self) -> int:
        """End the process, and return its exit status."""
        if self.status is None:
            self._process.terminate()
            try:
                return self._process.wait(30)
            except subprocess.TimeoutExpired:
                self._process.kill()
        return self._process.wait()


@contextlib.contextmanager
def running(folder: Path, runtime: Runtime, text: str, *options: str, **environment: str) -> t.Iterator[Rulebook]:
    """A rulebook for the time of a block, once its rules run."""
    rulebook = Rulebook(folder, runtime, text, *options, **environment)
    try:
        rulebook.wait_for(READY)
        yield rulebook
    finally:
        rulebook.stop()
