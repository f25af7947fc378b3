# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which nodes of a workflow run next, and how the workflow ends. No objects, no I/O."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

SUCCESS, FAILURE, ALWAYS = "success_nodes", "failure_nodes", "always_nodes"
ENDED = ("successful", "failed", "error", "canceled")


@dataclass
class Node:
    id: int
    edges: t.Mapping[str, t.Sequence[int]]
    """The ids of the next nodes, by the kind of edge."""
    status: str = ""
    """The status of the node's job; empty if it has none yet."""
    is_skipped: bool = False
    needs_all: bool = False
    """Whether all edges to the node must be taken, not only one."""

    @property
    def has_ended(self) -> bool:
        return self.is_skipped or self.status in ENDED

    def leads_to(self, number: int) -> bool:
        """Whether the end of this node takes an edge to another one."""
        taken = () if self.is_skipped else (ALWAYS, SUCCESS if self.status == "successful" else FAILURE)
        return any(number in self.edges.get(edge, ()) for edge in taken)


@dataclass(frozen=True)
class Next:
    run: tuple[int, ...]
    skip: tuple[int, ...]
    result: str = ""
    """The status of the workflow, when all its nodes have ended."""


def following(nodes: t.Sequence[Node]) -> Next:
    """The nodes to run, and those that never will."""
    run, skip = [], []
    for node in nodes:
        parents = [each for each in nodes if any(node.id in children for children in each.edges.values())]
        if node.status or node.is_skipped or not all(each.has_ended for each in parents):
            continue
        taken = [each.leads_to(node.id) for each in parents]
        if not parents or (all(taken) if node.needs_all else any(taken)):
            run.append(node.id)
        else:
            skip.append(node.id)
    ended = not run and not skip and all(each.has_ended for each in nodes)
    return Next(tuple(run), tuple(skip), _result(nodes) if ended else "")


def _result(nodes: t.Sequence[Node]) -> str:
    """A failed node fails the workflow, unless it has an edge for that."""
    failed = [each for each in nodes if not each.is_skipped and each.status != "successful"]
    return "failed" if any(not each.edges.get(FAILURE) and not each.edges.get(ALWAYS) for each in failed) else "successful"
