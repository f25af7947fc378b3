# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Ends all processes of one user, even if they resist. Standard library only, Python 3.9 syntax."""

# The callers have no module object, so run_command is not available.
# pylint: disable=ansible-bad-function

from __future__ import annotations

import contextlib
import os
import signal
import time
import typing as t

from .._core.failure import Refused
from . import child, processes, system
from .accounts import subordinate

_PAUSE = 0.1
_EMPTY_LOOKS = 3
"""Number of consecutive checks that must find no process."""
_TRIES = 20
_CHILD_SECONDS = 5.0
_SLICE = "/sys/fs/cgroup/user.slice/user-{uid}.slice/cgroup.kill"
_FIRST_PERSON, _LAST_PERSON, _RESERVED = 1000, 4294967294, (65534, 65535)


def is_person(uid: int) -> bool:
    """Whether the UID may belong to a user. root and system accounts are never removed."""
    return _FIRST_PERSON <= uid <= _LAST_PERSON and uid not in _RESERVED


def end_processes(name: str, uid: int, *, spare_jobs: bool, grace: float, limit: float) -> int:
    """End the user's sessions, then all processes: SIGTERM, then SIGKILL after ``grace`` seconds. Returns how many remain."""
    _check(uid)
    contained = subordinate.numbers(name, uid)
    started, empty, terminated = time.monotonic(), 0, False
    while True:
        everybody = processes.everything()
        seen = processes.of(everybody, uid, contained)
        jobs = [process for process in seen if spare_jobs and processes.in_job(process, everybody)]
        left = [process for process in seen if process not in jobs]
        if not terminated and not _in_sessions(jobs, uid):
            _terminate_user(uid)
        terminated = True
        waited = time.monotonic() - started
        hard = not left or waited > grace
        for process in left:
            _send(process, signal.SIGKILL if hard else signal.SIGTERM)
        if hard:
            _kill_the_rest(uid, jobs)
        empty = 0 if left else empty + 1
        if empty == _EMPTY_LOOKS:
            return 0
        if waited > limit:
            return max(1, len(left))
        time.sleep(_PAUSE)


def kill_all(uid: int) -> None:
    """Kill every process of ``uid`` in one call, so that forks cannot escape.

    A child process with this UID sends the signal. The kernel allows the child to signal only the processes that the UID may
    signal, including those in the UID's own user namespaces.
    """
    _check(uid)
    identity = child.Identity("", uid, uid)
    for _try in range(_TRIES):
        try:
            child.run(lambda: _kill_all_as(uid), timeout=_CHILD_SECONDS, identity=identity)
            return
        except child.ChildFailed as error:
            if str(error) != child.ENDED:  # the user's processes may end this child
                raise
        except child.Hung:  # or may stop it
            pass
        except BlockingIOError:  # or may be so many that the child cannot start
            time.sleep(_PAUSE)


def _in_sessions(jobs: t.Iterable[processes.Process], uid: int) -> bool:
    """Whether jobs run in sessions of the login manager, which Slurm with PAM may use. Sessions are then not ended as a whole."""
    return any(processes.in_slice(process, uid) for process in jobs)


def _kill_the_rest(uid: int, jobs: t.Sequence[processes.Process]) -> None:
    """Kill the processes that are left. If there are spared jobs, kill only the user's sessions, unless the jobs run in them."""
    if not jobs:
        kill_all(uid)
    elif not _in_sessions(jobs, uid):
        with contextlib.suppress(OSError):  # the user has no sessions, or the kernel does not support this
            with open(_SLICE.format(uid=uid), "w", encoding="ascii") as stream:
                stream.write("1")


def _kill_all_as(uid: int) -> None:
    _check(uid)
    if os.getresuid() != (uid, uid, uid) or _capabilities() != 0:
        raise PermissionError("the child process could not become the user")
    with contextlib.suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)


def _capabilities() -> int:
    with open("/proc/self/status", "rb") as stream:
        lines = stream.read().split(b"\n")
    return next(int(line.split()[1], 16) for line in lines if line.startswith(b"CapEff:"))


def _check(uid: int) -> None:
    if not is_person(uid):
        raise Refused(f"UID {uid} does not belong to a user, so its processes are never ended.")


def _send(process: processes.Process, number: int) -> None:
    """Send the signal to this process only, not to a later process with the same ID."""
    try:
        descriptor = os.pidfd_open(process.pid)
    except ProcessLookupError:
        return
    try:
        now = processes.see(process.pid)
        if now is not None and now.uids == process.uids:
            signal.pidfd_send_signal(descriptor, number)
    except ProcessLookupError:
        pass
    finally:
        os.close(descriptor)


def _terminate_user(uid: int) -> None:
    # If there is no session, or the login manager does not respond, continue: the processes are ended next.
    if os.path.isdir("/run/systemd/system"):
        with contextlib.suppress(system.CommandFailed, BlockingIOError):
            system.run(["loginctl", "terminate-user", str(uid)], timeout=10, check=False)
