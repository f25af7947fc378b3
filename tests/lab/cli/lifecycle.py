# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Up and down: one supervisor for each lab, and nothing is left behind, even after a crash."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from lab.cli import home
from lab.debian import Progress
from lab.hosts import cgroups, namespace, rootfs
from lab.names import LabError, Paths

END_SECONDS = 20


def supervisor_pid(paths: Paths) -> int | None:
    """Process ID of the lab's supervisor; None if the lab does not run."""
    try:
        record = json.loads(paths.record.read_text())
    except (OSError, ValueError):
        return None
    return record["pid"] if _started(record["pid"]) == record["started"] else None


def required_pid(paths: Paths) -> int | None:
    """The supervisor to enter; None if the caller is already inside."""
    if paths.inside:
        return None
    pid = supervisor_pid(paths)
    if pid is None:
        raise LabError(f"lab {paths.name!r} does not run: start it with `python -m lab up --name {paths.name}`")
    return pid


def start(paths: Paths, progress: Progress, hosts: int = 0) -> None:
    """Start the image, namespaces and the API; `hosts` machines are created afterwards, from inside."""
    missing = namespace.missing_requirements()
    if missing:
        raise LabError("; ".join(missing))
    with _locked(paths):
        if supervisor_pid(paths) is not None:
            raise LabError(f"lab {paths.name!r} runs already")
        _sweep(paths)
        cgroups.check_room(hosts)
        image = rootfs.ensure(progress)
        begin = time.monotonic()
        done = subprocess.run(
            [sys.executable, "-m", "lab.cli.supervisor", paths.name, str(image)],
            env={**home.environment(paths, os.environ), "PYTHONPATH": str(paths.tests)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
        answer = json.loads(done.stdout or '{"error": "the supervisor ended at once"}')
        if answer["error"]:
            _sweep(paths)
            raise LabError(f"{answer['error']} (log: {paths.log})")
        progress(f"namespaces, network, AWS API: {time.monotonic() - begin:.1f} s")


def stop(paths: Paths) -> bool:
    """End the lab and remove its leftovers; False if there was none."""
    if paths.inside:
        raise LabError("`down` ends the lab that this command runs in: leave it first")
    if not paths.state.exists():
        cgroups.remove_lab(paths)
        return False
    with _locked(paths):
        pid = supervisor_pid(paths)
        if pid is not None:
            os.kill(pid, signal.SIGKILL)
            _wait_for_end(pid)
        _sweep(paths)
        shutil.rmtree(paths.state, ignore_errors=True)
    return True


def _wait_for_end(pid: int) -> None:
    """Wait for the end of the first process, which ends after all others of its namespace."""
    deadline = time.monotonic() + END_SECONDS
    while _started(pid) is not None and time.monotonic() < deadline:
        time.sleep(0.02)


def _sweep(paths: Paths) -> None:
    """Remove leftovers of a crash: control groups and the record. Mounts and networks end with their process."""
    cgroups.remove_lab(paths)
    paths.record.unlink(missing_ok=True)


def write_record(paths: Paths, pid: int) -> None:
    """Write the record before anything can fail, so that `down` finds the supervisor of an interrupted `up`."""
    paths.record.write_text(json.dumps({"pid": pid, "started": _started(pid)}))


def _started(pid: int) -> str | None:
    """The start time of a running process, which distinguishes it from a later one with the same ID."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else fields[19]


@contextlib.contextmanager
def _locked(paths: Paths) -> Iterator[None]:
    """One `up` or `down` of a lab at a time. The lock is the state folder; another `down` may have removed it."""
    while True:
        paths.state.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(paths.state, os.O_RDONLY)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        try:
            if os.path.samestat(os.fstat(descriptor), os.stat(paths.state)):
                break
        except FileNotFoundError:
            pass
        os.close(descriptor)
    try:
        yield
    finally:
        for folder in (paths.state, paths.state.parent):
            with contextlib.suppress(OSError):  # not empty: this lab or others run
                folder.rmdir()
        os.close(descriptor)
