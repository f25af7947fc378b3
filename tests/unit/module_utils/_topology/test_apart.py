# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Free nodes that are far apart from each other."""

from __future__ import annotations

import itertools
import random

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.apart import Apart, spread_apart
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.model import Place, tree

from .clusters import article, place

L31, L32, L33 = ("nn-1", "nn-21", "nn-31"), ("nn-1", "nn-22", "nn-32"), ("nn-1", "nn-22", "nn-33")


@pytest.mark.parametrize(
    ("count", "nodes", "last"),
    [
        (1, ("i-1",), (L31,)),
        (2, ("i-1", "i-3"), (L31, L32)),
        (3, ("i-1", "i-3", "i-6"), (L31, L32, L33)),
        (4, ("i-1", "i-2", "i-3", "i-6"), (L31, L32, L33)),
        (7, ("i-1", "i-2", "i-3", "i-4", "i-5", "i-6", "i-7"), (L31, L32, L33)),
    ],
)
def test_nodes_are_chosen_from_different_branches(count: int, nodes: tuple[str, ...], last: tuple[tuple[str, ...], ...]) -> None:
    assert spread_apart(tree(article()), count) == Apart(nodes, last)
    assert spread_apart(tree(reversed(article())), count) == Apart(nodes, last)


def test_more_nodes_than_are_free_cannot_be_chosen() -> None:
    assert spread_apart(tree(article()), 8) is None and spread_apart(tree([]), 1) is None


def test_used_and_unhealthy_nodes_and_those_of_other_types_are_left_out() -> None:
    places = [place("a", "n", "m", instance_type="x", state="unhealthy"), place("b", "n", "m", instance_type="x")]
    places += [place("c", "n", "k", instance_type="y"), place("d", "n", "l", instance_type="x", state="used", jobs=("j",))]
    assert spread_apart(tree([*places, place("e", "n", "m", instance_type="x")]), 2, "x") == Apart(("b", "e"), (("n", "m"),))
    assert spread_apart(tree(places), 2, "x") is None


def test_nodes_are_separated_as_high_in_the_tree_as_possible() -> None:
    places = [place("a1", "a", "p", "1"), place("a2", "a", "p", "2"), place("a3", "a", "q", "3"), place("b1", "b", "r", "4")]
    two, three = spread_apart(tree(places), 2), spread_apart(tree(places), 3)
    assert two is not None and two.nodes == ("a1", "b1")
    assert three is not None and three.nodes == ("a1", "a3", "b1")


def test_nodes_are_spread_evenly_within_a_layer() -> None:
    places = [place(f"{top}{number}", top, str(number)) for top in "ab" for number in range(3)]
    four = spread_apart(tree(places), 4)
    assert four is not None and four.nodes == ("a0", "a1", "b0", "b1")
    crowded = [place(f"{top}{number}", top, top) for top in "ab" for number in range(3)]
    found = spread_apart(tree(crowded), 4)
    assert found is not None and found.nodes == ("a0", "a1", "b0", "b1")


def test_nodes_of_different_depths_are_combined() -> None:
    flat, deep = [place("a1", "n", "m"), place("a2", "n", "m")], [place("b1", "n", "m", "k"), place("b2", "n", "m", "l")]
    found = spread_apart(tree([*flat, *deep]), 3)
    assert found is not None and found.last == (("n", "m"), ("n", "m", "k"), ("n", "m", "l")) and found.nodes == ("a1", "b1", "b2")


def test_nodes_without_topology_data_do_not_count() -> None:
    places = [place("a"), place("b", "n", "m"), place("c", "n", "k")]
    assert spread_apart(tree(places), 2) == Apart(("b", "c"), (("n", "k"), ("n", "m")))
    assert spread_apart(tree(places), 3) is None


def below(places: tuple[Place, ...]) -> tuple[int, ...]:
    """The number of network nodes above them in each layer, the lowest layer first."""
    return (len({each.layers for each in places}), *(len({each.layers[:layer] for each in places}) for layer in (1, 2, 3)))


@pytest.mark.parametrize("seed", range(30))
def test_no_other_choice_is_below_more_network_nodes_of_any_layer(seed: int) -> None:
    drawn = random.Random(seed)
    layers = [(drawn.choice("ab"), drawn.choice("cde"), drawn.choice("fghi")) for _node in range(9)]
    places = [place(f"n{number}", *each) for number, each in enumerate(layers)]
    for count in (2, 3, 4, 5):
        found = spread_apart(tree(places), count)
        assert found is not None and len(found.nodes) == count
        best = [max(each) for each in zip(*map(below, itertools.combinations(places, count)))]
        assert below(tuple(each for each in places if each.name in found.nodes)) == tuple(best)
