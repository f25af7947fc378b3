# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Questions about a topology: free nodes, positions of jobs, and the largest possible job."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.answers import (
    Block,
    Move,
    Spread,
    UltraServer,
    blocks,
    common,
    moves,
    near,
    spreads,
    ultraservers,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.model import tree

from .clusters import article, place

L32 = ("nn-1", "nn-22", "nn-32")


def test_the_nearest_free_nodes_leave_the_fewest_over() -> None:
    root = tree(article())
    two = near(root, 2)
    assert two is not None and (two.path, two.spread, two.nodes, two.free) == (("nn-1", "nn-21", "nn-31"), 0, ("i-1", "i-2"), 2)
    three = near(root, 3)
    assert three is not None and (three.path, three.nodes) == (L32, ("i-3", "i-4", "i-5"))
    five = near(root, 5)
    assert five is not None and (five.path, five.spread) == (("nn-1", "nn-22"), 1)
    six = near(root, 6)
    assert six is not None and (six.path, six.spread) == (("nn-1",), 2) and "i-3" in six.nodes
    assert near(root, 8) is None


def test_as_few_network_nodes_as_possible_are_used() -> None:
    places = [*(place(f"a{number}", "n", "m1") for number in range(2)), *(place(f"b{number}", "n", "m2") for number in range(3))]
    found = near(tree(places), 4)
    assert found is not None and found.nodes == ("a0", "b0", "b1", "b2")


def test_used_and_unhealthy_nodes_are_not_free() -> None:
    places = [*article(i3=("a",)), place("i-8", *L32, state="unhealthy")]
    three = near(tree(places), 3)
    assert three is not None and (three.path, three.nodes) == (("nn-1", "nn-22"), ("i-4", "i-5", "i-6"))


def test_only_nodes_of_a_requested_type_are_used() -> None:
    places = [place("a", "n", "m", instance_type="x"), place("b", "n", "m", instance_type="y"), place("c", "n", "k", instance_type="x")]
    found = near(tree(places), 2, "x")
    assert found is not None and (found.path, found.nodes) == (("n",), ("a", "c"))
    assert near(tree(places), 3, "x") is None


def test_nodes_of_different_depths_are_combined() -> None:
    deep = [place("b1", "n1", "n2", "n3", "n4"), place("b2", "n1", "n2", "n3", "n5")]
    flat = [place("a1", "n1", "n2", "m3"), place("a2", "n1", "n2", "m3")]
    found = near(tree([*deep, *flat]), 2)
    assert found is not None and (found.path, found.spread) == (("n1", "n2", "m3"), 0)


def test_nodes_without_topology_data_come_last() -> None:
    places = [place("a"), place("b", "n"), place("c", "m")]
    two, three = near(tree(places), 2), near(tree(places), 3)
    assert two is not None and two.nodes == ("b", "c") and three is not None and (three.path, three.nodes) == ((), ("a", "b", "c"))
    assert (two.spread, three.spread) == (1, None)


def test_positions_of_jobs_are_listed() -> None:
    places = [*article(i1=("near",), i2=("near", "wide"), i3=("wide",), i6=("alone",)), place("i-9", jobs=("wide",), state="used")]
    assert spreads(places) == [
        Spread("near", ("i-1", "i-2"), ("nn-1", "nn-21", "nn-31"), 1, ()),
        Spread("wide", ("i-2", "i-3", "i-9"), (), 2, ("i-9",)),
    ]


def test_the_common_path_is_found() -> None:
    assert common([("a", "b", "c"), ("a", "b", "d"), ("a", "b")]) == ("a", "b")
    assert common([("a", "c"), ("b", "c")]) == () == common([])


def test_the_largest_job_below_each_layer_is_computed() -> None:
    root = tree([*article(i3=("a",), i6=("b",)), place("i-9")])
    assert blocks(root) == [Block(1, 5, 5), Block(2, 5, 3), Block(3, 5, 2)]
    assert blocks(tree([])) == []


def test_nodes_are_grouped_by_ultraserver() -> None:
    used = {"state": "used", "jobs": ("j",)}
    places = [place("c", ultraserver="u2"), place("b", "n", ultraserver="u1", **used), place("a", "m", ultraserver="u1"), place("d", "n")]
    assert ultraservers(places) == [UltraServer("u1", ("a", "b"), 1), UltraServer("u2", ("c",), 1)]
    assert ultraservers(article()) == []


def test_the_jobs_that_must_move_are_listed() -> None:
    root = tree(article(i1=("a",), i2=("b",), i3=("c", "d"), i4=("e",)))
    assert moves(root, 3) == Move(L32, ("c", "d", "e"), ("i-4", "i-3"))
    assert moves(root, 2) == Move(("nn-1", "nn-22", "nn-33"), (), ())
    assert moves(root, 4) == Move(("nn-1", "nn-22"), ("e",), ("i-4",)), "no last network node has that many nodes"
    assert moves(root, 8) is None and moves(tree([place("a")]), 1) is None


def test_each_node_has_its_own_last_layer() -> None:
    flat = [place("a", "n", "m", state="used", jobs=("j",)), place("b", "n", "m")]
    deep = [place("c", "n", "m", "k", state="used", jobs=("x",)), place("d", "n", "m", "k", state="used", jobs=("y",))]
    assert moves(tree([*flat, *deep]), 2) == Move(("n", "m"), ("j",), ("a",))
    assert moves(tree([*flat, *deep]), 3) == Move(("n", "m"), ("j", "x"), ("a", "c")), "below a node with both"


def test_unhealthy_nodes_do_not_count() -> None:
    root = tree([place("a", "n", state="unhealthy"), place("b", "n", state="used", jobs=("j",))])
    assert moves(root, 2) is None and moves(root, 1) == Move(("n",), ("j",), ("b",))
