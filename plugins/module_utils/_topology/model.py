# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Where the nodes of a cluster are in AWS's network, and the tree that they make. Pure.

AWS tells of an instance the network nodes above it, from the top down: three layers, four of some types. Instances that have the
last one in common are nearest to each other. Source: Amazon EC2 instance topology.
"""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

FREE, USED, UNHEALTHY = "free", "used", "unhealthy"
STATES = (FREE, USED, UNHEALTHY)


@dataclass(frozen=True)
class Place:
    """A node."""

    name: str
    """As its orchestrator has it."""
    layers: tuple[str, ...] = ()
    """Network nodes above it, from the top down; empty where nobody tells."""
    instance_id: str = ""
    instance_type: str = ""
    instance_group: str = ""
    zone: str = ""
    ultraserver: str = ""
    state: str = FREE
    """free, used or unhealthy."""
    why: str = ""
    """Why it is unhealthy."""
    jobs: tuple[str, ...] = ()
    """That are on it."""


@dataclass(frozen=True)
class Domain:
    """A network node, and what is below it. Known by its path: nothing says that names are unique but below one parent."""

    path: tuple[str, ...] = ()
    """From the top down; empty for the cluster."""
    children: tuple[Domain, ...] = ()
    places: tuple[Place, ...] = ()
    """Nodes whose last network node it is; those of the cluster are the ones of which nobody tells."""

    @property
    def name(self) -> str:
        return self.path[-1] if self.path else ""

    @property
    def layer(self) -> int:
        """From 1 on; 0 for the cluster."""
        return len(self.path)

    def below(self) -> t.Iterator[Place]:
        """All nodes below it, in the order of the tree."""
        yield from self.places
        for child in self.children:
            yield from child.below()

    def domains(self) -> t.Iterator[Domain]:
        """It and all domains below it, from the top down."""
        yield self
        for child in self.children:
            yield from child.domains()


@dataclass
class _Growing:
    children: dict[str, _Growing] = field(default_factory=dict)
    places: list[Place] = field(default_factory=list)


def tree(places: t.Iterable[Place]) -> Domain:
    """Of all nodes, in the order of their names: none is left out."""
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
