# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""System calls that Python before 3.12 lacks, and commands that enter the namespaces of a lab or a host."""

from __future__ import annotations

import ctypes
import os
import platform
from collections.abc import Sequence
from pathlib import Path

from lab.names import LabError

NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWPID, NEWNET = 0x20000, 0x2000000, 0x4000000, 0x8000000, 0x20000000, 0x40000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT = 1, 2, 4, 8, 32
MS_BIND, MS_MOVE, MS_REC, MS_PRIVATE = 0x1000, 0x2000, 0x4000, 0x40000
MNT_DETACH = 2
PR_SET_PDEATHSIG = 1
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}

_libc = ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> None:
    if result:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def unshare(flags: int) -> None:
    _check(_libc.unshare(ctypes.c_int(flags)), "unshare")


def setns(path: str | Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        _check(_libc.setns(descriptor, 0), f"setns {path}")
    finally:
        os.close(descriptor)


def mount(source: str | Path, target: str | Path, kind: str = "", flags: int = 0, data: str = "") -> None:
    result = _libc.mount(
        os.fsencode(source), os.fsencode(target), kind.encode(), ctypes.c_ulong(flags), data.encode() or None
    )
    _check(result, f"mount {kind or 'bind'} on {target}")


def bind(source: str | Path, target: str | Path, read_only: bool = False) -> None:
    mount(source, target, flags=MS_BIND)
    if read_only:
        mount("none", target, flags=MS_BIND | MS_REMOUNT | MS_RDONLY)


def make_private(target: str = "/") -> None:
    mount("none", target, flags=MS_REC | MS_PRIVATE)


def unmount(target: str | Path) -> None:
    _check(_libc.umount2(os.fsencode(target), MNT_DETACH), f"unmount {target}")


def pivot_root(new_root: Path, put_old: Path) -> None:
    number = _PIVOT_ROOT.get(platform.machine())
    if number is None:
        raise LabError(f"the lab runs on x86_64 and aarch64, not on {platform.machine()}")
    _check(_libc.syscall(number, os.fsencode(new_root), os.fsencode(put_old)), "pivot_root")


def sethostname(name: str) -> None:
    raw = name.encode()
    _check(_libc.sethostname(raw, len(raw)), "sethostname")


def die_with_parent(signal: int = 9) -> None:
    _check(_libc.prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0), "prctl")


def host_argv(pid: int, argv: Sequence[str], control_group: str | None = None) -> list[str]:
    """A command line that runs `argv` as root in all namespaces of a host, in systemd's own control group."""
    enter = ["nsenter", "-t", str(pid), "-m", "-u", "-i", "-n", "-p", "-C", "-r", "-w", "--", *argv]
    if not control_group:
        return enter
    return ["/bin/sh", "-c", 'echo $$ >"$0" && exec "$@"', f"{control_group}/init.scope/cgroup.procs", *enter]


def missing_requirements() -> list[str]:
    """Missing requirements of this machine for a lab, one line each."""
    missing = []
    if os.geteuid() != 0:
        missing.append("the lab needs root: run it with sudo or in a privileged container")
    for tool in ("nsenter", "unshare", "ip", "apt-get", "dpkg", "perl", "ssh-keygen"):
        if not any(Path(folder, tool).exists() for folder in ("/usr/sbin", "/usr/bin", "/sbin", "/bin")):
            missing.append(f"the lab needs the command {tool} (Debian and Ubuntu have it)")
    filesystems = Path("/proc/filesystems").read_text().split()
    for kind in ("overlay", "fuse", "cgroup2"):
        if kind not in filesystems and not Path("/sys/module", kind).exists():
            missing.append(f"the lab needs the kernel's {kind} file system (modprobe {kind})")
    if not Path("/dev/fuse").exists():
        missing.append("the lab needs /dev/fuse (in a container: --device /dev/fuse)")
    if os.geteuid() == 0:
        missing += _namespaces_missing()
    return missing


def _namespaces_missing() -> list[str]:
    """Try it in a child process: capabilities do not show what a seccomp profile allows."""
    child = os.fork()
    if child == 0:
        try:
            unshare(NEWNS | NEWNET | NEWPID | NEWUTS | NEWIPC | NEWCGROUP)
            make_private()
            os._exit(0)
        except OSError:
            os._exit(1)
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
        return ["the lab needs CAP_SYS_ADMIN for new namespaces (in a container: --privileged)"]
    return []
