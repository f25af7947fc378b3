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
import shutil
import signal
import subprocess
import time
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts_model import Account, Traces, User

_NAMED = ("/var/spool/cron/crontabs/{name}", "/var/spool/cron/{name}", "/var/lib/systemd/linger/{name}")
_AT_JOBS = ("/var/spool/cron/atjobs/*", "/var/spool/at/*")
_PAUSE = 0.1


def look(users: t.Sequence[User], accounts: t.Mapping[str, Account]) -> dict[str, Traces]:
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
    at_jobs = _at_jobs()
    return {
        name: Traces(
            processes=tuple(processes.get(t.cast(int, uid), ())),
            files=tuple(
                [path for path in (form.format(name=name) for form in _NAMED) if os.path.isfile(path)]
                + ([] if uid is None else at_jobs.get(uid, []))
            ),
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


def end_processes(name: str, uid: int, *, grace: float, limit: float) -> int:
    """End the sessions, then all processes: TERM, after ``grace`` seconds KILL. How many are left after ``limit``."""
    if shutil.which("loginctl") and os.path.isdir("/run/systemd/system"):
        _quietly(["loginctl", "terminate-user", name])
    started = time.monotonic()
    while True:
        left = running({uid}).get(uid, [])
        waited = time.monotonic() - started
        if not left or waited > limit:
            return len(left)
        for pid in left:
            _send(pid, signal.SIGKILL if waited > grace else signal.SIGTERM)
        time.sleep(_PAUSE)


def _uids_of(pid: str) -> set[int]:
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as stream:
            for line in stream:
                if line.startswith("Uid:"):
                    return {int(number) for number in line.split()[1:3]}
                if line.startswith("State:") and line.split()[1] in "ZX":
                    return set()
    except (FileNotFoundError, ProcessLookupError):
        pass
    return set()


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
