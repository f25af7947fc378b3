# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Slurm on a blank disk: the cluster's key, and the units of the node type. The controller has the accounting database."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

WANTS = Path("etc/systemd/system/multi-user.target.wants")
UNITS = Path("/usr/lib/systemd/system")


def cluster_key(folder: Path) -> bytes:
    """The cluster's munge key, created once."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "munge.key"
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_bytes()
    with os.fdopen(descriptor, "wb") as out:
        key = secrets.token_bytes(128)
        out.write(key)
    return key


def prepare(root: Path, node_type: str, key: bytes, controller_ip: str | None) -> None:
    """Install Slurm on a blank disk; units are enabled by links, because nothing runs yet."""
    passwd = {line.split(":")[0]: line.split(":") for line in (root / "etc/passwd").read_text().splitlines()}
    uid, gid = (int(passwd["munge"][column]) for column in (2, 3))
    target = root / "etc/munge/munge.key"
    target.write_bytes(key)
    os.chown(target, uid, gid)
    target.chmod(0o400)
    _enable(root, "munge.service")
    if node_type == "controller":
        for unit in ("mariadb.service", "slurmdbd.service", "slurmctld.service"):
            _enable(root, unit)
    elif node_type in ("compute", "login"):
        (root / "etc/default/slurmd").write_text(f'SLURMD_OPTIONS="--conf-server {controller_ip}"\n')
        _enable(root, "slurmd.service")


def _enable(root: Path, unit: str) -> None:
    link = root / WANTS / unit
    link.parent.mkdir(parents=True, exist_ok=True)
    if not link.is_symlink():
        link.symlink_to(UNITS / unit)
