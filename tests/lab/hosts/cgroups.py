# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Control groups of hosts: a folder for each lab, and in it one for each host, so that each systemd has a separate tree."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from pathlib import Path

from lab.names import LabError, Paths

ROOT_NAME = "mlfleet-lab"
COMMAND, LAPTOP = "command-", "laptop-"  # groups without systemd, which are not counted
INOTIFY_LIMIT = Path("/proc/sys/fs/inotify/max_user_instances")
INSTANCES_A_HOST = 7  # inotify instances of a systemd with its services; 128, the kernel's default, is enough for 18 hosts
GROWTH = 3  # hosts that a test may add later
PATIENCE = 600.0  # seconds; the longest test keeps its hosts for five minutes


def root() -> Path:
    """The folder of all labs, in the cgroup2 hierarchy of the machine (pure or hybrid)."""
    for base in (Path("/sys/fs/cgroup/unified"), Path("/sys/fs/cgroup")):
        if (base / "cgroup.procs").exists():
            return base / ROOT_NAME
    raise LabError("the lab needs a cgroup2 hierarchy at /sys/fs/cgroup or /sys/fs/cgroup/unified")


def host_folder(paths: Paths, instance_id: str) -> Path:
    return root() / paths.cgroup / instance_id


def command_folder(paths: Paths, pid: int) -> Path:
    """The group of a command that must end with all its processes; the time makes it unique over process namespaces."""
    return root() / paths.cgroup / f"{COMMAND}{pid}-{time.monotonic_ns()}"


def laptop_folder(paths: Paths, person: str) -> Path:
    return root() / paths.cgroup / f"{LAPTOP}{person}"


def running() -> int:
    """Hosts that run on this machine, over all labs."""
    folders = (folder for folder in root().glob("*/*") if not folder.name.startswith((COMMAND, LAPTOP)))
    return sum(1 for folder in folders if _populated(folder))


def _populated(folder: Path) -> bool:
    try:
        return "populated 1" in (folder / "cgroup.events").read_text()
    except OSError:
        return False


def most_hosts() -> int:
    return int(INOTIFY_LIMIT.read_text()) // INSTANCES_A_HOST


def check_room(wanted: int = 1, starting: Iterable[Path] = ()) -> None:
    """Refuse hosts beyond the limit; `starting` are groups whose processes are about to start."""
    present = running() + sum(1 for folder in starting if not _populated(folder))
    if present + wanted > most_hosts():
        raise LabError(
            f"{present} lab machines run already and {wanted} more would pass the limit of {most_hosts()} on one machine "
            "(inotify instances); remove another lab first, for example with `make lab-down`"
        )


def wait_for_room(wanted: int) -> None:
    """Wait until ``wanted`` hosts fit next to those of concurrent labs, with a few more that a test may add.

    For a lab without hosts. Hosts beyond the limit are refused at their creation, not here.
    """
    deadline = time.monotonic() + PATIENCE
    while running() and running() + wanted + GROWTH > most_hosts() and time.monotonic() < deadline:
        time.sleep(1)


def remove(folder: Path, patience: float = 5.0) -> None:
    """Remove a folder of groups, with retries while processes are ending."""
    deadline = time.monotonic() + patience
    while folder.is_dir():
        for parent, _names, _files in os.walk(folder, topdown=False):
            try:
                os.rmdir(parent)
            except OSError:
                continue
        if time.monotonic() > deadline:
            return
        if folder.is_dir():
            time.sleep(0.02)


def remove_lab(paths: Paths) -> None:
    remove(root() / paths.cgroup)
    try:
        root().rmdir()
    except OSError:
        pass  # other labs run
