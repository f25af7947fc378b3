# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""What people ask of a topology: which free nodes are near each other, which jobs are spread, what would have to move. Pure."""

from __future__ import annotations

import collections
import typing as t
from dataclasses import dataclass

from .model import FREE, UNHEALTHY, USED, Domain, Place


@dataclass(frozen=True)
class Near:
    """Free nodes that have a network node in common."""

    path: tuple[str, ...]
    """Of the network node, from the top down; empty where they have none in common."""
    spread: int | None
    """Layers between it and the last network node above the nodes: 0 where they are as near as can be, None where nobody tells."""
    nodes: tuple[str, ...]
    free: int
    """Free nodes below the network node, these included."""


def near(root: Domain, count: int, instance_type: str = "") -> Near | None:
    """The nearest ``count`` free nodes, where the fewest others are left over; None where there are not so many.

    :param count: from 1 on.
    :param instance_type: only nodes of this type; all by default.
    """
    found = [each for each in (_near(domain, count, instance_type) for domain in root.domains()) if each is not None]
    return min(found, key=lambda each: (each.spread is None, each.spread or 0, each.free, each.path), default=None)


def _near(domain: Domain, count: int, instance_type: str) -> Near | None:
    free = [place for place in domain.below() if place.state == FREE and _is(place, instance_type)]
    if len(free) < count:
        return None
    beside = collections.Counter(place.layers for place in free)
    known_first = sorted(free, key=lambda place: (not place.layers, -beside[place.layers], place.layers, place.name))
    chosen = known_first[:count]
    unknown = any(not place.layers for place in chosen)
    spread = None if unknown else max(len(place.layers) for place in chosen) - domain.layer
    return Near(domain.path, spread, tuple(sorted(place.name for place in chosen)), len(free))


@dataclass(frozen=True)
class Spread:
    """Where a job is."""

    job: str
    nodes: tuple[str, ...]
    path: tuple[str, ...]
    """Of the deepest network node that all its nodes have in common."""
    last: int
    """How many last network nodes they are below: 1 where they are as near as can be."""
    untold: tuple[str, ...]
    """Those of its nodes of which nobody tells where they are."""


def spreads(places: t.Iterable[Place]) -> list[Spread]:
    """Of each job on more than one node."""
    of_jobs: dict[str, list[Place]] = collections.defaultdict(list)
    for place in places:
        for job in place.jobs:
            of_jobs[job].append(place)
    return [_spread(job, of_job) for job, of_job in sorted(of_jobs.items()) if len(of_job) > 1]


def common(layers: t.Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """The path that all begin with."""
    shared: list[str] = []
    for names in zip(*layers):
        if len(set(names)) > 1:
            break
        shared.append(names[0])
    return tuple(shared)


def _spread(job: str, places: t.Sequence[Place]) -> Spread:
    return Spread(
        job=job,
        nodes=tuple(sorted(place.name for place in places)),
        path=common([place.layers for place in places]),
        last=len({place.layers for place in places if place.layers}),
        untold=tuple(sorted(place.name for place in places if not place.layers)),
    )


@dataclass(frozen=True)
class Block:
    """The free nodes of a layer: how large a job can be there."""

    layer: int
    free: int
    """Free nodes that have a network node of this layer above them."""
    largest: int
    """The most that have the same one."""


def blocks(root: Domain) -> list[Block]:
    """Of each layer, from the top down."""
    counts: dict[int, list[int]] = collections.defaultdict(list)
    for domain in root.domains():
        if domain.path:
            counts[domain.layer].append(sum(1 for place in domain.below() if place.state == FREE))
    return [Block(layer, sum(free), max(free)) for layer, free in sorted(counts.items())]


@dataclass(frozen=True)
class UltraServer:
    """Nodes that an interconnect of their accelerators joins, whichever network nodes they are below."""

    ultraserver: str
    nodes: tuple[str, ...]
    free: int


def ultraservers(places: t.Iterable[Place]) -> list[UltraServer]:
    """In the order of their names; none where no node is a part of one."""
    parts: dict[str, list[Place]] = collections.defaultdict(list)
    for place in places:
        if place.ultraserver:
            parts[place.ultraserver].append(place)
    return [
        UltraServer(name, tuple(sorted(place.name for place in found)), sum(place.state == FREE for place in found))
        for name, found in sorted(parts.items())
    ]


@dataclass(frozen=True)
class Move:
    """What would have to end or move for nodes below one network node to be free."""

    path: tuple[str, ...]
    jobs: tuple[str, ...]
    nodes: tuple[str, ...]
    """Those that are used now."""


def moves(root: Domain, count: int, instance_type: str = "") -> Move | None:
    """With the fewest used nodes: none where enough are free.

    Below one last network node where one has so many that are well, else below one of the lowest layer that has. None where none
    has.
    """
    domains = [domain for domain in root.domains() if domain.path]
    layers = sorted({domain.layer for domain in domains}, reverse=True)
    levels = [[(domain, domain.places) for domain in domains]]
    levels += [[(domain, tuple(domain.below())) for domain in domains if domain.layer == layer] for layer in layers]
    for level in levels:
        found = [_moves(domain, places, count, instance_type) for domain, places in level]
        best = min((each for each in found if each is not None), key=lambda each: (len(each.nodes), each.path), default=None)
        if best is not None:
            return best
    return None


def _moves(domain: Domain, places: t.Iterable[Place], count: int, instance_type: str) -> Move | None:
    well = [place for place in places if place.state != UNHEALTHY and _is(place, instance_type)]
    if len(well) < count:
        return None
    free = sum(1 for place in well if place.state == FREE)
    used = sorted((place for place in well if place.state == USED), key=lambda place: (len(place.jobs), place.name))
    going = used[: max(0, count - free)]
    jobs = sorted({job for place in going for job in place.jobs})
    return Move(domain.path, tuple(jobs), tuple(place.name for place in going))


def _is(place: Place, instance_type: str) -> bool:
    return instance_type in ("", place.instance_type)
