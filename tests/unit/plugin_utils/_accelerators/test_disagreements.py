# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Contradictions between HyperPod, Slurm or Kubernetes and the check."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.disagreements import WELL, disagreements

KNOWN: dict[str, t.Any] = {"node": "n", "unschedulable": False, "taints": [], "conditions": []} | dict.fromkeys(
    ("health_status", "deep_health_check", "fault_types", "fault_reasons"), ""
)


def contradictions(verdict: str, known: dict[str, t.Any]) -> list[str]:
    return disagreements(verdict, hyperpod="Running", slurm="", slurm_reason="", kubernetes=known)


def condition(kind: str, status: str) -> dict[str, t.Any]:
    return {"conditions": [{"type": kind, "status": status, "reason": "r", "message": "m"}]}


@pytest.mark.parametrize("verdict", ["fit", "watch"])
@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({}, ""),
        ({"health_status": "Schedulable", "deep_health_check": "Passed"}, ""),
        ({"health_status": "Unschedulable"}, "HyperPod labels the node Unschedulable, "),
        ({"health_status": "x", "fault_types": "T", "fault_reasons": "R"}, "HyperPod labels the node x (T: R), "),
        ({"deep_health_check": "Failed"}, "HyperPod's deep health checks failed, "),
        (condition("AcceleratedHardwareReady", "False"), "Kubernetes reports condition AcceleratedHardwareReady False (r), "),
        *((condition(kind, "True"), "") for kind in ("Ready", "MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable")),
    ],
)
def test_contradictions_of_a_healthy_node_are_reported(verdict: str, given: dict[str, t.Any], sentence: str) -> None:
    assert contradictions(verdict, {**KNOWN, **given}) == ([f"{sentence}{WELL}"] if sentence else [])


@pytest.mark.parametrize("verdict", ["unfit-reboot", "unfit-replace"])
@pytest.mark.parametrize(
    ("given", "count"),
    [({}, 1), ({"health_status": "Schedulable"}, 1), ({"unschedulable": True}, 0), ({"health_status": "UnschedulablePendingReboot"}, 0)],
)
def test_contradictions_of_an_unfit_node_are_reported(verdict: str, given: dict[str, t.Any], count: int) -> None:
    found = contradictions(verdict, {**KNOWN, **given})
    assert len(found) == count and all(each.startswith("The node is unfit, but it accepts Pods in Kubernetes") for each in found)


def test_unknown_nodes_have_no_contradictions() -> None:
    assert contradictions("unfit-reboot", {}) == [] == contradictions("unknown", {**KNOWN, "health_status": "Unschedulable"})


WORKS, GONE = ("idle", "allocated", "mixed", "completing"), ("down", "drain", "drained", "draining", "drng", "fail", "failing", "error", "maint", "reboot")


def of_slurm(verdict: str, state: str, reason: str = "", hyperpod: str = "Running") -> list[str]:
    return disagreements(verdict, hyperpod=hyperpod, slurm=state, slurm_reason=reason, kubernetes=t.cast(t.Any, {}))


@pytest.mark.parametrize("state", [*WORKS, *GONE, "", "planned"])
def test_contradictions_of_slurm_are_reported(state: str) -> None:
    for verdict in ("fit", "watch"):
        assert of_slurm(verdict, state, "disk") == ([f"Slurm reports state {state} (disk), {WELL}"] if state in GONE else [])
    for verdict in ("unfit-reboot", "unfit-replace"):
        assert of_slurm(verdict, state) == ([f"The node is unfit, but it accepts jobs in Slurm: its state in Slurm is {state}."] if state in WORKS else [])
    assert of_slurm("unknown", state) == []


@pytest.mark.parametrize(("status", "reported"), [("Running", False), ("", False), ("Failure", True)])
def test_contradictions_of_hyperpod_are_reported(status: str, reported: bool) -> None:
    assert of_slurm("fit", "down", hyperpod=status) == [*([f"HyperPod reports status {status}, {WELL}"] * reported), f"Slurm reports state down, {WELL}"]
