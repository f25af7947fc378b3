# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""slurm.conf as HyperPod writes it: Slurm is configless, so only the controller has it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

CPUS, MEMORY = 16, 1000  # resources of a lab machine: a task for each GPU must fit
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
SWITCH_WAIT = 20  # seconds after which Slurm ignores a requested number of switches
TREE = f"""\
TopologyPlugin=topology/tree
SchedulerParameters=sched_interval=2,bf_interval=2,max_switch_wait={SWITCH_WAIT}
"""


@dataclass(frozen=True)
class Member:
    """A machine of a cluster in Slurm."""

    name: str
    ip: str
    node_type: str
    instance_type: str = ""


def configuration(cluster_id: str, members: Iterable[Member], *, tree: bool = False) -> str:
    """The controller's slurm.conf: partition `dev` has every node, and each compute instance type has a partition.

    :param tree: whether a topology.conf of switches exists.
    """
    nodes = sorted(members, key=lambda member: member.name)
    controllers = [node for node in nodes if node.node_type == "controller"]
    workers = [node for node in nodes if node.node_type in ("compute", "login")]
    lines = [f"ClusterName={cluster_id}"]
    lines += [f"SlurmctldHost={node.name}({node.ip})" for node in controllers]
    lines += [f"AccountingStorageHost={node.name}" for node in controllers]
    lines += (SETTINGS + (TREE if tree else "")).splitlines()
    for node in workers:
        lines.append(f"NodeName={node.name} NodeAddr={node.ip} CPUs={CPUS} RealMemory={MEMORY} State=UNKNOWN")
    if workers:
        lines.append("PartitionName=dev Nodes=ALL Default=YES MaxTime=INFINITE State=UP")
    types = sorted({node.instance_type for node in workers if node.node_type == "compute" and node.instance_type})
    for kind in types:
        names = ",".join(node.name for node in workers if node.node_type == "compute" and node.instance_type == kind)
        lines.append(f"PartitionName={kind} Nodes={names} MaxTime=INFINITE State=UP")
    return "\n".join(lines) + "\n"


def topology(layers: Mapping[str, Sequence[str]]) -> str:
    """topology.conf: switches from the layers above each node, from the top down, below one that connects them all."""
    below: dict[str, set[str]] = {}
    nodes: dict[str, list[str]] = {}
    for node, path in sorted(layers.items()):
        nodes.setdefault(path[-1], []).append(node)
        for above, name in zip(["all", *path], path):
            below.setdefault(above, set()).add(name)
    lines = [f"SwitchName={name} Nodes={','.join(of_switch)}" for name, of_switch in sorted(nodes.items())]
    lines += [f"SwitchName={name} Switches={','.join(sorted(of_switch))}" for name, of_switch in sorted(below.items())]
    return "\n".join(lines) + "\n"
