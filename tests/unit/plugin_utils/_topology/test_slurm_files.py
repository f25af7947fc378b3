# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Slurm's topology files: in their documented form, and in malformed ones."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._topology.slurm_files import CONF, DOCUMENT, MOST, hosts, layers

TREE = """\
# the fabric
SwitchName=s0 Nodes=ip-10-1-0-[1-2]   # a rack
switchname=s1 nodes=ip-10-1-0-3,ip-10-1-0-09
SwitchName=top Switches=s[0-1] LinkSpeed=100
"""
DEEP = """\
- topology: parts
  tree: {switches: [{switch: other, nodes: a}]}
- topology: all
  cluster_default: true
  tree:
    switches:
      - switch: root
        children: "m[1-2]"
      - {switch: m1, children: leaf}
      - {switch: leaf, nodes: "n[01-03]"}
      - {switch: m2, nodes: n04}
"""


def test_a_tree_of_switches_is_read() -> None:
    expected = {"ip-10-1-0-1": ("top", "s0"), "ip-10-1-0-2": ("top", "s0"), "ip-10-1-0-3": ("top", "s1"), "ip-10-1-0-09": ("top", "s1")}
    assert layers({CONF: TREE}) == expected


def test_the_default_tree_in_yaml_comes_first() -> None:
    leaf = ("root", "m1", "leaf")
    assert layers({CONF: TREE, DOCUMENT: DEEP}) == {"n01": leaf, "n02": leaf, "n03": leaf, "n04": ("root", "m2")}


def test_blocks_are_one_layer() -> None:
    text = "BlockName=b1 Nodes=n[1-2]\nBlockName=b2 Nodes=n3\nBlockSizes=4\n"
    document = "- topology: x\n  block: {block_sizes: [4], blocks: [{block: b1, nodes: 'n[1-2]'}, {block: b2, nodes: n3}]}\n"
    assert layers({CONF: text}) == layers({DOCUMENT: document}) == {"n1": ("b1",), "n2": ("b1",), "n3": ("b2",)}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("", []),
        ("a", ["a"]),
        ("a,b", ["a", "b"]),
        ("a[1-2]b[08-10]", ["a1b08", "a1b09", "a1b10", "a2b08", "a2b09", "a2b10"]),
        ("a[1,3-4],c", ["a1", "a3", "a4", "c"]),
        ("a[x-9]", []),
        ("a[2-1]", []),
        ("a[1", ["a", "1"]),
        ("a\x1b", ["a?"]),
    ],
)
def test_host_lists_are_expanded(text: str, names: list[str]) -> None:
    assert hosts(text) == names


@pytest.mark.parametrize("text", ["", "x", "SwitchName=\n=", "- 7\n", "{a: [", "- tree: 7\n", "- block: {blocks: [7, {block: b}]}", "\0"])
def test_unreadable_files_have_no_layers(text: str) -> None:
    assert layers({CONF: text, DOCUMENT: text}) == {}


def test_huge_ranges_and_loops_are_bounded() -> None:
    assert len(hosts("n[1-999999999]")) == MOST and len(hosts("n[1-9999][1-9999]")) == MOST
    assert hosts("n[1-999999999][1-999999999][2-1],a") == ["a"]
    assert len(layers({CONF: "BlockName=b Nodes=n[1-9999]\n" * 9999})) <= MOST
    loop = "SwitchName=a Switches=b\nSwitchName=b Switches=a\nSwitchName=b Nodes=n\n"
    assert len(layers({CONF: loop})["n"]) == 16
