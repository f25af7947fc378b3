# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The first process of a machine or laptop, started in its own namespaces."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

from lab.names import LabError, Paths

BOOT_SECONDS = 60
SSH_LISTENS = ":0016 "  # port 22 in /proc/net/tcp


def start(paths: Paths, **order: object) -> int:
    """Start a machine; init.py documents ``order``. Returns the process ID in the lab."""
    done = subprocess.run(
        [sys.executable, "-s", "-m", "lab.hosts.init", json.dumps(order)],
        env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "PYTHONPATH": str(paths.tests)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise LabError(f"host {order['name']}: {done.stderr.strip().splitlines()[-1]}")
    return int(done.stdout)


def wait_until_up(name: str, pid: int) -> None:
    """Wait until systemd is up and sshd listens."""
    deadline = time.monotonic() + BOOT_SECONDS
    while time.monotonic() < deadline:
        try:
            listens = any(
                SSH_LISTENS in line and " 0A " in line for line in Path(f"/proc/{pid}/net/tcp").read_text().splitlines()
            )
            if listens and not Path(f"/proc/{pid}/root/run/nologin").exists():
                return
        except OSError:
            if not Path(f"/proc/{pid}").exists():
                raise LabError(f"host {name}: systemd ended while it booted") from None
        time.sleep(0.02)
    raise LabError(f"host {name}: no sshd within {BOOT_SECONDS} s")
