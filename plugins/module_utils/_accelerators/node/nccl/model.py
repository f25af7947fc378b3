# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""A test of NCCL: what is asked for, what it said, and what that means. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

PASSED, SLOW, FAILED, NOT_RUN = "passed", "slow", "failed", "not_run"
"""``failed`` is what the test saw of nodes or network; ``not_run`` is a failure of the test itself, which tells nothing of them."""

JOBS, ALLOCATION, CHECK_MODE = "jobs", "allocation", "check-mode"
IMAGE, VERSIONS, MEMORY, LOCKED_MEMORY, REGISTRATION, GROUPS, DEVICES, PROVIDER, PEER = (
    "image",
    "versions",
    "memory",
    "locked-memory",
    "registration",
    "security-groups",
    "devices",
    "efa-provider",
    "peer",
)
TIMEOUT, OUTPUT, UNPROVEN, UNCLEAR = "timeout", "output", "unproven", "unclear"
WRONG_VALUES, HARDWARE, NO_EFA = "wrong-values", "hardware", "no-efa"

EFA, SOCKETS, P2P, SHARED_MEMORY = "EFA", "sockets", "P2P", "shared memory"
"""What carried the data. P2P is NCCL's word for GPUs that reach each other, over NVLink where the board has it."""


@dataclass(frozen=True)
class Desired:
    addresses: tuple[str, ...]
    """Of nodes in Slurm; instance IDs of those in Kubernetes."""
    instance_type: str
    gpus: int
    """Of each node."""
    bytes: int
    program: str = ""
    mpi: str = "pmix"
    """Empty where nobody starts the test by MPI."""
    efa: bool = True
    """The nodes have EFA devices."""
    reference: float | None = None
    """GB/s that somebody measured on nodes that are well; None for the table's."""
    floor_percent: int = 65
    beside_jobs: bool = False
    timeout: int = 600
    queue_timeout: int = 60

    @property
    def nodes(self) -> int:
        return len(self.addresses)

    @property
    def ranks(self) -> int:
        return self.nodes * self.gpus


@dataclass(frozen=True)
class Ran:
    """What ``srun`` and all tasks wrote, or all pods, one line after the other."""

    text: str
    status: int | None
    """None where it was ended: at its deadline, or because it wrote without end."""
    too_much: bool = False


@dataclass(frozen=True)
class Row:
    bytes: int
    bandwidth: float
    """Bus bandwidth out of place, in GB/s."""
    wrong: int | None
    """Values that were wrong; None where the test did not look."""


@dataclass(frozen=True)
class Table:
    rows: tuple[Row, ...]
    ranks: int
    """Different ones."""
    out_of_bounds: int | None
    """Wrong values as the last lines count them; None where those are missing."""


@dataclass(frozen=True)
class Log:
    """What NCCL said with ``NCCL_DEBUG=INFO``."""

    providers: t.Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Of libfabric, and the hosts that say so."""
    networks: frozenset[str] = frozenset()
    """Over which channels between nodes go, such as ``AWS Libfabric`` or ``Socket``."""
    within: frozenset[str] = frozenset()
    """Over which channels within a node go: ``P2P``, ``SHM``."""
    gpu_direct: bool | None = None
    """Whether the network reads and writes the memory of GPUs itself; None without channels between nodes."""
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reference:
    bandwidth: float
    source: str


@dataclass(frozen=True)
class Outcome:
    verdict: str
    text: str
    failure: str = ""
    """Why it is ``failed`` or ``not_run``, in one word."""
    nodes: tuple[str, ...] = ()
    """Names in Slurm, or in Kubernetes."""
    program: str = ""
    rows: tuple[Row, ...] = ()
    bandwidth: float | None = None
    reference: Reference | None = None
    floor: float | None = None
    carried_by: str = ""
    gpu_direct: bool | None = None
    evidence: tuple[str, ...] = ()
