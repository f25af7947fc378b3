# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Next actions of a report."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.document import document

from .fleets import CREATED, cluster, node, of, problem


def actions(*nodes: object) -> list[tuple[str, int]]:
    return [(each["action"], len(each["nodes"])) for each in of(*nodes)["actions"]]  # type: ignore[arg-type]


def test_the_most_urgent_action_comes_first() -> None:
    watched, replaced = problem("gpu-pcie-width", "watch"), problem(verdict="unfit-replace")
    set_up = problem("locked-memory", "watch", "config")
    nodes = [node(1, watched), node(2, replaced), node(3, problem()), node(4, not_read="no answer"), node(5), node(6, set_up)]
    fit = [node(number) for number in range(7, 20)]
    assert actions(*nodes, *fit) == [("replace", 1), ("reboot", 1), ("look-again", 1), ("set-up", 1), ("watch", 1)]


def test_a_working_node_that_needs_a_reboot_is_rebooted_when_idle() -> None:
    rows = problem("gpu-rows-pending", "watch")
    nodes = [node(1, rows), node(2, problem("gpu-hot", "watch")), node(3, rows, problem("locked-memory", "watch", "config")), node(4, problem())]
    assert actions(*nodes, node(5, rows, problem("gpu-rows-failed", "unfit-replace")), *(node(number) for number in range(7, 20))) == [
        ("replace", 1),
        ("reboot", 1),
        ("reboot", 2),
        ("watch", 1),
    ]
    (idle,) = of(node(1, rows))["actions"]
    assert idle["text"] == "Reboot each node when it is idle: a GPU must remap a row of its memory. Until then, the node works."


def test_a_healthy_fleet_has_no_actions() -> None:
    assert actions(node(1), node(2, has_accelerators=False)) == []


def test_a_problem_of_many_nodes_has_a_common_cause() -> None:
    fit = [node(number) for number in range(10, 20)]
    bad = [node(number, problem()) for number in (1, 2, 3)]
    worse = node(4, problem(), problem("gpu-rows-failed", "unfit-replace"))
    found = of(*bad, worse, *fit)
    assert [(each["code"], len(each["nodes"]), each["of"]) for each in found["common"]] == [("gpu-xid", 4, 14)]
    assert actions(*bad, worse, *fit) == [("stop", 4), ("replace", 1)]


def test_few_nodes_or_a_small_share_have_no_common_cause() -> None:
    assert of(node(1, problem()), node(2, problem()))["common"] == []
    fit = [node(number) for number in range(10, 22)]
    assert of(*(node(number, problem()) for number in (1, 2, 3)), *fit)["common"] == []
    assert of(*(node(number, problem()) for number in (1, 2, 3)), *fit[:-1])["common"] != []


def test_problems_that_make_no_node_unfit_do_not_stop_repairs() -> None:
    assert of(*(node(number, problem("gpu-hot", "watch")) for number in (1, 2, 3, 4)))["common"] == []


def test_problems_of_a_group_precede_those_of_its_nodes() -> None:
    bad = node(1, problem())
    made = document([cluster(bad, node(2), set_up={"No rule.": ["gpus"], "No key.": ["others"]})], created=CREATED)
    reboot = "Reboot each node after its jobs have ended, then check it again."
    assert made["actions"] == [
        {"action": "set-up", "cluster": "ml", "nodes": [bad.instance_id, node(2).instance_id], "text": "No rule."},
        {"action": "set-up", "cluster": "ml", "nodes": [], "text": "No key."},
        {"action": "reboot", "cluster": "ml", "nodes": [bad.instance_id], "text": reboot},
    ]
