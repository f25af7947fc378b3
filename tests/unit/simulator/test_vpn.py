# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tunnels with real OpenVPN, where the lab's image exists."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest
from lab import rootfs
from lab.names import cache_folder

HERE = pathlib.Path(__file__).resolve().parent
IMAGE = cache_folder() / f"rootfs-{rootfs.recipe_hash()}"
# Processes too: what is left over ends with the tests.
UNSHARE = ("unshare", "--net", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child", "--mount-proc")
# The folder becomes RAM: disks of laptops are overlays, which need another file system below them than an overlay.
ENTER = (
    "mkdir -p /run/netns && mount -t tmpfs none /run/netns && mount -t tmpfs none $VPN_STATE && "
    'mkdir -p $VPN_STATE && ln -s $VPN_TESTS $VPN_STATE/tests && ip link set lo up && exec "$@"'
)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root for network namespaces")
@pytest.mark.skipif(not IMAGE.is_dir(), reason="the lab's image is not built yet (the first `lab up` does)")
def test_tunnels_in_namespaces(tmp_path: pathlib.Path) -> None:
    tests = [sys.executable, "-m", "pytest", str(HERE / "vpn_in_namespaces.py"), "-q", "-p", "no:cacheprovider"]
    namespaces = [*UNSHARE, "sh", "-eu", "-c", ENTER, "sh"]
    environment = {
        **os.environ,
        "VPN_IMAGE": str(IMAGE),
        "VPN_STATE": str(tmp_path),
        "VPN_TESTS": str(HERE.parents[1]),
        "PYTHONPATH": f"{HERE.parents[1]}:{HERE}",
    }
    command = [*namespaces, *tests, "--import-mode=importlib"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
