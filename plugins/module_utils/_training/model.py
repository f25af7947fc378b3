# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""What a training job must do, and what its verdict consists of. Pure."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

PASSED, FAILED, NOT_RUN = "passed", "failed", "not_run"
"""``not_run``: no problem is proven, but evidence is missing."""
EQUAL, DIFFERENT, NO_REPLICAS, NOT_READ = "equal", "different", "no_replicas", "not_read"
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
    }
)
"""Codes for missing evidence. All others are proven failures."""
BOUND_SHARE = 0.75
"""Default bound of the final loss, as a share of the loss of a random guess, ln(vocabulary)."""
WINDOW = 5
"""Steps over which the first and the final loss are averaged."""
MOST_NAMED = 8
RENDEZVOUS_PORT = 29500


@dataclass(frozen=True)
class Desired:
    nodes: int
    processes: int
    """Per node."""
    steps: int
    """Total, counted over resumes."""
    deadline: float
    """Seconds."""
    first_step: int = 0
    """Of the checkpoint that the job must resume."""
    loss_bound: float | None = None
    """None for the default of ``BOUND_SHARE``."""
    efa: bool = False
    """EFA must carry the traffic between nodes."""
    restarts: int = 0
    """Planned ones, after a test has killed a process or deleted a Pod."""
    checkpoints: bool = True
    """The job must write checkpoints; without shared storage it cannot."""

    @property
    def ranks(self) -> int:
        return self.nodes * self.processes


@dataclass(frozen=True)
class Problem:
    code: str
    text: str
    """At most two sentences."""


@dataclass(frozen=True)
class Figures:
    first_step: int | None = None
    """Of the checkpoint that was loaded; 0 without one, None if unknown."""
    losses: tuple[tuple[int, float], ...] = ()
    """Step and loss, ascending."""
    first_loss: float | None = None
    """Mean of the first five steps, fewer in a job with fewer than ten."""
    last_loss: float | None = None
    """Mean of the last five steps, fewer in a job with fewer than ten."""
    validation: float | None = None
    """Loss of the validation batch after the checkpoint was loaded."""
    checkpoints: tuple[tuple[int, float], ...] = ()
    """Step and validation loss before saving, ascending."""
    write_rate: float | None = None
    """MiB/s at which all nodes together wrote their checkpoints, until all of them saw these; None if it was not measured."""
    read_rate: float | None = None
    """MiB/s at which a node read the checkpoint, maybe from a cache of the node; None if it was not measured."""
    removed: bool = False
    """The checkpoints were removed after the training."""
    tokens_per_second: float | None = None
    """Of all ranks, without the first five steps of the last start."""
    tflops: float | None = None
    """Of all ranks: 6 x parameters x tokens per second / 10^12."""
    parameters: int | None = None
    size: str = ""
    dtypes: tuple[str, ...] = ()
    devices: tuple[str, ...] = ()
    torch: tuple[str, ...] = ()
    cuda: tuple[str, ...] = ()
    nccl: tuple[str, ...] = ()
    weights: str = NOT_READ
    carrier: str = ""
    """Empty without proof."""
    carrier_evidence: tuple[str, ...] = ()
    restarts: int = 0
    pods: tuple[tuple[int, str, str], ...] = ()
    """Rank, Pod and host name."""
    images: tuple[str, ...] = ()
    """Such as ``repository@sha256:...``, one for each digest that a Pod ran; empty if none is known."""


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
    """The first eight, and how many more."""
    listed = list(values)
    more = f" and {len(listed) - MOST_NAMED} more" if len(listed) > MOST_NAMED else ""
    return ", ".join(listed[:MOST_NAMED]) + more
