# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes that can be tested, tests and their results. Pure."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

PASSED, SLOW, FAILED, NOT_RUN = "passed", "slow", "failed", "not_run"
"""Verdicts of the module ``nccl_test``."""
VERDICTS = (PASSED, SLOW, FAILED, NOT_RUN)
JUDGED = (PASSED, SLOW, FAILED)
"""Verdicts about the nodes, not about the test itself."""


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
    """The result of one test. Texts come from a node; they are printable and at most one line long."""

    ids: tuple[str, ...]
    verdict: str
    failure: str = ""
    text: str = ""
    evidence: str = ""
    direct: bool | None = None
    """EFA used GPUDirect RDMA; None if unknown."""
    bandwidth: float | None = None
    """Bus bandwidth of nccl-tests in GB/s; None if the test did not get that far."""
    floor: float | None = None
    """GB/s below which it is slow; None if no usual figure is known."""
    bytes: int | None = None
    """Size of the message in the measurement."""
    carried_by: str = ""
    """Transport of the data; empty if the log does not prove it."""

    def to_report(self) -> dict[str, t.Any]:
        figures = {"verdict": self.verdict, "bandwidth": self.bandwidth, "floor": self.floor, "text": self.text}
        return {"nodes": list(self.ids), **figures}
