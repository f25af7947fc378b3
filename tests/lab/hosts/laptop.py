# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""People's laptops: in the lab's internet, with the image's openvpn, ssh and tmux, without a route into a VPC.

For callers inside the lab. A laptop has its own disk, network, processes and host name, but no systemd, so it does not
count as a machine. Its owner is root there and has the SSH key of ~/people/NAME.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

from lab.hosts import boot, cgroups, disk, namespace
from lab.names import PEOPLE, LabError, Paths
from lab.net import internet

ADDRESSES = dict(zip(PEOPLE, ("198.51.100.77", "198.51.100.78", "198.51.100.79"), strict=True))
INIT = ("/bin/bash", "-c", "trap exit TERM; while :; do sleep 3600 & wait; done")  # bash reaps orphaned processes
RESOLVER = f"nameserver {internet.DNS}\noptions timeout:2 attempts:2\n"
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "USER": "root", "LOGNAME": "root"}


class Laptop:
    """The laptop of a person. ``up`` and ``down`` may be called at any time."""

    def __init__(self, paths: Paths, person: str = PEOPLE[0]) -> None:
        if person not in ADDRESSES:
            raise LabError(f"laptop of {person!r}: one of {', '.join(ADDRESSES)}")
        self.paths = paths
        self.person = person
        self.address = ADDRESSES[person]
        self.name = f"laptop-{person}"
        self.root = paths.disks / self.name / "root"

    def up(self) -> None:
        """Start the first process on a blank disk, unless the laptop runs."""
        if self._pid():
            return
        self.down()
        internet.ensure(self.paths)
        subprocess.run(["ip", "netns", "add", self.name], check=True)
        internet.attach(self.name, self.address, "eth0", router=True)
        self._disk()
        self._boot()

    def down(self) -> None:
        """Remove it with its disk."""
        pid = self._pid()
        if pid:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._mark.unlink(missing_ok=True)
        cgroups.remove(self._group)
        disk.drop(self.root.parent)
        if Path("/run/netns", self.name).exists():
            subprocess.run(["ip", "netns", "delete", self.name], check=True)

    def argv(self, command: Sequence[str]) -> list[str]:
        """A command line that runs `command` on the laptop, which is started if necessary."""
        self.up()
        pid = self._pid()
        assert pid
        variables = ENVIRONMENT | {key: os.environ[key] for key in ("TERM",) if key in os.environ}
        settings = [f"{key}={value}" for key, value in variables.items()]
        return namespace.host_argv(pid, ["env", "-i", *settings, *command])

    @property
    def _mark(self) -> Path:
        return self.paths.disks / f"{self.name}.json"

    @property
    def _group(self) -> Path:
        return cgroups.laptop_folder(self.paths, self.person)

    def _pid(self) -> int | None:
        try:
            pid = json.loads(self._mark.read_text())["pid"]
        except (OSError, ValueError):
            return None
        return pid if Path(f"/proc/{pid}/root").exists() else None

    def _disk(self) -> None:
        disk.blank(self.root.parent, self.paths.rootfs, source=self.name)
        (self.root / "etc/hostname").write_text(f"{self.name}\n")
        (self.root / "etc/hosts").write_text(f"127.0.0.1 localhost\n127.0.1.1 {self.name}\n")
        (self.root / "etc/resolv.conf").write_text(RESOLVER)
        ssh = self.root / "root/.ssh"
        ssh.mkdir(mode=0o700, exist_ok=True)
        for key in (self.paths.home / "people" / self.person).iterdir():
            shutil.copy2(key, ssh)

    def _boot(self) -> None:
        self._group.mkdir(parents=True, exist_ok=True)
        pid = boot.start(
            self.paths, cgroup=str(self._group), netns=self.name, name=self.name, root=str(self.root), init=INIT
        )
        self._mark.write_text(json.dumps({"pid": pid}))
