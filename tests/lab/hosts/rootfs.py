# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The machines' image: a Debian tree built once by mmdebstrap and cached under the hash of its recipe."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from lab import debian
from lab.debian import Progress
from lab.names import LabError

SUITE = "trixie"  # its Slurm (24.11) is the version in HyperPod's documentation
PACKAGES = (
    *("systemd-sysv", "dbus", "libpam-systemd", "python3", "sudo", "cron", "acl", "procps", "iproute2"),
    *("openssh-server", "openssh-client", "munge", "slurmctld", "slurmd", "slurm-client"),
    *("slurmdbd", "mariadb-server-core", "mariadb-client"),
    *("haproxy", "python3-fusepy", "openvpn", "nftables", "tmux"),
)
IMAGE = Path(__file__).with_name("image")


def recipe_hash() -> str:
    """Hash of all inputs of the image and of the machine's architecture."""
    digest = hashlib.sha256(repr((SUITE, PACKAGES, debian.LEAN, os.uname().machine)).encode())
    for path in sorted(IMAGE.rglob("*")):
        if path.is_file():
            digest.update(f"{path.relative_to(IMAGE)} {path.stat().st_mode & 0o111:o}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def ensure(progress: Progress) -> Path:
    """Path of the image; it is built first if the cache lacks it."""
    return debian.cached("rootfs", recipe_hash(), lambda work, root: _build(work, root, progress), progress)


def _build(work: Path, root: Path, progress: Progress) -> None:
    progress(f"image: Debian {SUITE} is built once, in {work.parent}")
    with debian.phase(progress, f"image: install {len(PACKAGES)} packages and what they need"):
        debian.tree(debian.Apt(work), root, SUITE, PACKAGES, lambda line: progress(f"image: {line}"))
    with debian.phase(progress, "image: add what HyperPod's image has"):
        _customise(root)


def _customise(root: Path) -> None:
    shutil.copytree(IMAGE / "files", root, dirs_exist_ok=True)
    script = root / "customise"
    shutil.copy2(IMAGE / "customise", script)
    done = subprocess.run(
        ["chroot", str(root), "/bin/sh", "-eu", "/customise"],
        env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise LabError(f"image: customise failed: {done.stderr.strip()}")
    script.unlink()
