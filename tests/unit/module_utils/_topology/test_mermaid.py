# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tree as Mermaid: in the form of the article, and without markup from untrusted names."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.mermaid import mermaid
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.model import tree

from .clusters import article, place

SEVEN = """\
flowchart TD
    A["Cluster Topology"]
    A --> L1_nn_1["Layer 1: nn-1"]
    L1_nn_1 --> L2_nn_21["Layer 2: nn-21"]
    L2_nn_21 --> L3_nn_31["Layer 3: nn-31"]
    L3_nn_31 --> N_i_1["i-1"]
    L3_nn_31 --> N_i_2["i-2"]
    L1_nn_1 --> L2_nn_22["Layer 2: nn-22"]
    L2_nn_22 --> L3_nn_32["Layer 3: nn-32"]
    L3_nn_32 --> N_i_3["i-3"]
    L3_nn_32 --> N_i_4["i-4"]
    L3_nn_32 --> N_i_5["i-5"]
    L2_nn_22 --> L3_nn_33["Layer 3: nn-33"]
    L3_nn_33 --> N_i_6["i-6"]
    L3_nn_33 --> N_i_7["i-7"]
"""


def test_the_seven_instances_are_drawn_as_in_the_article() -> None:
    assert mermaid(tree(reversed(article()))) == SEVEN


def test_nodes_of_all_depths_are_drawn() -> None:
    places = [place("a", "n1", "n2", "n3"), place("b", "n1", "n2", "n3", "n4"), place("c")]
    assert mermaid(tree(places)).splitlines()[2:] == [
        '    A --> L1_n1["Layer 1: n1"]',
        '    L1_n1 --> L2_n2["Layer 2: n2"]',
        '    L2_n2 --> L3_n3["Layer 3: n3"]',
        '    L3_n3 --> L4_n4["Layer 4: n4"]',
        '    L4_n4 --> N_b["b"]',
        '    L3_n3 --> N_a["a"]',
        '    A --> U["No topology data"]',
        '    U --> N_c["c"]',
    ]


def test_nodes_of_an_ultraserver_are_labelled() -> None:
    places = [place("a", "n", "m", ultraserver="us-1"), place("b", "n", "k", ultraserver="us-<1>"), place("c", "n", "k")]
    assert [line.partition(" --> ")[2] for line in mermaid(tree(places)).splitlines() if "--> N_" in line] == [
        'N_b["b, UltraServer us-#lt;1#gt;"]',
        'N_c["c"]',
        'N_a["a, UltraServer us-1"]',
    ]


def test_names_with_equal_identifiers_are_separate_boxes() -> None:
    drawn = mermaid(tree([place("a-1", "x", "n"), place("a.1", "y", "n"), place("U"), place("A")])).splitlines()
    boxes = [line.partition(" --> ")[2].partition("[")[0] for line in drawn[2:]]
    assert boxes == ["L1_x", "L2_n", "N_a_1", "L1_y", "L2_n_2", "N_a_1_2", "U", "N_A", "N_U"]


def test_names_are_escaped() -> None:
    drawn = mermaid(tree([place('n"]; click A "javascript:x"', "<img src=x>", "#quot;&`")]))
    assert drawn.count('"') == 2 * (len(drawn.splitlines()) - 1) and "<" not in drawn and "--> L1__img_src_x_" in drawn
    assert "#lt;img src=x#gt;" in drawn and "#35;quot;#amp;#96;" in drawn


def test_a_cluster_without_nodes_is_drawn() -> None:
    assert mermaid(tree([])) == 'flowchart TD\n    A["Cluster Topology"]\n'
