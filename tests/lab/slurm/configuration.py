# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Slurm as HyperPod runs it: configless, the controller alone has slurm.conf and the accounts' database."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

WANTS = Path("etc/systemd/system/multi-user.target.wants")
UNITS = Path("/usr/lib/systemd/system")
CPUS, MEMORY = 2, 1000  # what a lab machine claims to have
SETTINGS = """\
SlurmctldParameters=enable_configless
SlurmdParameters=config_overrides
SlurmUser=slurm
AuthType=auth/munge
AccountingStorageType=accounting_storage/slurmdbd
StateSaveLocation=/var/lib/slurm/slurmctld
SlurmdSpoolDir=/var/spool/slurmd
SlurmdPidFile=/run/slurmd.pid
SlurmctldPidFile=/run/slurmctld.pid
SlurmctldLogFile=/var/log/slurm/slurmctld.log
SlurmdLogFile=/var/log/slurm/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
ReturnToService=2
MpiDefault=none
"""


@dataclass(frozen=True)
class Member:
    """A machine of a cluster as Slurm sees it."""

    name: str
    ip: str
    node_type: str
    instance_type: str = ""


def configuration(cluster_id: str, members: Iterable[Member]) -> str:
    """The controller's slurm.conf: partition `dev` has every node, each compute instance type one of its own."""
    nodes = sorted(members, key=lambda member: member.name)
    controllers = [node for node in nodes if node.node_type == "controller"]
    workers = [node for node in nodes if node.node_type in ("compute", "login")]
    lines = [f"ClusterName={cluster_id}"]
    lines += [f"SlurmctldHost={node.name}({node.ip})" for node in controllers]
    lines += [f"AccountingStorageHost={node.name}" for node in controllers]
    lines += SETTINGS.splitlines()
    for node in workers:
        lines.append(f"NodeName={node.name} NodeAddr={node.ip} CPUs={CPUS} RealMemory={MEMORY} State=UNKNOWN")
    if workers:
        lines.append("PartitionName=dev Nodes=ALL Default=YES MaxTime=INFINITE State=UP")
    types = sorted({node.instance_type for node in workers if node.node_type == "compute" and node.instance_type})
    for kind in types:
        names = ",".join(node.name for node in workers if node.node_type == "compute" and node.instance_type == kind)
        lines.append(f"PartitionName={kind} Nodes={names} MaxTime=INFINITE State=UP")
    return "\n".join(lines) + "\n"


def cluster_key(folder: Path) -> bytes:
    """The cluster's munge key, made once."""
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
    """Give a blank disk its part in Slurm; units are enabled by their links, as nothing runs yet."""
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
