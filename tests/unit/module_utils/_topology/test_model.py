# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tree of nodes below their network nodes."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.model import Domain, Place, tree

from .clusters import place

ONE, TWO, THREE = place("i-1", "a", "aa"), place("i-2", "a", "ab"), place("i-3", "b", "aa")
UNPLACED = place("i-0")


def test_a_tree_contains_all_nodes_sorted_by_name() -> None:
    other = place("i-9", "a", "ab")
    root = tree([other, THREE, TWO, UNPLACED, ONE])
    branches = Domain(("a",), (Domain(("a", "aa"), (), (ONE,)), Domain(("a", "ab"), (), (TWO, other))))
    assert root == Domain((), (branches, Domain(("b",), (Domain(("b", "aa"), (), (THREE,)),))), (UNPLACED,))
    assert list(root.below()) == [UNPLACED, ONE, TWO, other, THREE]
    assert [each.path for each in root.domains()] == [(), ("a",), ("a", "aa"), ("a", "ab"), ("b",), ("b", "aa")]


def test_domains_have_names_and_layers() -> None:
    deep = Domain(("a", "aa"))
    assert (deep.name, deep.layer, Domain().name, Domain().layer) == ("aa", 2, "", 0)
    assert tree([]) == Domain() == Domain((), (), ())


def test_missing_fields_are_empty() -> None:
    empty = Place("i-1")
    assert (empty.layers, empty.instance_id, empty.instance_type, empty.instance_group) == ((), "", "", "")
    assert (empty.zone, empty.ultraserver, empty.state, empty.why, empty.jobs) == ("", "", "free", "", ())
