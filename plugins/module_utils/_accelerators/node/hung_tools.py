# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Records tools of this collection that survive SIGKILL. Standard library only, Python 3.9 syntax.

Any user can start a process with the name of a tool and make it hang. Therefore, each tool is recorded at its start, in a folder
that only its owner can write to, and only recorded processes count.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import stat

from ..._node.files import read, replace_text

FOLDER = "/run/mlfleet-hyperpod/hung-tools"
_SIGKILL = 1 << (signal.SIGKILL - 1)


class HungTools:
    """
    :param folder: the folder of the records, with one file for each process. Like the processes, it is lost at each boot.
    :param proc: the path of the node's /proc.
    """

    def __init__(self, folder: str, proc: str) -> None:
        self._folder = folder
        self._proc = proc

    def begin(self, tool: str, pid: int, since: float) -> None:
        """Record the start of a tool. If the record can't be written, a later check starts the tool again.

        :param since: the time of the start, in seconds of the epoch.
        """
        ticks = started(pid, self._proc)
        text = json.dumps({"pid": pid, "ticks": ticks, "since": since})
        with contextlib.suppress(OSError):
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            if self._is_ours():
                replace_text(self._path(tool, pid), text, mode=0o600, uid=os.geteuid(), gid=os.getegid(), durable=False)

    def end(self, tool: str, pid: int) -> None:
        with contextlib.suppress(OSError):
            os.unlink(self._path(tool, pid))

    def hanging(self, tool: str) -> list[float]:
        """The start times of processes that survive SIGKILL, in seconds of the epoch. Records of ended processes are removed."""
        return [since for since in (self._hanging(name) for name in self._names(tool)) if since is not None]

    def _names(self, tool: str) -> list[str]:
        try:
            names = os.listdir(self._folder) if self._is_ours() else []
        except OSError:
            return []
        return sorted(name for name in names if name.startswith(f"{tool}.") and name.endswith(".json"))

    def _hanging(self, name: str) -> float | None:
        path = os.path.join(self._folder, name)
        try:
            found = read(path)
            if found is None or found.uid != os.geteuid() or found.mode & 0o077:
                return None
            record = json.loads(found.text)
            pid, ticks, since = int(record["pid"]), int(record["ticks"]), float(record["since"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None
        if started(pid, self._proc) != ticks:
            with contextlib.suppress(OSError):
                os.unlink(path)
            return None
        return since if _is_killed_in_vain(f"{self._proc}/{pid}") else None

    def _is_ours(self) -> bool:
        status = os.lstat(self._folder)
        return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o022

    def _path(self, tool: str, pid: int) -> str:
        return os.path.join(self._folder, f"{tool}.{pid}.json")


def started(pid: int, proc: str = "/proc") -> int | None:
    """The start time of a process in ticks since the boot; None if the process no longer exists or is a zombie."""
    try:
        with open(f"{proc}/{pid}/stat", encoding="utf-8", errors="replace") as stream:
            state, *rest = stream.read().rpartition(")")[2].split()  # the name before it may contain anything
    except OSError:
        return None
    return None if state in "ZX" else int(rest[18])


def _is_killed_in_vain(process: str) -> bool:
    """Whether the process has our account and a pending SIGKILL. The arguments are not read, because the read could hang."""
    try:
        with open(f"{process}/status", encoding="utf-8", errors="replace") as stream:
            fields = dict(line.rstrip("\n").split(":\t", 1) for line in stream if ":\t" in line)
        pending = int(fields.get("SigPnd", "0"), 16) | int(fields.get("ShdPnd", "0"), 16)
        return int(fields["Uid"].split()[0]) == os.getuid() and bool(pending & _SIGKILL)
    except (OSError, ValueError, KeyError, IndexError):
        return False
