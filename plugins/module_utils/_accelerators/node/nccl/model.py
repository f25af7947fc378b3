# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""An NCCL test: its settings, output and outcome. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

PASSED, SLOW, FAILED, NOT_RUN = "passed", "slow", "failed", "not_run"
"""``failed``: the test found a fault of nodes or network. ``not_run``: the test itself failed, so it proves no such fault."""

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
"""Transports of the data. P2P is NCCL's term for direct access between GPUs, over NVLink if the board has it."""


@dataclass(frozen=True)
class Desired:
    addresses: tuple[str, ...]
    """Addresses of Slurm nodes, or instance IDs of nodes in Kubernetes."""
    instance_type: str
    gpus: int
    """GPUs of each node."""
    bytes: int
    program: str = ""
    mpi: str = "pmix"
    """Empty if the test is not started by MPI."""
    efa: bool = True
    """Whether the nodes have EFA devices."""
    reference: float | None = None
    """The GB/s that were measured on healthy nodes; None for the value of the table in ``references``."""
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
    """The output of ``srun`` and all tasks, or of all Pods."""

    text: str
    status: int | None
    """The exit status; None if the test was stopped at its deadline, or because it printed too much."""
    too_much: bool = False


@dataclass(frozen=True)
class Row:
    bytes: int
    bandwidth: float
    """The bus bandwidth out of place, in GB/s."""
    wrong: int | None
    """The number of wrong values; None if the test did not check the values."""


@dataclass(frozen=True)
class Table:
    rows: tuple[Row, ...]
    ranks: int
    """The number of different ranks."""
    out_of_bounds: int | None
    """The number of wrong values in the summary lines; None if these lines are missing."""


@dataclass(frozen=True)
class Log:
    """The content of NCCL's log with ``NCCL_DEBUG=INFO``."""

    providers: t.Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Hosts, keyed by the provider of libfabric that they use."""
    networks: frozenset[str] = frozenset()
    """Networks of channels between nodes, such as ``AWS Libfabric`` or ``Socket``."""
    within: frozenset[str] = frozenset()
    """Transports of channels within a node: ``P2P``, ``SHM``."""
    gpu_direct: bool | None = None
    """Whether the network uses GPUDirect RDMA; None without channels between nodes."""
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
    """The reason of ``failed`` or ``not_run``: one of the names above."""
    nodes: tuple[str, ...] = ()
    """The names of the nodes in Slurm or Kubernetes."""
    program: str = ""
    rows: tuple[Row, ...] = ()
    bandwidth: float | None = None
    reference: Reference | None = None
    floor: float | None = None
    carried_by: str = ""
    gpu_direct: bool | None = None
    evidence: tuple[str, ...] = ()
