# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared file systems: a FUSE daemon for each, mounted where hosts can bind it as /fsx."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path

from lab.hosts import disk, namespace
from lab.names import LabError, Paths

START_SECONDS = 20
OWNER = 1000  # the image's `ubuntu`


class FileSystems:
    """Creates file systems on first use. Their content outlives hosts and clusters, as with FSx."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._lock = threading.Lock()

    def ensure(self, name: str) -> Path:
        """Create the file system and start its daemon, once; return its mount point."""
        with self._lock:
            folder = self._paths.filesystems / name
            if not (folder / "pid").exists():
                self._make(folder)
            return self.mount_point(name)

    def mount_point(self, name: str) -> Path:
        return self._paths.filesystems / name / "tools" / "mnt"

    def _make(self, folder: Path) -> None:
        data, tools = folder / "data", folder / "tools"
        data.mkdir(parents=True)
        data.chmod(0o1777)
        disk.blank(folder, self._paths.rootfs, source="fsx", root="tools")
        shutil.copy2(Path(__file__).with_name("fsx_daemon.py"), tools / "fsx_daemon.py")
        _node_to_node_keys(tools, data)
        source = f"{folder.name}@tcp:/lab"
        namespace.bind(data, tools / "srv")
        for shared in ("proc", "dev"):
            namespace.bind(Path("/", shared), tools / shared)
        with open(folder / "log", "w", encoding="utf-8") as log:
            daemon = subprocess.Popen(
                ["chroot", str(tools), "/usr/bin/python3", "/fsx_daemon.py", "/srv", "/mnt", source],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"},
                start_new_session=True,
            )
        self._wait_mounted(folder, daemon)
        (folder / "pid").write_text(str(daemon.pid))

    @staticmethod
    def _wait_mounted(folder: Path, daemon: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and daemon.poll() is None:
            if f" {folder}/tools/mnt " in Path("/proc/self/mountinfo").read_text():
                return
            time.sleep(0.02)
        raise LabError(f"the shared file system did not start: {(folder / 'log').read_text().strip()}")


def hang(paths: Paths) -> list[str]:
    """Block every access to /fsx, as with a file system that lost its servers."""
    return _signal_all(paths, signal.SIGSTOP)


def resume(paths: Paths) -> list[str]:
    return _signal_all(paths, signal.SIGCONT)


def _signal_all(paths: Paths, number: signal.Signals) -> list[str]:
    names = []
    for path in sorted(paths.filesystems.glob("*/pid")):
        os.kill(int(path.read_text()), number)
        names.append(path.parent.name)
    return names


def _node_to_node_keys(tools: Path, data: Path) -> None:
    """Create the keys of AWS's scripts, with which `ubuntu` connects from node to node."""
    home = data / "ubuntu"
    ssh = home / ".ssh"
    ssh.mkdir(parents=True)
    draft = tools / "tmp" / "id_rsa"
    keygen = ["ssh-keygen", "-q", "-t", "rsa", "-b", "2048", "-N", "", "-C", "ubuntu@hyperpod", "-f", "/tmp/id_rsa"]
    subprocess.run(["chroot", str(tools), *keygen], check=True, stdin=subprocess.DEVNULL, capture_output=True)
    public = draft.with_suffix(".pub")
    shutil.copy(public, ssh / "authorized_keys")
    shutil.move(draft, ssh / "id_rsa")
    shutil.move(public, ssh / "id_rsa.pub")
    for path, mode in ((home, 0o755), (ssh, 0o700), *((file, 0o600) for file in ssh.iterdir())):
        os.chown(path, OWNER, OWNER)
        path.chmod(mode)
