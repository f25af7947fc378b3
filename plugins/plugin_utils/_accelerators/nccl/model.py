# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes that may be tested, and tests that were made. Pure."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

PASSED, SLOW, FAILED, NOT_RUN = "passed", "slow", "failed", "not_run"
"""Verdicts of the module ``nccl_test``."""
VERDICTS = (PASSED, SLOW, FAILED, NOT_RUN)
JUDGED = (PASSED, SLOW, FAILED)
"""Those that say something of the nodes."""


@dataclass(frozen=True)
class Node:
    instance_id: str
    address: str
    instance_type: str
    gpus: int
    efa: bool
    """Its type has EFA devices."""


@dataclass(frozen=True)
class Test:
    """All nodes of one test have the same type."""

    nodes: tuple[Node, ...]

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(node.instance_id for node in self.nodes)

    def to_task(self) -> dict[str, t.Any]:
        first = self.nodes[0]
        return {
            "ids": list(self.ids),
            "addresses": [node.address for node in self.nodes],
            "instance_type": first.instance_type,
            "gpus": first.gpus,
            "efa": first.efa,
        }


@dataclass(frozen=True)
class Outcome:
    """Of one test. Texts are what a node told: printable, and no longer than a line."""

    ids: tuple[str, ...]
    verdict: str
    failure: str = ""
    text: str = ""
    evidence: str = ""
    direct: bool | None = None
    """EFA read the memory of GPUs itself."""
    bandwidth: float | None = None
    """GB/s, as nccl-tests measures them on the bus; None where the test did not come so far."""
    floor: float | None = None
    """GB/s below which it is slow; None where nobody knows what is usual."""
    bytes: int | None = None
    """Of the message with which it was measured."""
    carried_by: str = ""
    """What carried the data; empty where the log does not prove it."""

    def to_report(self) -> dict[str, t.Any]:
        figures = {"verdict": self.verdict, "bandwidth": self.bandwidth, "floor": self.floor, "text": self.text}
        return {"nodes": list(self.ids), **figures}
