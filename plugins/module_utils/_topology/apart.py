# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Finds the free nodes that are farthest from each other, as the counterpart of ``near``. No I/O."""

from __future__ import annotations

import collections
from dataclasses import dataclass

from .model import FREE, Domain, Place

Path = tuple[str, ...]


@dataclass(frozen=True)
class Apart:
    """Free nodes that share as little of the network as possible."""

    nodes: tuple[str, ...]
    last: tuple[Path, ...]
    """The paths of the last network nodes above the nodes, from the top down."""


def spread_apart(root: Domain, count: int, instance_type: str = "") -> Apart | None:
    """The ``count`` free nodes that use the most network nodes of each layer; None if fewer free nodes have topology data.

    Each node is chosen below an unused network node of the highest layer that has one. Therefore, no other choice uses more network
    nodes of any layer. Nodes without topology data do not count.

    :param count: at least 1.
    :param instance_type: only nodes of this type count; by default, all types count.
    """
    left = {domain.path: _free(domain, instance_type) for domain in root.domains() if domain.path}
    if sum(map(len, left.values())) < count:
        return None
    names: list[str] = []
    taken: collections.Counter[Path] = collections.Counter()
    below: collections.Counter[Path] = collections.Counter()
    for _turn in range(count):
        path = min((path for path, places in left.items() if places), key=lambda path: _nearness(path, taken[path], below))
        names.append(left[path].pop(0).name)
        taken[path] += 1
        below.update(path[:layer] for layer in range(1, len(path) + 1))
    return Apart(tuple(sorted(names)), tuple(sorted(taken)))


def _free(domain: Domain, instance_type: str) -> list[Place]:
    return [place for place in domain.places if place.state == FREE and instance_type in ("", place.instance_type)]


def _nearness(path: Path, taken: int, below: collections.Counter[Path]) -> tuple[int, int, list[int], Path]:
    """A sort key for how near a node below ``path`` would be to the chosen nodes.

    :param taken: the number of chosen nodes with ``path`` as their last network node.
    :param below: the number of chosen nodes below each network node.
    """
    counts = [below[path[:layer]] for layer in range(1, len(path) + 1)]
    return taken, counts.index(0) if 0 in counts else len(counts), counts, path
