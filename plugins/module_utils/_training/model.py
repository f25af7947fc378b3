# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The requirements on a training job, its Pods, and the parts of its verdict."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

PASSED, FAILED, NOT_RUN = "passed", "failed", "not_run"
"""``not_run`` means that no problem is proven, but evidence is missing."""
EQUAL, DIFFERENT, NO_REPLICAS, NOT_READ, NOT_ASSESSED = "equal", "different", "no_replicas", "not_read", "not_assessed"
UNPROVEN = frozenset(
    {
        "nothing-reported",
        "log-not-read",
        "log-incomplete",
        "steps-unproven",
        "loss-unproven",
        "weights-unproven",
        "carrier-unproven",
        "validation-unproven",
        "resume-unproven",
        "exit-unproven",
    }
)
"""The codes of missing evidence. All other codes are proven failures."""
GREW, UNCHANGED, UNKNOWN, NO_DEVICES = "grew", "unchanged", "unknown", "no_devices"
"""The counters of a node's EFA devices. ``UNKNOWN`` never proves anything."""
BOUND_SHARE = 0.75
"""The default bound of the final loss, as a share of a random guess's loss, which is ln(vocabulary)."""
WINDOW = 5
"""The number of steps over which the first and the final loss are averaged."""
MOST_NAMED = 8
RENDEZVOUS_PORT = 29500


@dataclass(frozen=True)
class Desired:
    nodes: int
    processes: int
    """The processes per node."""
    steps: int
    """The total number of steps, including those up to ``first_step``."""
    deadline: float
    """The time limit of the training, in seconds."""
    first_step: int = 0
    """The step of the checkpoint that the job must resume."""
    loss_bound: float | None = None
    """The bound of the final loss; None for the default from ``BOUND_SHARE``."""
    efa: bool = False
    """Whether EFA must carry the traffic between nodes."""
    restarts: int = 0
    """The planned restarts, after a test has killed a process or deleted a Pod."""
    checkpoints: bool = True
    """Whether the job must write checkpoints, which requires shared storage."""

    @property
    def ranks(self) -> int:
        return self.nodes * self.processes


@dataclass(frozen=True)
class Place:
    """One Pod of the job, and the ranks that it can have."""

    pod: str
    nodes: int
    processes: int
    """The processes per node."""
    node: int | None = None
    """The number of the node; None if the rendezvous assigns it. c10d sorts nodes by host name, not by the index of the Pod."""
    where: str = ""
    """The name of the node in Kubernetes; empty if it is unknown."""

    @property
    def described(self) -> str:
        return f"{self.pod} on {self.where}" if self.where else self.pod


@dataclass(frozen=True)
class Problem:
    code: str
    text: str
    """At most two sentences."""


@dataclass(frozen=True)
class EfaTraffic:
    """What the kernel's counters of a node's EFA devices show, regardless of NCCL's log."""

    pod: str
    counters: str
    """``GREW``, ``UNCHANGED``, ``UNKNOWN`` or ``NO_DEVICES``."""
    devices: int | None = None
    sent: int | None = None
    """The bytes that all devices sent during the training."""


@dataclass(frozen=True)
class Figures:
    first_step: int | None = None
    """The step of the loaded checkpoint; 0 without one, None if it is unknown."""
    losses: tuple[tuple[int, float], ...] = ()
    """Pairs of step and loss, ascending."""
    first_loss: float | None = None
    """The mean loss of the first five steps. In a job with fewer than ten steps, the mean loss of the first half."""
    last_loss: float | None = None
    """The mean loss of the last five steps. In a job with fewer than ten steps, the mean loss of the second half."""
    validation: float | None = None
    """The loss of the validation batch after the checkpoint was loaded."""
    checkpoints: tuple[tuple[int, float], ...] = ()
    """Pairs of step and validation loss before saving, ascending."""
    write_rate: float | None = None
    """MiB/s of all nodes together. The time ends when all nodes see the checkpoint. None if it was not measured."""
    read_rate: float | None = None
    """MiB/s at which a node read the checkpoint, possibly from the node's cache; None if it was not measured."""
    removed: bool = False
    """Whether the checkpoints were removed after the training."""
    tokens_per_second: float | None = None
    """The rate of all ranks, without the first five steps of the last start."""
    tflops: float | None = None
    """The rate of all ranks: 6 x parameters x tokens per second / 10^12."""
    parameters: int | None = None
    size: str = ""
    dtypes: tuple[str, ...] = ()
    devices: tuple[str, ...] = ()
    torch: tuple[str, ...] = ()
    cuda: tuple[str, ...] = ()
    nccl: tuple[str, ...] = ()
    weights: str = NOT_READ
    carrier: str = ""
    """What carried the traffic between nodes; empty without proof."""
    carrier_evidence: tuple[str, ...] = ()
    efa: tuple[EfaTraffic, ...] = ()
    """The traffic of each node whose first process started."""
    restarts: int = 0
    pods: tuple[tuple[int, str, str], ...] = ()
    """The rank, the Pod and the host name of each process."""
    images: tuple[str, ...] = ()
    """Images such as ``repository@sha256:...``, one for each digest that a Pod ran; empty if no digest is known."""


@dataclass(frozen=True)
class Verdict:
    status: str
    problems: tuple[Problem, ...]
    figures: Figures


def status(problems: t.Sequence[Problem]) -> str:
    if not problems:
        return PASSED
    return NOT_RUN if all(problem.code in UNPROVEN for problem in problems) else FAILED


def numbers(values: t.Iterable[int]) -> str:
    return named(map(str, sorted(values)))


def named(values: t.Iterable[str]) -> str:
    """The first eight values, and the number of the remaining values."""
    listed = list(values)
    more = f" and {len(listed) - MOST_NAMED} more" if len(listed) > MOST_NAMED else ""
    return ", ".join(listed[:MOST_NAMED]) + more
