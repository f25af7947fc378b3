# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Identifies the ansible process of this run, so that other runs can check whether it is still running.

All values are read from /proc. A process on another machine, or in a container with its own process namespace, cannot be
checked and counts as running.
"""

from __future__ import annotations

import os
import re
import socket
import typing as t
from dataclasses import dataclass
from pathlib import Path

from .._core.failure import Refused

_ANSIBLE = re.compile(r"^ansible(-playbook|-pull|-console)?$")


@dataclass(frozen=True)
class RunProcess:
    """A process ID, with the machine and the process namespace that it belongs to."""

    host: str
    place: str
    """Identifies the process namespace by the machine's boot and the start of process 1. It differs between containers."""
    pid: int
    started: int
    """In clock ticks since boot. Distinguishes the process from a later one with the same ID."""

    @classmethod
    def current(cls, *, proc: Path = Path("/proc")) -> RunProcess | None:
        """The ansible command whose descendant this process is, or None if no such command is visible.

        :raises Refused: on a machine without /proc.
        """
        require_proc(proc=proc)
        pid = _outermost_ansible(proc)
        started = _started(proc, pid) if pid else None
        place = _place(proc)
        if pid is None or started is None or place is None:
            return None
        return cls(host=socket.gethostname(), place=place, pid=pid, started=started)

    @classmethod
    def from_json(cls, data: t.Mapping[str, t.Any]) -> RunProcess | None:
        if not data.get("pid"):
            return None
        return cls(host=data["host"], place=data["place"], pid=data["pid"], started=data["started"])

    def is_gone(self, *, proc: Path = Path("/proc")) -> bool:
        """Whether the process has certainly ended. False if this cannot be determined."""
        return self._is_here(proc) and _started(proc, self.pid) != self.started

    def is_running(self, *, proc: Path = Path("/proc")) -> bool:
        """Whether the process is certainly running. False if this cannot be determined."""
        return self._is_here(proc) and _started(proc, self.pid) == self.started

    def _is_here(self, proc: Path) -> bool:
        return self.host == socket.gethostname() and self.place == _place(proc)


def require_proc(*, proc: Path = Path("/proc")) -> None:
    """Fail early with the reason if this machine cannot be a control node.

    :raises Refused: on a machine without /proc.
    """
    if not (proc / "self").exists():
        raise Refused(
            f"This control node ({os.uname().sysname}) has no {proc}, which runs and sessions need to identify their processes. "
            "macOS is not supported. Use Linux, WSL or a container."
        )


def _outermost_ansible(proc: Path) -> int | None:
    """The ID of the ansible command. Its workers are forks with the same command line, so the topmost of these processes counts."""
    pid = int(os.readlink(proc / "self"))
    found: int | None = None
    found_line: list[str] = []
    while pid > 0:
        line = _command_line(proc, pid)
        if found is not None and line != found_line:
            break
        if any(_ANSIBLE.match(Path(word).name) for word in line[:3]):  # the third word for python -m ansible playbook
            found, found_line = pid, line
        pid = _parent(proc, pid)
    return found


def _command_line(proc: Path, pid: int) -> list[str]:
    try:
        return (proc / str(pid) / "cmdline").read_text(errors="replace").split("\0")
    except OSError:
        return []


def _stat(proc: Path, pid: int) -> list[str]:
    """The fields of /proc/PID/stat after the command, which may contain spaces and parentheses."""
    try:
        return (proc / str(pid) / "stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return []


def _parent(proc: Path, pid: int) -> int:
    fields = _stat(proc, pid)
    return int(fields[1]) if fields else 0


def _started(proc: Path, pid: int) -> int | None:
    fields = _stat(proc, pid)
    return int(fields[19]) if fields and fields[0] != "Z" else None


def _place(proc: Path) -> str | None:
    first = _started(proc, 1)
    try:
        boot = (proc / "sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return None
    return None if first is None else f"{boot}/{first}"
