# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The map of a thousand node objects, computed by hand: four of 16 nodes of a leaf are used, two of leaf 5; every 50th has no layers."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.answers import blocks, moves, near, spreads
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.kubernetes import places
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.model import Place, tree
from lab.kubernetes import objects

LEAF = ("nn-1", "nn-20", "nn-35", "nn-45")
"""The leaf of nodes 80 to 95; nodes 80 and 81 are used."""


def found(count: int) -> list[Place]:
    numbers = range(count)
    return places(map(objects.node, numbers), [objects.pod(number) for number in numbers if objects.job(number)])


@pytest.mark.parametrize(("count", "used"), [(200, 50), (1000, 250)])
def test_a_quarter_is_used_and_all_are_ready(count: int, used: int) -> None:
    made = found(count)
    assert [sum(place.state == state for place in made) for state in ("used", "free", "unhealthy")] == [used, count - used, 0]
    assert {len(place.layers) for place in made} == {0, 3, 4} and sum(not place.layers for place in made) == count // 50


@pytest.mark.parametrize(
    ("count", "expected"),
    [(200, [(148, 148), (148, 98), (148, 14), (73, 14)]), (1000, [(736, 736), (736, 98), (736, 14), (367, 14)])],
)
def test_free_nodes_of_each_layer(count: int, expected: list[tuple[int, int]]) -> None:
    """A spine has 7 leaves with 12 free nodes and one with 14; 2 of 200, and 14 of 1,000, are free nodes without layers."""
    assert [(block.free, block.largest) for block in blocks(tree(found(count)))] == expected


@pytest.mark.parametrize("count", [200, 1000])
def test_the_nearest_placement_of_a_job(count: int) -> None:
    root = tree(found(count))
    fits, wide, move = near(root, 14), near(root, 16), moves(root, 16)
    assert fits is not None and (fits.path, fits.spread, fits.free) == (LEAF, 0, 14)
    assert fits.nodes == tuple(objects.name(number) for number in range(82, 96))
    assert wide is not None and len(wide.path) == 2 and len(wide.nodes) == 16, "no leaf has so many free nodes"
    assert move is not None and (move.path, move.jobs) == (LEAF, ("default/train-0",))
    assert move.nodes == (objects.name(80), objects.name(81))


def test_which_jobs_are_spread() -> None:
    """One job for each spine, on four nodes of each leaf; nodes 49 and 99 belong to the first job, 899 to the last."""
    spread = {each.job: (len(each.nodes), each.last, each.path, len(each.untold)) for each in spreads(found(1000))}
    assert len(spread) == 8 and spread["default/train-0"] == (30, 8, (), 2)
    assert spread["default/train-1"] == (32, 8, ("nn-1", "nn-21"), 0) and spread["default/train-7"] == (28, 7, (), 1)
