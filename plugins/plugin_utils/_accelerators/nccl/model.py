# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The nodes to test, the tests, and their outcomes."""

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
    """Whether the instance type has EFA devices."""


@dataclass(frozen=True)
class Test:
    """An NCCL test. All of its nodes have the same type."""

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
    """The result of one test. Its texts come from a node; each is one printable line."""

    ids: tuple[str, ...]
    verdict: str
    failure: str = ""
    text: str = ""
    evidence: str = ""
    direct: bool | None = None
    """Whether EFA used GPUDirect RDMA; None if unknown."""
    bandwidth: float | None = None
    """The bus bandwidth that nccl-tests reported, in GB/s; None if it reported none."""
    floor: float | None = None
    """The bandwidth in GB/s below which a test is slow; None if no reference value is known."""
    bytes: int | None = None
    """The message size of the measurement."""
    carried_by: str = ""
    """The transport that carried the data; empty if the log does not prove it."""

    def to_report(self) -> dict[str, t.Any]:
        figures = {"verdict": self.verdict, "bandwidth": self.bandwidth, "floor": self.floor, "text": self.text}
        return {"nodes": list(self.ids), **figures}
