# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes of the report after NCCL tests: tested ones, and the reasons why others were not."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.nccl.merge import may_be_tested, merged
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.nccl.model import Node, Outcome, Test as Wave
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.slurm_states import State

P5 = "ml.p5.48xlarge"
IDLE = {"10.0.0.1": State("idle")}
BUSY = {"10.0.0.1": State("allocated", jobs=("7 of alice",))}


def row(verdict: str = "fit", kind: str = P5, *, health: bool = True) -> dict[str, t.Any]:
    read = {"verdict": verdict, "problems": ["p"], "not_looked_at": ["u"], "gpus": []}
    named = {"instance_id": "i-1", "instance_type": kind, "private_ip": "10.0.0.1", "hyperpod": "Running"}
    return {**named, "health": read if health else None}


@pytest.mark.parametrize(
    ("of", "slurm", "check", "why"),
    [
        (row(), IDLE, False, "no test applies to the node"),
        (row("watch"), IDLE, False, "no test applies to the node"),
        (row(), IDLE, True, "check mode starts no test"),
        (row("unknown"), IDLE, False, "the node's verdict is unknown"),
        (row("unfit-reboot"), IDLE, False, "the node's verdict is unfit-reboot"),
        (row(), BUSY, False, "the node has jobs: 7 of alice"),
        (row(), {}, False, "the node's state in Slurm is unknown"),
        (row(), None, False, "Slurm could not be queried for jobs on the node"),
        (row(kind="ml.m5.large"), IDLE, False, ""),
    ],
)
def test_the_reason_why_a_node_was_not_tested_is_reported(of: dict[str, t.Any], slurm: t.Any, check: bool, why: str) -> None:
    unseen = [{"what": "NCCL", "why": why}] if why else []
    (found,) = merged([of], [], with_gpus={P5}, slurm=slurm, check=check)
    assert found == {**of, "health": {**of["health"], "not_looked_at": ["u", *unseen]}}


@pytest.mark.parametrize(
    ("of", "slurm", "may"),
    [(row(), IDLE, True), (row("watch"), IDLE, True), (row("unknown"), IDLE, False), (row(), BUSY, False), (row(health=False), IDLE, False)],
)
def test_only_suitable_nodes_are_tested(of: dict[str, t.Any], slurm: t.Any, may: bool) -> None:
    assert may_be_tested(of, slurm) is may


def test_an_unread_node_stays_unread() -> None:
    assert merged([row(health=False)], [], with_gpus={P5}, slurm=IDLE, check=False) == [row(health=False)]


def test_problems_of_a_test_worsen_the_verdict() -> None:
    slow = Outcome(("i-1",), "failed", "wrong-values", "7 values came back wrong.")
    (found,) = merged([row()], [slow], with_gpus={P5}, slurm=IDLE, check=False)
    assert len(found["health"]["problems"]) == 2 and found["health"]["problems"][0] == "p"
    assert found["health"]["verdict"] == found["health"]["problems"][1]["verdict"] != "fit"
    assert found["health"]["not_looked_at"] == ["u"]


def test_a_test_has_a_form_for_the_task_and_one_for_the_report() -> None:
    nodes = (Node("i-1", "10.0.0.1", P5, 8, efa=True), Node("i-2", "10.0.0.2", P5, 8, efa=True))
    task = {"ids": ["i-1", "i-2"], "addresses": ["10.0.0.1", "10.0.0.2"], "instance_type": P5, "gpus": 8, "efa": True}
    assert Wave(nodes).to_task() == task
    found = Outcome(("i-1", "i-2"), "slow", text="Below.", bandwidth=200.0, floor=300.0)
    assert found.to_report() == {"nodes": ["i-1", "i-2"], "verdict": "slow", "bandwidth": 200.0, "floor": 300.0, "text": "Below."}
