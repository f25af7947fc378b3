# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The command that starts the test. No I/O. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import re
import typing as t

from ...._node.slurm.nodes.model import SlurmNode
from .model import Desired
from .programs import LAUNCHER, TORCH

STEPS = 16
"""The ratio of the largest to the smallest message. The last rows of the table show whether the bandwidth has levelled off."""
_MAINTENANCE = "hyperpod-system-maintenance"
"""HyperPod's own partition."""
_GPUS = re.compile(r"gpu(?::[^:()]+)?:(\d{1,6})(?:\(|$)")
"""A resource such as ``gpu:h100:8(S:0-1)``. The type and the sockets are optional."""


def command(desired: Desired, nodes: t.Sequence[SlurmNode], *, name: str) -> list[str]:
    """:param name: unique name of the job."""
    alone = len(nodes) == 1
    partitions = [each for each in nodes[0].partitions if each != _MAINTENANCE and all(each in node.partitions for node in nodes)]
    return [
        "srun",
        f"--job-name={name}",
        f"--nodelist={','.join(node.name for node in nodes)}",
        f"--nodes={len(nodes)}",
        f"--ntasks-per-node={1 if alone else desired.gpus}",
        *(["--oversubscribe"] if desired.beside_jobs else ["--exclusive", "--mem=0", *_gpus(desired, nodes)]),
        *([f"--partition={','.join(partitions)}"] if partitions else []),
        f"--time={minutes(desired.timeout)}",
        f"--immediate={desired.queue_timeout}",
        f"--mpi={desired.mpi}",
        "--cpu-bind=none",
        "--kill-on-bad-exit=1",
        "--chdir=/",
        "--input=none",
        "--label",
        "/bin/sh",
        "-c",
        LAUNCHER,
        "nccl-test",
        desired.program,
        str(desired.gpus if alone else 1),
        str(desired.bytes // STEPS),
        str(desired.bytes),
        TORCH,
    ]


def _gpus(desired: Desired, nodes: t.Sequence[SlurmNode]) -> list[str]:
    """If Slurm manages GPUs, tasks see only requested ones, even on an exclusive node (srun's manual, --gres)."""
    found = min(sum(int(match.group(1)) for match in map(_GPUS.match, node.gres) if match) for node in nodes)
    return [f"--gres=gpu:{min(found, desired.gpus)}"] if found else []


def environment(nodes: t.Sequence[SlurmNode], *, port: int) -> dict[str, str]:
    """The variables of the tasks, in addition to those of ``srun``. ``NCCL_DEBUG`` makes NCCL log what carries the data."""
    return {"NCCL_DEBUG": "INFO", "MASTER_ADDR": nodes[0].address, "MASTER_PORT": str(port)}


def minutes(seconds: int) -> int:
    """The time limit for Slurm, which ends the job even if this module does not."""
    return -(-seconds // 60)
