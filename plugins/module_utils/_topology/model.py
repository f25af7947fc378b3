# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The places of a cluster's nodes in AWS's network, and their tree. No I/O.

AWS returns the network nodes above an instance from the top down: three layers, or four for some types. The last network node is
directly above the instance. Instances with the same last network node are nearest to each other. Source: Amazon EC2 instance
topology.
"""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

FREE, USED, UNHEALTHY = "free", "used", "unhealthy"
STATES = (FREE, USED, UNHEALTHY)


@dataclass(frozen=True)
class Place:

    name: str
    """The node's name in the orchestrator."""
    layers: tuple[str, ...] = ()
    """The network nodes above the node, from the top down; empty if unknown."""
    instance_id: str = ""
    instance_type: str = ""
    instance_group: str = ""
    zone: str = ""
    ultraserver: str = ""
    state: str = FREE
    """``free``, ``used`` or ``unhealthy``."""
    why: str = ""
    """Why the node is unhealthy."""
    jobs: tuple[str, ...] = ()
    """The jobs on the node."""


@dataclass(frozen=True)
class Domain:
    """A network node and everything below it. The path identifies it, because names are unique only below one parent."""

    path: tuple[str, ...] = ()
    """Names from the top down; empty for the cluster."""
    children: tuple[Domain, ...] = ()
    places: tuple[Place, ...] = ()
    """The nodes directly below the network node. Below the cluster itself, these are the nodes without topology data."""

    @property
    def name(self) -> str:
        return self.path[-1] if self.path else ""

    @property
    def layer(self) -> int:
        """The number of the layer, from 1 for the top layer; 0 for the cluster."""
        return len(self.path)

    def below(self) -> t.Iterator[Place]:
        """All nodes below the network node, in the order of the tree."""
        yield from self.places
        for child in self.children:
            yield from child.below()

    def domains(self) -> t.Iterator[Domain]:
        """This domain and all domains below it, from the top down."""
        yield self
        for child in self.children:
            yield from child.domains()


@dataclass
class _Growing:
    children: dict[str, _Growing] = field(default_factory=dict)
    places: list[Place] = field(default_factory=list)


def tree(places: t.Iterable[Place]) -> Domain:
    """The tree of all nodes, sorted by name."""
    root = _Growing()
    for place in places:
        at = root
        for name in place.layers:
            at = at.children.setdefault(name, _Growing())
        at.places.append(place)
    return _grown(root, ())


def _grown(growing: _Growing, path: tuple[str, ...]) -> Domain:
    children = tuple(_grown(child, (*path, name)) for name, child in sorted(growing.children.items()))
    return Domain(path, children, tuple(sorted(growing.places, key=lambda place: place.name)))
