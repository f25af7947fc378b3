# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Counts the nodes that have the labels of a ResourceFlavor's Topology. No I/O.

Kueue places jobs only on nodes with the labels of all layers of a Topology, regardless of the layer that the job requests.
"""

from __future__ import annotations

import typing as t

from .model import FlavorLayers

Labels = t.Mapping[str, str]


def flavor_layers(
    flavors: t.Mapping[str, tuple[Labels, tuple[str, ...]]], nodes: t.Mapping[str, Labels]
) -> tuple[FlavorLayers, ...]:
    """:param flavors: for each flavor, its node labels and its Topology's layers."""
    return tuple(_of_flavor(name, wanted, levels, nodes) for name, (wanted, levels) in flavors.items() if levels)


def _of_flavor(name: str, wanted: Labels, levels: tuple[str, ...], nodes: t.Mapping[str, Labels]) -> FlavorLayers:
    found = [labels for labels in nodes.values() if wanted.items() <= labels.items()]
    having = tuple((level, sum(1 for labels in found if labels.get(level))) for level in levels)
    return FlavorLayers(name, len(found), sum(1 for labels in found if all(map(labels.get, levels))), having)


def in_words(layers: t.Sequence[FlavorLayers], level: str) -> str:
    """Why Kueue finds no domain at a level."""
    words = "; ".join(map(_one, layers))
    return words or f"no node has the labels of all layers of the Topology, so no domain exists at level {level}"


def _one(layers: FlavorLayers) -> str:
    counts = ", ".join(f"{level} is set on {count}" for level, count in layers.having)
    if layers.whole:
        return (
            f"{layers.whole} of {layers.nodes} nodes of flavor {layers.flavor} have the labels of all layers of its Topology, but "
            "Kueue counts none of these nodes: it ignores nodes that are cordoned or not ready"
        )
    return f"none of {layers.nodes} nodes of flavor {layers.flavor} has the labels of all layers of its Topology: {counts}"
