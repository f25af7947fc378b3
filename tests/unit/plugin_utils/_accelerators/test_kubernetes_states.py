# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""States of Kubernetes nodes are parsed without trust and made printable."""

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


def answer(**row: t.Any) -> t.Any:
    return {"nodes": [{"instance_id": "i-1", "kubernetes": NODE, "health": {"verdict": "fit"}, "why": "", **row}]}


def test_the_state_of_a_node_is_read() -> None:
    found = states(answer())["i-1"]
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
def test_invalid_answers_have_no_states(value: t.Any) -> None:
    assert states(value) == {}


def test_a_missing_node_is_described() -> None:
    found = states(answer(kubernetes=None, health=None, why="Kubernetes has\nno node."))["i-1"]
    assert (found.known, found.pods, found.why) == ({}, (), "Kubernetes has no node.") and lines(found.known) == [] == lines(NOTHING.known)


def test_unexpected_types_are_tolerated() -> None:
    odd = {"name": 7, "unschedulable": "yes", "taints": "x", "conditions": {"a": 1}, "pods": 3}
    found = states(answer(kubernetes=odd))["i-1"]
    assert (found.known["node"], found.known["unschedulable"], found.known["taints"], found.known["conditions"], found.pods) == ("7", False, [], [], ())
