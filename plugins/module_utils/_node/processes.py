# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The processes of a user, found by properties that the user cannot forge. Standard library only, Python 3.9 syntax.

A user can give a process any name without a line feed, end its first thread, or run it in a new user namespace.
"""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import os
import re
import struct
import typing as t
from dataclasses import dataclass

from .._core.text import lines_of, printable

_PARENT_NAMESPACE, _OWNER_OF_NAMESPACE = 0xB702, 0xB704
"""Request numbers of ``ioctl_ns(2)``."""
_JOB_CGROUP = re.compile(r"\d+:[^:]*:/(system\.slice/[\w.-]*slurmstepd\.scope|slurm[^/]*/uid_\d+)/job_\d+")
_LOOKS = 20
_GONE = (FileNotFoundError, ProcessLookupError)


@dataclass(frozen=True)
class Process:
    pid: int
    name: str
    uids: tuple[int, int, int]
    """Real, effective and saved UID."""
    parent: int
    alive: bool
    """Whether at least one thread has not ended."""
    cgroup: str = ""
    """The text of /proc/PID/cgroup."""
    makers: tuple[int, ...] = ()
    """The UIDs that created the process's user namespaces, from its own namespace up to ours."""

    @property
    def owners(self) -> frozenset[int]:
        """UIDs that the process runs as, or that may signal it. The UID for which a root daemon temporarily acts does not count."""
        real, effective, saved = self.uids
        return frozenset((real, saved) if real == 0 else (real, effective, saved))

    def __str__(self) -> str:
        return f"{self.pid} ({printable(self.name)})"


def see(pid: int, proc: str = "/proc") -> Process | None:
    """One process; None if the process has ended."""
    status = _status(f"{proc}/{pid}/status")
    if status is None:
        return None
    real, effective, saved = (int(number) for number in status["Uid"].split()[:3])
    parent = int(status.get("PPid", "0"))
    return Process(pid, status["Name"], (real, effective, saved), parent, _alive(pid, status, proc))


def everything(proc: str = "/proc") -> dict[int, Process]:
    """All processes of this machine, newest first. The listing is repeated, because some processes fork and end immediately."""
    seen: dict[int, Process | None] = {}
    for _look in range(_LOOKS):
        new = {int(entry) for entry in os.listdir(proc) if entry.isdigit()} - set(seen)
        for pid in sorted(new, reverse=True):
            process = see(pid, proc)
            if process is not None:
                process = dataclasses.replace(process, cgroup=_read(f"{proc}/{pid}/cgroup") or "", makers=_makers(pid))
            seen[pid] = process
    return {pid: process for pid, process in seen.items() if process is not None}


def of(everybody: t.Mapping[int, Process], uid: int, contained: t.Container[int] = ()) -> list[Process]:
    """The living processes of ``uid``, of its containers' UIDs ``contained``, and in user namespaces that ``uid`` created."""
    return [
        process
        for process in everybody.values()
        if process.alive
        and (uid in process.owners or uid in process.makers or any(other in contained for other in process.owners))
    ]


def in_job(process: Process, everybody: t.Mapping[int, Process]) -> bool:
    """Whether Slurm started the process. Only properties that its owner cannot forge count: a cgroup outside the user's own, or an
    ancestor slurmstepd that runs as root."""
    if any(_JOB_CGROUP.match(line) for line in lines_of(process.cgroup)):
        return True
    ancestor, known = t.cast("Process | None", process), set()
    while ancestor is not None and ancestor.pid not in known:
        if ancestor.name.startswith("slurmstepd") and ancestor.uids[0] == 0:
            return True
        known.add(ancestor.pid)
        ancestor = everybody.get(ancestor.parent)
    return False


def in_slice(process: Process, uid: int) -> bool:
    """Whether the process is in the control group of the sessions of ``uid``."""
    return f"/user-{uid}.slice/" in process.cgroup


def _status(path: str) -> dict[str, str] | None:
    text = _read(path)
    pairs = (line.partition(":\t") for line in lines_of(text or ""))
    status = {name: value.strip() for name, colon, value in pairs if colon}
    return status if "Uid" in status else None


def _alive(pid: int, status: t.Mapping[str, str], proc: str) -> bool:
    if not _ended(status):
        return True
    threads = []
    with contextlib.suppress(*_GONE):
        threads = os.listdir(f"{proc}/{pid}/task")
    return any(not _ended(_status(f"{proc}/{pid}/task/{thread}/status")) for thread in threads)


def _ended(status: t.Mapping[str, str] | None) -> bool:
    return status is None or status["State"][:1] in "ZX"


def _read(path: str) -> str | None:
    """The content of a file in /proc; None if the process has ended."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape", newline="\n") as stream:
            return stream.read()
    except _GONE:
        return None


def _makers(pid: int) -> tuple[int, ...]:
    try:
        if os.readlink(f"/proc/{pid}/ns/user") == os.readlink("/proc/self/ns/user"):
            return ()
        descriptor = os.open(f"/proc/{pid}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:  # the process has ended
        return ()
    ours, found = os.stat("/proc/self/ns/user").st_ino, []
    try:
        while os.fstat(descriptor).st_ino != ours:
            answer = fcntl.ioctl(descriptor, _OWNER_OF_NAMESPACE, struct.pack("I", 0))
            found.append(struct.unpack("I", answer)[0])
            parent = fcntl.ioctl(descriptor, _PARENT_NAMESPACE)
            os.close(descriptor)
            descriptor = parent
    except OSError:  # the namespace is not below ours
        pass
    finally:
        os.close(descriptor)
    return tuple(found)
