# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Kubernetes says of nodes is read without trust, and told to people."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.kubernetes_states import NOTHING, lines, states

NODE = {
    "name": "hyperpod-i-1",
    "health_status": "Unschedulable",
    "deep_health_check": "",
    "fault_types": "NvidiaErrorReboot",
    "fault_reasons": "XID\n79",
    "node_pool": "",
    "unschedulable": True,
    "taints": ["a=b:NoSchedule"],
    "conditions": [{"type": "NvidiaErrorReboot", "status": "True", "reason": "r", "message": "\x1b[2J", "more": 1}],
    "pods": ["a/train-0", None],
    "more": 1,
}


def told(**row: t.Any) -> t.Any:
    return {"nodes": [{"instance_id": "i-1", "kubernetes": NODE, "health": {"verdict": "fit"}, "why": "", **row}]}


def test_what_is_known_of_a_node() -> None:
    found = states(told())["i-1"]
    assert found.health == {"verdict": "fit"} and found.pods == ("a/train-0", "")
    assert found.known == {
        "node": "hyperpod-i-1",
        "health_status": "Unschedulable",
        "deep_health_check": "",
        "fault_types": "NvidiaErrorReboot",
        "fault_reasons": "XID 79",
        "node_pool": "",
        "unschedulable": True,
        "taints": ["a=b:NoSchedule"],
        "conditions": [{"type": "NvidiaErrorReboot", "status": "True", "reason": "r", "message": "?[2J"}],
    }
    assert lines(found.known) == [
        "hyperpod-i-1 · health status Unschedulable · fault types NvidiaErrorReboot · fault reasons XID 79 · cordoned",
        "taint a=b:NoSchedule",
        "NvidiaErrorReboot True (r: ?[2J)",
    ]


@pytest.mark.parametrize("value", [None, "x", [], {}, {"nodes": 7}, {"nodes": [None, "x"]}, {"failed": True, "msg": "no"}])
def test_what_tells_nothing(value: t.Any) -> None:
    assert states(value) == {}


def test_a_node_that_kubernetes_does_not_have() -> None:
    found = states(told(kubernetes=None, health=None, why="Kubernetes has\nno node."))["i-1"]
    assert (found.known, found.pods, found.why) == ({}, (), "Kubernetes has no node.") and lines(found.known) == [] == lines(NOTHING.known)


def test_kinds_of_values_that_nobody_promised() -> None:
    odd = {"name": 7, "unschedulable": "yes", "taints": "x", "conditions": {"a": 1}, "pods": 3}
    found = states(told(kubernetes=odd))["i-1"]
    assert (found.known["node"], found.known["unschedulable"], found.known["taints"], found.known["conditions"], found.pods) == ("7", False, [], [], ())
