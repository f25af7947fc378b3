# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""First process of a host: makes a disk the root of new namespaces and becomes systemd or `init`.

Run as `python -m lab.hosts.init JSON` by boot.py; prints its process ID in the lab.
"""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path
from typing import Any

from lab.hosts import namespace as ns

DEVICES = {"null": 3, "zero": 5, "full": 7, "random": 8, "urandom": 9}
TUN = os.makedev(10, 200)
SYSTEMD = ("/lib/systemd/systemd", "--log-target=journal")
LINKS = {"ptmx": "pts/ptmx", "fd": "/proc/self/fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2"}


def main(spec: dict[str, Any]) -> None:
    Path(spec["cgroup"], "cgroup.procs").write_text(str(os.getpid()))
    ns.setns(f"/run/netns/{spec['netns']}")
    ns.unshare(ns.NEWNS | ns.NEWPID | ns.NEWUTS | ns.NEWIPC | ns.NEWCGROUP)
    child = os.fork()
    if child:
        print(child, flush=True)
        os._exit(0)
    os.setsid()
    ns.make_private()
    ns.sethostname(spec["name"])
    _mounts(Path(spec["root"]), spec.get("fsx", ""))
    for kind in ("binds", "read_only_binds"):
        for path, source in spec.get(kind, {}).items():
            ns.bind(source, Path(spec["root"], path), read_only=kind != "binds")
    _enter(Path(spec["root"]))
    quiet = os.open("/dev/null", os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(quiet, descriptor)
    os.closerange(3, 1024)
    env = {"container": "lab", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
    init = spec.get("init", SYSTEMD)
    os.execve(init[0], init, env)


def _mounts(root: Path, fsx: str) -> None:
    ns.mount("proc", root / "proc", "proc", ns.MS_NOSUID | ns.MS_NODEV | ns.MS_NOEXEC)
    ns.mount("sysfs", root / "sys", "sysfs", ns.MS_RDONLY)
    ns.mount("cgroup2", root / "sys/fs/cgroup", "cgroup2")
    ns.mount("tmpfs", root / "run", "tmpfs", ns.MS_NOSUID | ns.MS_NODEV, "mode=755")
    ns.mount("tmpfs", root / "tmp", "tmpfs", ns.MS_NOSUID | ns.MS_NODEV, "mode=1777")
    _devices(root / "dev")
    for folder in ("sshd", "lock"):
        (root / "run" / folder).mkdir()
    if fsx:
        ns.bind(fsx, root / "fsx")


def _devices(dev: Path) -> None:
    ns.mount("tmpfs", dev, "tmpfs", ns.MS_NOSUID, "mode=755")
    os.umask(0)
    for name, minor in DEVICES.items():
        os.mknod(dev / name, 0o666 | stat.S_IFCHR, os.makedev(1, minor))
    os.mknod(dev / "tty", 0o666 | stat.S_IFCHR, os.makedev(5, 0))
    for name, target in LINKS.items():
        os.symlink(target, dev / name)
    os.umask(0o022)
    for folder in ("pts", "shm", "net"):
        (dev / folder).mkdir()
    os.mknod(dev / "net/tun", 0o600 | stat.S_IFCHR, TUN)
    ns.mount("devpts", dev / "pts", "devpts", ns.MS_NOSUID, "newinstance,ptmxmode=0666,mode=620,gid=5")
    ns.mount("tmpfs", dev / "shm", "tmpfs", ns.MS_NOSUID | ns.MS_NODEV, "mode=1777")


def _enter(root: Path) -> None:
    os.chdir(root)
    ns.pivot_root(Path("."), Path("mnt"))
    os.chdir("/")
    ns.unmount("/mnt")


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
