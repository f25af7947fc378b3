# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Which free nodes are nearest to each other, how far jobs are spread, and which jobs would have to move to make room. No I/O."""

from __future__ import annotations

import collections
import typing as t
from dataclasses import dataclass

from .model import FREE, UNHEALTHY, USED, Domain, Place


@dataclass(frozen=True)
class Near:
    """Free nodes with a common network node."""

    path: tuple[str, ...]
    """The path of the common network node, from the top down; empty if there is none."""
    spread: int | None
    """The number of layers from the common to the last network node above the nodes: 0 for the nearest nodes, None if unknown."""
    nodes: tuple[str, ...]
    free: int
    """The number of free nodes below the common network node, including ``nodes``."""


def near(root: Domain, count: int, instance_type: str = "") -> Near | None:
    """The nearest ``count`` free nodes; None if fewer nodes are free.

    Of several equally good network nodes, the one with the fewest other free nodes is chosen.

    :param count: at least 1.
    :param instance_type: only nodes of this type count; by default, all types count.
    """
    found = [each for each in (_near(domain, count, instance_type) for domain in root.domains()) if each is not None]
    return min(found, key=lambda each: (each.spread is None, each.spread or 0, each.free, each.path), default=None)


def _near(domain: Domain, count: int, instance_type: str) -> Near | None:
    free = [place for place in domain.below() if place.state == FREE and _is(place, instance_type)]
    if len(free) < count:
        return None
    alike = collections.Counter(place.layers for place in free)
    known_first = sorted(free, key=lambda place: (not place.layers, -alike[place.layers], place.layers, place.name))
    chosen = known_first[:count]
    unknown = any(not place.layers for place in chosen)
    spread = None if unknown else max(len(place.layers) for place in chosen) - domain.layer
    return Near(domain.path, spread, tuple(sorted(place.name for place in chosen)), len(free))


@dataclass(frozen=True)
class Spread:
    """The placement of a job."""

    job: str
    nodes: tuple[str, ...]
    path: tuple[str, ...]
    """The path of the lowest network node that all nodes of the job have in common."""
    last: int
    """The number of last network nodes above the job's nodes: 1 for the nearest possible nodes."""
    untold: tuple[str, ...]
    """The job's nodes without topology data."""


def spreads(places: t.Iterable[Place]) -> list[Spread]:
    """The placement of each job that runs on more than one node."""
    of_jobs: dict[str, list[Place]] = collections.defaultdict(list)
    for place in places:
        for job in place.jobs:
            of_jobs[job].append(place)
    return [_spread(job, of_job) for job, of_job in sorted(of_jobs.items()) if len(of_job) > 1]


def common(layers: t.Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """The longest prefix that all paths have in common."""
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
    """The free nodes of a layer, which limit the size of a job in this layer."""

    layer: int
    free: int
    """The number of free nodes below all network nodes of the layer together."""
    largest: int
    """The largest number of free nodes below one network node of the layer."""


def blocks(root: Domain) -> list[Block]:
    """The free nodes of each layer, from the top down."""
    counts: dict[int, list[int]] = collections.defaultdict(list)
    for domain in root.domains():
        if domain.path:
            counts[domain.layer].append(sum(1 for place in domain.below() if place.state == FREE))
    return [Block(layer, sum(free), max(free)) for layer, free in sorted(counts.items())]


@dataclass(frozen=True)
class UltraServer:
    """Nodes whose accelerators share an interconnect, regardless of the network nodes above them."""

    ultraserver: str
    nodes: tuple[str, ...]
    free: int


def ultraservers(places: t.Iterable[Place]) -> list[UltraServer]:
    """The UltraServers, sorted by name; empty if no node belongs to one."""
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
    """The jobs that would have to end or move elsewhere, so that enough nodes below one network node become free."""

    path: tuple[str, ...]
    jobs: tuple[str, ...]
    nodes: tuple[str, ...]
    """The used nodes that would become free."""


def moves(root: Domain, count: int, instance_type: str = "") -> Move | None:
    """The move with the fewest used nodes; without jobs if enough nodes are free, None if no network node has enough healthy nodes.

    A last network node with enough healthy nodes is preferred. Otherwise, the network node is in the lowest possible layer.
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
