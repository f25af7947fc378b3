# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Number and memory of the processes that a command starts."""

from __future__ import annotations

import contextlib
import os
import threading
import time
import typing as t
from pathlib import Path

PAUSE = 0.5
"""Seconds between two samples."""


class Peak:
    """The largest values among the samples."""

    def __init__(self) -> None:
        self.processes = 0
        self.bytes = 0
        """Proportional set size: a page that several processes share counts once."""


@contextlib.contextmanager
def watched() -> t.Iterator[Peak]:
    """Samples the descendants of this process that start within the block."""
    peak, earlier, ended = Peak(), set(descendants(os.getpid())), threading.Event()

    def sample() -> None:
        while not ended.is_set():
            found = [each for each in descendants(os.getpid()) if each not in earlier]
            peak.processes = max(peak.processes, len(found))
            peak.bytes = max(peak.bytes, sum(map(proportional_set_size, found)))
            time.sleep(PAUSE)

    thread = threading.Thread(target=sample)
    thread.start()
    try:
        yield peak
    finally:
        ended.set()
        thread.join()


def descendants(root: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # the process has ended
            parent = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(path.name))
    found: list[int] = []
    waiting = [root]
    while waiting:
        own = children.get(waiting.pop(), [])
        found += own
        waiting += own
    return found


def proportional_set_size(process: int) -> int:
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().split("\n"):
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0
