# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What to do now."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.document import document

from .fleets import CREATED, cluster, node, of, problem


def told(*nodes: object) -> list[tuple[str, int]]:
    return [(each["action"], len(each["nodes"])) for each in of(*nodes)["actions"]]  # type: ignore[arg-type]


def test_the_most_urgent_first() -> None:
    watched, replaced = problem("gpu-pcie-width", "watch"), problem(verdict="unfit-replace")
    set_up = problem("locked-memory", "watch", "config")
    nodes = [node(1, watched), node(2, replaced), node(3, problem()), node(4, not_read="no answer"), node(5), node(6, set_up)]
    fit = [node(number) for number in range(7, 20)]
    assert told(*nodes, *fit) == [("replace", 1), ("reboot", 1), ("look-again", 1), ("set-up", 1), ("watch", 1)]


def test_a_node_that_works_and_waits_for_a_reboot_is_rebooted_when_it_is_idle() -> None:
    rows = problem("gpu-rows-pending", "watch")
    nodes = [node(1, rows), node(2, problem("gpu-hot", "watch")), node(3, rows, problem("locked-memory", "watch", "config")), node(4, problem())]
    assert told(*nodes, node(5, rows, problem("gpu-rows-failed", "unfit-replace")), *(node(number) for number in range(7, 20))) == [
        ("replace", 1),
        ("reboot", 1),
        ("reboot", 2),
        ("watch", 1),
    ]
    (idle,) = of(node(1, rows))["actions"]
    assert idle["text"] == "Reboot when idle: a GPU must remap a row of its memory. The node works until then."


def test_nothing_to_do() -> None:
    assert told(node(1), node(2, has_accelerators=False)) == []


def test_what_many_nodes_have_is_rather_what_they_have_in_common() -> None:
    fit = [node(number) for number in range(10, 20)]
    bad = [node(number, problem()) for number in (1, 2, 3)]
    worse = node(4, problem(), problem("gpu-rows-failed", "unfit-replace"))
    found = of(*bad, worse, *fit)
    assert [(each["code"], len(each["nodes"]), each["of"]) for each in found["common"]] == [("gpu-xid", 4, 14)]
    assert told(*bad, worse, *fit) == [("stop", 4), ("replace", 1)]


def test_few_nodes_are_no_many_and_a_small_share_is_none() -> None:
    assert of(node(1, problem()), node(2, problem()))["common"] == []
    fit = [node(number) for number in range(10, 22)]
    assert of(*(node(number, problem()) for number in (1, 2, 3)), *fit)["common"] == []
    assert of(*(node(number, problem()) for number in (1, 2, 3)), *fit[:-1])["common"] != []


def test_what_makes_no_node_unfit_stops_nothing() -> None:
    assert of(*(node(number, problem("gpu-hot", "watch")) for number in (1, 2, 3, 4)))["common"] == []


def test_what_keeps_a_group_from_its_work_comes_before_its_nodes() -> None:
    bad = node(1, problem())
    made = document([cluster(bad, node(2), set_up={"No rule.": ["gpus"], "No key.": ["others"]})], created=CREATED)
    reboot = "Reboot after its jobs have ended, then check again."
    assert made["actions"] == [
        {"action": "set-up", "cluster": "ml", "nodes": [bad.instance_id, node(2).instance_id], "text": "No rule."},
        {"action": "set-up", "cluster": "ml", "nodes": [], "text": "No key."},
        {"action": "reboot", "cluster": "ml", "nodes": [bad.instance_id], "text": reboot},
    ]
