# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Problems that count as common to many nodes."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.kernel import key_of
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.common import finding_of
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.document import Node

from .fleets import node, of, problem

FIT = [node(number) for number in range(10, 19)]


def with_xids(*codes: int) -> list[Node]:
    return [node(number, problem(key=key_of(f"{number}", code))) for number, code in enumerate(codes)]


def common_problems(nodes: t.Sequence[Node]) -> list[tuple[str, str, int]]:
    return [(each["code"], each["event"], len(each["nodes"])) for each in of(*nodes)["common"]]


@pytest.mark.parametrize(
    ("key", "event"),
    [
        (key_of("1650522003803", 79), "Xid 79"),
        (key_of("", 79), "Xid 79"),
        ("0000:c1:00.0 SXid 12028", "SXid 12028"),
        ("rdmap79s0", ""),
        ("", ""),
        ("Xid 79 or so", ""),
        ("notXid 79", ""),
        ("Xid \u0667\u0669", ""),
        (f"Xid {'9' * 400}", ""),
    ],
)
def test_the_xid_is_part_of_the_finding(key: str, event: str) -> None:
    assert finding_of(problem(key=key)) == ("gpu-xid", event)


def test_nodes_with_different_xids_have_nothing_in_common() -> None:
    different = with_xids(79, 95, 119)
    assert common_problems([*different, *FIT]) == []
    assert [(each["action"], len(each["nodes"])) for each in of(*different, *FIT)["actions"]] == [("reboot", 3)]


def test_an_xid_of_many_nodes_is_common_and_other_xids_are_not() -> None:
    nodes = [*with_xids(119, 119, 119, 79), *FIT]
    assert common_problems(nodes) == [("gpu-xid", "Xid 119", 3)]
    found = of(*nodes)
    assert "3 of 13 nodes have gpu-xid (Xid 119)." in found["common"][0]["text"]
    assert [(each["action"], len(each["nodes"])) for each in found["actions"]] == [("stop", 3), ("reboot", 1)]


def test_equal_problems_of_several_gpus_count_once_per_node() -> None:
    twice = problem(key=key_of("a", 79)), problem(key=key_of("b", 79))
    assert common_problems([node(1, *twice), node(2, *twice), *FIT]) == []
    assert common_problems([*(node(number, *twice) for number in (1, 2, 3)), *FIT]) == [("gpu-xid", "Xid 79", 3)]


def test_sxids_are_distinguished_too() -> None:
    def switched(number: int, code: int) -> Node:
        return node(number, problem("nvswitch-sxid", cause="fabric", key=f"0000:c1:00.0 SXid {code}"))

    assert common_problems([switched(1, 12028), switched(2, 20034), switched(3, 24007), *FIT]) == []
    assert common_problems([*(switched(number, 20034) for number in (1, 2, 3)), *FIT]) == [("nvswitch-sxid", "SXid 20034", 3)]


def test_unchecked_nodes_do_not_reduce_a_share() -> None:
    unread = [node(number, has_accelerators=False) for number in range(30, 45)]
    (common,) = of(*with_xids(79, 79, 79), *FIT, *unread)["common"]
    assert (common["of"], common["nodes"], common["cluster"]) == (12, [node(number).instance_id for number in range(3)], "ml")
