# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The result of ``slurm_nodes`` on a controller node, which is untrusted. No I/O."""

from __future__ import annotations

import collections
import typing as t
from dataclasses import dataclass

from .untrusted import Row, entries, line, rows

MOST_OF_NODE, MOST = 20, 10_000
"""Maximum number of jobs of one node, and of jobs or nodes of a cluster."""
OUT_OF_WORK = ("down", "drain", "drained", "draining", "drng", "fail", "failing", "error", "maint", "reboot")
AT_WORK = ("idle", "allocated", "mixed", "completing")
HOLDERS = ("features", "partitions", "reservations")


@dataclass(frozen=True)
class State:
    state: str = ""
    reason: str = ""
    jobs: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    partitions: tuple[str, ...] = ()
    reservations: tuple[str, ...] = ()


NOTHING = State()


def states(value: t.Any) -> dict[str, State]:
    """The states of nodes, keyed by address."""
    answer = value if isinstance(value, t.Mapping) else {}
    jobs: dict[str, list[str]] = collections.defaultdict(list)
    for job in rows(answer.get("jobs"), MOST):
        for name in entries(job.get("nodes"), MOST):
            jobs[line(name)].append(f"{line(job.get('id'))} of {line(job.get('user'))}")
    nodes = {address: row for row in rows(answer.get("nodes"), MOST) for address in _addresses(row)}
    return {
        address: State(
            line(row.get("state")),
            line(row.get("reason")),
            tuple(jobs[line(row.get("name"))][:MOST_OF_NODE]),
            **{name: tuple(line(each) for each in entries(row.get(name), MOST)) for name in HOLDERS},
        )
        for address, row in nodes.items()
    }


def names(value: t.Any) -> dict[str, str]:
    """Slurm's names of the nodes, keyed by address."""
    answer = value if isinstance(value, t.Mapping) else {}
    return {address: line(row.get("name")) for row in rows(answer.get("nodes"), MOST) for address in _addresses(row)}


def _addresses(row: Row) -> list[str]:
    """The addresses of a node. HyperPod names Slurm nodes after their addresses, and Slurm's address field may contain a name."""
    return [line(row.get("address")), line(row.get("name")).removeprefix("ip-").replace("-", ".")]
