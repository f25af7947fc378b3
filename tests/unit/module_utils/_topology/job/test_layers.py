# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The number of nodes of a flavor with the labels of its Topology's layers."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.layers import flavor_layers, in_words
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.model import FlavorLayers

NODES = {
    "n1": {"type": "p5", "a": "x", "b": "y"},
    "n2": {"type": "p5", "a": "x", "b": ""},
    "n3": {"type": "p4", "b": "y"},
}


def test_nodes_of_a_flavor_are_counted_by_layer() -> None:
    flavors = {"p5": ({"type": "p5"}, ("a", "b")), "p4": ({"type": "p4"}, ("a", "b")), "all": ({}, ("b",)), "none": ({"type": "p5"}, ())}
    assert flavor_layers(flavors, NODES) == (
        FlavorLayers("p5", 2, 1, (("a", 2), ("b", 1))),
        FlavorLayers("p4", 1, 0, (("a", 0), ("b", 1))),
        FlavorLayers("all", 3, 2, (("b", 2),)),
    )


def test_each_flavor_is_named() -> None:
    text = in_words(flavor_layers({"p5": ({"type": "p5"}, ("a", "b")), "p4": ({"type": "p4"}, ("a", "b"))}, NODES), "b")
    assert text == (
        "1 of 2 nodes of flavor p5 have the labels of all layers of its Topology, but Kueue counts none of these nodes: it ignores nodes that are cordoned or "
        "not ready; none of 1 nodes of flavor p4 has the labels of all layers of its Topology: a is set on 0, b is set on 1"
    )
