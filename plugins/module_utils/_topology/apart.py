# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Which free nodes are farthest from each other: the counterpart of ``near``. Pure."""

from __future__ import annotations

import collections
from dataclasses import dataclass

from .model import FREE, Domain, Place

Path = tuple[str, ...]


@dataclass(frozen=True)
class Apart:
    """Free nodes that have as little of the network in common as can be."""

    nodes: tuple[str, ...]
    last: tuple[Path, ...]
    """Last network nodes above them, each from the top down."""


def spread_apart(root: Domain, count: int, instance_type: str = "") -> Apart | None:
    """The ``count`` free nodes below the most network nodes of each layer; None where so many are not told.

    Each next node is below a network node that none is below so far, of the highest layer that has one. So no choice is below more
    of the last ones, or of any other layer. Nodes of which nobody tells where they are do not count.

    :param count: from 1 on.
    :param instance_type: only nodes of this type; all by default.
    """
    left = {domain.path: _free(domain, instance_type) for domain in root.domains() if domain.path}
    if sum(map(len, left.values())) < count:
        return None
    names: list[str] = []
    taken: collections.Counter[Path] = collections.Counter()
    beside: collections.Counter[Path] = collections.Counter()
    for _turn in range(count):
        path = min((path for path, places in left.items() if places), key=lambda path: _nearness(path, taken[path], beside))
        names.append(left[path].pop(0).name)
        taken[path] += 1
        beside.update(path[:layer] for layer in range(1, len(path) + 1))
    return Apart(tuple(sorted(names)), tuple(sorted(taken)))


def _free(domain: Domain, instance_type: str) -> list[Place]:
    return [place for place in domain.places if place.state == FREE and instance_type in ("", place.instance_type)]


def _nearness(path: Path, taken: int, beside: collections.Counter[Path]) -> tuple[int, int, list[int], Path]:
    """How near a node below ``path`` would be to those that are chosen.

    :param taken: how many of these have it as their last network node.
    :param beside: how many of these are below each network node.
    """
    counts = [beside[path[:layer]] for layer in range(1, len(path) + 1)]
    return taken, counts.index(0) if 0 in counts else len(counts), counts, path
