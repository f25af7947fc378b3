# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Why an NCCL test did not complete. No I/O. Standard library only, Python 3.9 syntax.

The reason comes from messages of Slurm, the loader, Open MPI, CUDA, NCCL and libfabric. If lines match several classes of faults,
the class that is first in the table counts: its faults can cause those of later classes, but not the other way round.
"""

from __future__ import annotations

import re
import typing as t
from dataclasses import dataclass

from .model import (
    ALLOCATION,
    DEVICES,
    GROUPS,
    HARDWARE,
    IMAGE,
    LOCKED_MEMORY,
    MEMORY,
    PEER,
    PROVIDER,
    REGISTRATION,
    TIMEOUT,
    VERSIONS,
)
from .programs import NOT_AS_ROOT, NOT_SAFE, NOT_THERE

_LONGEST_LINE = 2000
_REGISTERS = r"(?:ibv_reg_mr|fi_mr_reg\S*|register memory)"


@dataclass(frozen=True)
class Fault:
    failure: str
    text: str
    line: str
    """The line of the log that shows the fault."""


_CLASSES: tuple[tuple[str, str, str], ...] = (
    (
        ALLOCATION,
        r"srun: error: (?:Unable to allocate resources|Unable to create step|Job allocation|.*Invalid (?:account|partition|qos))"
        r"|srun: fatal: |error: Unable to contact slurm controller|DUE TO (?:NODE FAILURE|PREEMPTION)|error: Node failure on",
        "Slurm did not allocate the nodes to the test, or revoked the allocation.",
    ),
    (
        HARDWARE,
        r"uncorrectable (?:ECC|NVLink) error|hardware stack error|over nvlink or a hardware error|GPU is lost|fallen off the bus"
        r"|GPU requires reset",
        "A GPU or its NVLink failed during the test. Check the node's accelerators.",
    ),
    (
        VERSIONS,
        r"driver version is insufficient|no kernel image is available|unsupported toolchain|forward compatibility was attempted"
        r"|system not yet initialized|Mismatched NCCL version|version mismatch|API mismatch|undefined symbol"
        r"|version .?(?:GLIBC|GLIBCXX|CUDA|NCCL)\S* not found",
        "The versions of driver, CUDA, NCCL or fabric manager do not match.",
    ),
    (
        IMAGE,
        re.escape(NOT_AS_ROOT),
        "Slurm refused account `nobody`, and as root the test needs nccl-tests, which the nodes lack. Install nccl-tests, or "
        "give `nobody` access to Slurm.",
    ),
    (
        IMAGE,
        re.escape(NOT_SAFE),
        "The program was not started, because accounts other than root can change it or a folder above it. Make root the owner, "
        "and remove the write permission of all other accounts.",
    ),
    (
        IMAGE,
        re.escape(NOT_THERE) + r"|error while loading shared libraries|cannot execute|exec format error|ModuleNotFoundError"
        r"|not built with SLURM'?s? PMI|plugin name for mpi|invalid MPI type|PMI\S* .*(?:failed|not supported)|OPAL ERROR"
        r"|No such file or directory.*all_reduce_perf|all_reduce_perf.*No such file or directory",
        "The image lacks programs or libraries for the test.",
    ),
    (
        DEVICES,
        r"no CUDA-capable device|invalid device ordinal|Invalid number of GPUs|No CUDA GPUs are available",
        "Slurm, a container or the driver gave the test fewer GPUs than requested.",
    ),
    (
        LOCKED_MEMORY,
        rf"RLIMIT_MEMLOCK|memlock|locked memory|{_REGISTERS}.*(?:Cannot allocate memory|RC: -12\b)",
        "Jobs can't lock enough memory for EFA. Raise the limit of slurmd, or of the container runtime.",
    ),
    (
        REGISTRATION,
        rf"{_REGISTERS}.*(?:Invalid argument|RC: -22\b|failed|[Uu]nable)|[Uu]nable to register memory",
        "EFA could not register memory. Causes of RC -22 are an EFA installer before 1.29.1 with NCCL 2.19, or missing GPUDirect.",
    ),
    (
        PROVIDER,
        r"provider efa output empty list|Only EFA provider is supported|Couldn't find any optimal provider|No eligible providers",
        "libfabric found no EFA device. Check the node's driver, and that jobs or Pods can access /dev/infiniband.",
    ),
    (
        MEMORY,
        r"out of memory|oom.?kill|OOMKilled|Out Of Memory|Cannot allocate memory|ENOMEM|No space left on device",
        "The GPUs or the node ran out of memory. Other programs use the memory, or the messages are too large.",
    ),
    (
        GROUPS,
        r"[Uu]nresponsive re(?:ceiver|mote)|Unreachable remote|handshake (?:failed|timeout)|No route to host|Connection timed out"
        r"|Network is unreachable|timed out after .*(?:connect|store)",
        "The nodes can't reach each other. Check their security groups (all traffic within the group) and their subnets.",
    ),
    (
        PEER,
        r"[Cc]onnection refused|ECONNREFUSED",
        "A process could not connect to another process, which had ended or not started. Check the first error on the other nodes.",
    ),
    (
        TIMEOUT,
        r"DUE TO TIME LIMIT",
        "Slurm ended the test at its time limit.",
    ),
)
_FOUND = tuple((failure, re.compile(words), text) for failure, words, text in _CLASSES)
_ERRORS = re.compile(r"NCCL WARN |Test (?:NCCL|CUDA) failure|[Ee]rror\b|ERROR\b|slurmstepd: ")


def fault(lines: t.Sequence[str]) -> Fault | None:
    """:param lines: without labels."""
    cut = [line[:_LONGEST_LINE] for line in lines]
    for failure, words, text in _FOUND:
        line = next((line for line in cut if words.search(line)), None)
        if line is not None:
            return Fault(failure, text, line)
    return None


def last_words(lines: t.Sequence[str], *, most: int) -> list[str]:
    """The lines with errors, or the last lines if there are none."""
    written = [line[:_LONGEST_LINE] for line in lines if line.strip()]
    return [line for line in written if _ERRORS.search(line)][:most] or written[-most:]
