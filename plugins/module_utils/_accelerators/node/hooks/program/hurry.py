# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Runs tools of accelerators with one common deadline, because Slurm waits. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import contextlib
import time
import typing as t

from ...hung_tools import FOLDER
from ...tools import PATHS, Answer, Hung, Missing, Tools

_OF_LOG = ("journalctl", "dmesg")
KERNEL_LOG = 1.0
"""Seconds for the kernel's log, which is read first."""
_LEAST = 0.2

CHECKED = ("nvidia-smi", "neuron-ls", "neuron-monitor", *_OF_LOG, "systemctl")
"""The tools for a verdict. DCGM takes too long, and versions do not affect the verdict."""
BEFORE_A_JOB = ("nvidia-smi -q", *_OF_LOG)
"""The tools for GPUs with their recovery actions and remapped rows, and for Xids."""


class Hurried(Tools):
    """Runs tools until a deadline. In such a short time, a tool that SIGKILL ends may only have been slow, which is no fault.

    :param until: the deadline, by the monotonic clock.
    :param tools: the allowed commands, by their beginnings.
    """

    def __init__(self, *, until: float, tools: t.Collection[str], remembered: str = FOLDER, paths: str = PATHS) -> None:
        super().__init__(seconds=0, remembered=remembered, paths=paths)
        self._until = until
        self._allowed = tuple(tools)

    def run(self, *argv: str, seconds: float | None = None, grace: float = 0) -> Answer:
        left = self._left(argv)
        with _not_in_time():
            return super().run(*argv, seconds=min(seconds or left, left), grace=grace)

    def first_line(self, *argv: str) -> str:
        self._seconds = self._left(argv)
        with _not_in_time():
            return super().first_line(*argv)

    def _left(self, argv: t.Sequence[str]) -> float:
        if not f"{' '.join(argv)} ".startswith(tuple(f"{words} " for words in self._allowed)):
            raise Missing(f"{argv[0]} takes too long for this check")
        left = self._until - time.monotonic()
        if left < _LEAST:
            raise Missing(f"no time was left for {argv[0]}")
        return min(left, KERNEL_LOG) if argv[0] in _OF_LOG else left


@contextlib.contextmanager
def _not_in_time() -> t.Iterator[None]:
    try:
        yield
    except Hung as error:
        if error.survived:
            raise
        raise Missing("it did not answer in time") from None
