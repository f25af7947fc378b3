# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""What an account that goes leaves behind: processes, crontab, at jobs, lingering services."""

# Code below the module has no module object, hence no run_command.
# pylint: disable=ansible-bad-function

from __future__ import annotations

import glob
import os
import re
import shutil
import signal
import subprocess
import time
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts_model import Account, Traces, User

_NAMED = ("/var/spool/cron/crontabs/{name}", "/var/spool/cron/{name}", "/var/lib/systemd/linger/{name}")
_AT_JOBS = ("/var/spool/cron/atjobs/*", "/var/spool/at/*")
_PAUSE = 0.1
_JOB_CGROUP = re.compile(r"(?m)^\d+:[^:\n]*:/(system\.slice/[\w.-]*slurmstepd\.scope|slurm[^/\n]*/uid_\d+)/job_\d+")


def look(users: t.Sequence[User], accounts: t.Mapping[str, Account], *, spare_jobs: bool) -> dict[str, Traces]:
    """The traces of ``users``; users without any cost nothing later."""
    if not users:
        return {}
    taken = {account.uid for account in accounts.values()}
    uids = {
        user.name: accounts[user.name].uid if user.name in accounts else (None if user.uid in taken else user.uid)
        for user in users
    }
    known = {uid for name, uid in uids.items() if uid is not None and name in accounts}
    processes = running(known) if known else {}
    jobs = {uid: [pid for pid in pids if in_job(pid)] if spare_jobs else [] for uid, pids in processes.items()}
    at_jobs = _at_jobs()
    return {
        name: Traces(
            processes=tuple(pid for pid in processes.get(t.cast(int, uid), ()) if pid not in jobs[t.cast(int, uid)]),
            files=tuple(
                [path for path in (form.format(name=name) for form in _NAMED) if os.path.isfile(path)]
                + ([] if uid is None else at_jobs.get(uid, []))
            ),
            jobs=tuple(jobs.get(t.cast(int, uid), ())),
        )
        for name, uid in uids.items()
    }


def running(uids: t.Container[int]) -> dict[int, list[int]]:
    """Processes by the real or effective UID in ``uids``."""
    found: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            for uid in _uids_of(entry):
                if uid in uids:
                    found.setdefault(uid, []).append(int(entry))
    return found


def in_job(pid: int, proc: str = "/proc") -> bool:
    """Whether Slurm started the process. Only what its owner can't pretend counts: a cgroup outside of the user's own,
    or an ancestor slurmstepd that root runs."""
    if _JOB_CGROUP.search(_read(f"{proc}/{pid}/cgroup")):
        return True
    while pid > 1:
        before, _bracket, after = _read(f"{proc}/{pid}/stat").rpartition(")")
        if not after:
            return False
        name = before.partition("(")[2]
        if name.startswith("slurmstepd") and 0 in _uids_of(str(pid), proc, real_only=True):
            return True
        pid = int(after.split()[1])
    return False


def end_processes(name: str, uid: int, *, spare_jobs: bool, grace: float, limit: float) -> int:
    """End the sessions, then all processes: TERM, after ``grace`` seconds KILL. How many are left after ``limit``."""
    if shutil.which("loginctl") and os.path.isdir("/run/systemd/system"):
        _quietly(["loginctl", "terminate-user", name])
    started = time.monotonic()
    while True:
        left = [pid for pid in running({uid}).get(uid, []) if not (spare_jobs and in_job(pid))]
        waited = time.monotonic() - started
        if not left or waited > limit:
            return len(left)
        for pid in left:
            _send(pid, signal.SIGKILL if waited > grace else signal.SIGTERM)
        time.sleep(_PAUSE)


def _uids_of(pid: str, proc: str = "/proc", *, real_only: bool = False) -> set[int]:
    for line in _read(f"{proc}/{pid}/status").splitlines():
        if line.startswith("Uid:"):
            return {int(number) for number in line.split()[1 : 2 if real_only else 3]}
        if line.startswith("State:") and line.split()[1] in "ZX":
            return set()
    return set()


def _read(path: str) -> str:
    """Nothing for a process that has ended meanwhile."""
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:
            return stream.read()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def _at_jobs() -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for pattern in _AT_JOBS:
        for path in glob.glob(pattern):
            status = os.lstat(path)
            if not os.path.basename(path).startswith(".") and os.path.isfile(path):
                found.setdefault(status.st_uid, []).append(path)
    return found


def _send(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def _quietly(command: list[str]) -> None:
    # No session, or a manager that does not answer, is no reason to stop: the processes are ended next.
    try:
        subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=10, check=False)
    except subprocess.TimeoutExpired:
        pass
