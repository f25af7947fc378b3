# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Limits how many nodes of a partition these programs drain. No I/O. Standard library only, Python 3.9 syntax.

Each node decides on its own. A faulty driver, image or check could make all nodes unfit at once and empty the partition. Therefore,
after a share of the partition is drained, any other unfit node only reports that it is unfit, and continues to run jobs.
"""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ....._core.text import lines_of, printable
from ....._node.slurm.nodes.model import DRAINING, OF_HEALTH
from ....._node.slurm.nodes.observe import SIGNS

FORMAT = "%N|%R|%T|%E"
"""The format of sinfo, with one line for each partition of a node."""
PERCENT, LEAST = 20, 1


@dataclass(frozen=True)
class Member:
    """A node of a partition."""

    name: str
    partition: str
    state: str
    reason: str
    """The reason of the state; empty without one."""

    @property
    def drained_by_us(self) -> bool:
        return self.state in DRAINING and self.reason.startswith(OF_HEALTH)


def parse(text: str) -> list[Member]:
    rows = (line.strip().split("|", 3) for line in lines_of(text))
    fields = ([printable(field) for field in row] for row in rows if len(row) == 4)
    return [
        Member(name, partition, state.rstrip(SIGNS), "" if reason == "none" else reason)
        for name, partition, state, reason in fields
    ]


def held(members: t.Sequence[Member], own: str) -> str:
    """Why the node must not be drained; empty if it may be, or already is."""
    return next((why for why in (_held(each, own) for each in _partitions(members, own)) if why), "")


def undone(before: t.Sequence[Member], after: t.Sequence[Member], own: str) -> bool:
    """Whether the node must undo its drain, because too many nodes were drained at the same moment.

    Nodes that were drained before stay drained. Of the other nodes, as many as allowed stay drained, in order of their names.
    """
    first = {each.name for each in before if each.drained_by_us}
    for partition in _partitions(after, own):
        drained = sorted({each.name for each in partition if each.drained_by_us}, key=lambda name: (name not in first, name))
        if own in drained[_most(partition) :]:
            return True
    return False


def _partitions(members: t.Sequence[Member], own: str) -> list[list[Member]]:
    names = dict.fromkeys(each.partition for each in members if each.name == own)
    return [[each for each in members if each.partition == name] for name in names]


def _held(partition: t.Sequence[Member], own: str) -> str:
    drained = {each.name for each in partition if each.drained_by_us}
    if own in drained or len(drained) < _most(partition):
        return ""
    count = len({each.name for each in partition})
    name = partition[0].partition
    return f"{len(drained)} of {count} nodes of partition {name} are already drained because of their accelerators"


def _most(partition: t.Sequence[Member]) -> int:
    return max(LEAST, len({each.name for each in partition}) * PERCENT // 100)
