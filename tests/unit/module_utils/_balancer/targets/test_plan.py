# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which addresses are registered, kept or removed as targets."""

from __future__ import annotations

import itertools

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.targets.decision import decide, is_complete
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.targets.model import (
    Desired,
    LoginNode,
    State,
    Target,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.targets.plan import plan

ARN = "arn:aws:elasticloadbalancing:us-west-2:111111111111:targetgroup/hp-ml/73e2d6bc24d8a067"
NODE, OTHER = "i-0000000000000000a", "i-0000000000000000b"
IP, OTHER_IP = "10.1.1.11", "10.1.2.12"
TRANSITION = ("SystemUpdating", "Pending", "DeepHealthCheckInProgress", "Failure")
STATUSES = ("Running", *TRANSITION, "ShuttingDown", "NotFound", "")
HEALTHS = (None, "initial", "healthy", "unhealthy", "unhealthy.draining", "unused", "unavailable", "draining")


def desired(**settings) -> Desired:
    return Desired(target_group="hp-ml", minimum_healthy=0, **settings)


def state(*nodes: LoginNode, registered=(), complete=True) -> State:
    return State(target_group_arn=ARN, registered=tuple(registered), nodes=nodes, complete=complete)


def calls(the_plan) -> dict[str, list[str]]:
    return {
        step.operation: [f"{target['Id']}:{target['Port']}" for target in step.arguments["Targets"]]
        for step in the_plan.steps
    }


def expected_decision(status: str, verified: bool) -> str:
    if status in ("ShuttingDown", "NotFound"):
        return "out"
    return "in" if status == "Running" and verified else "hold"


@pytest.mark.parametrize(
    ("status", "health", "verified", "complete", "phase"),
    list(itertools.product(STATUSES, HEALTHS, (True, False), (True, False), ("reconcile", "deregister"))),
)
def test_every_combination_of_states_leads_to_the_expected_decision(status, health, verified, complete, phase):
    registered = [] if health is None else [Target(IP, 22, health)]
    wanted = desired(verified=frozenset([NODE] if verified else []), phase=phase)
    seen = state(LoginNode(NODE, IP, status), registered=registered, complete=complete)

    (decision,) = decide(wanted, seen)
    assert decision.decision == expected_decision(status, verified)

    serving = health not in (None, "draining")
    operations = {}
    if decision.decision == "out" and serving:
        operations = {"DeregisterTargets": [f"{IP}:22"]}
    elif decision.decision == "in" and not serving and phase == "reconcile":
        operations = {"RegisterTargets": [f"{IP}:22"]}
    assert calls(plan(wanted, seen)) == operations


@pytest.mark.parametrize(
    ("status", "health", "decision"),
    [
        ("Running", None, "out"),
        ("Running", "healthy", "out"),
        ("Running", "unhealthy", "out"),
        ("SystemUpdating", "healthy", "hold"),  # HyperPod updates it, and its old disk still serves
        ("ShuttingDown", "healthy", "out"),
    ],
)
def test_a_failed_node_is_removed_while_it_runs(status, health, decision):
    registered = [] if health is None else [Target(IP, 22, health), Target(OTHER_IP, 22, "healthy")]
    seen = state(LoginNode(NODE, IP, status), LoginNode(OTHER, OTHER_IP, "Running"), registered=registered)
    wanted = desired(verified=frozenset([NODE, OTHER]), failed=frozenset([NODE]))
    assert {each.instance_id: each.decision for each in decide(wanted, seen)} == {NODE: decision, OTHER: "in"}
    former = state(LoginNode(NODE, IP, status), registered=[Target(IP, 2022, "healthy")])
    assert {each.decision for each in decide(wanted, former) if each.port == 2022} == {decision}


def test_a_failed_node_stays_if_no_other_target_is_healthy():
    seen = state(LoginNode(NODE, IP, "Running"), LoginNode(OTHER, OTHER_IP, "Running"), registered=[Target(IP, 22, "healthy")])
    wanted = Desired(target_group="hp-ml", minimum_healthy=1, verified=frozenset([OTHER]), failed=frozenset([NODE]))
    assert {each.instance_id: each.decision for each in decide(wanted, seen)} == {NODE: "hold", OTHER: "in"}


@pytest.mark.parametrize("health", [health for health in HEALTHS if health is not None])
@pytest.mark.parametrize("complete", [True, False])
@pytest.mark.parametrize("minimum_healthy", [0, 1, 99])
def test_an_address_without_a_login_node_is_removed_if_the_listing_is_complete(health, complete, minimum_healthy):
    wanted = Desired(target_group="hp-ml", minimum_healthy=minimum_healthy)
    seen = state(registered=[Target(IP, 22, health)], complete=complete)
    removed = {"DeregisterTargets": [f"{IP}:22"]} if complete and health != "draining" else {}
    assert calls(plan(wanted, seen)) == removed


@pytest.mark.parametrize(
    ("status", "removed"),
    [
        ("Running", False),
        ("SystemUpdating", False),
        ("DeepHealthCheckInProgress", False),
        ("Pending", True),
        ("Failure", True),
        ("ShuttingDown", True),
    ],
)
def test_a_running_node_without_an_address_makes_the_listing_incomplete(status, removed):
    seen = state(LoginNode(NODE, None, status), registered=[Target(OTHER_IP, 22, "healthy")])
    the_plan = plan(desired(verified=frozenset([NODE])), seen)
    assert calls(the_plan) == ({"DeregisterTargets": [f"{OTHER_IP}:22"]} if removed else {})
    assert is_complete(seen) is removed


def test_a_replacement_that_reuses_an_address_is_not_removed_with_the_old_node():
    nodes = (LoginNode(OTHER, IP, "Running"), LoginNode(NODE, IP, "ShuttingDown"))
    seen = state(*nodes, registered=[Target(IP, 22, "unhealthy")])
    assert calls(plan(desired(), seen)) == {}
    (decision,) = decide(desired(verified=frozenset([OTHER])), seen)
    assert (decision.instance_id, decision.decision) == (OTHER, "in")


@pytest.mark.parametrize(
    ("minimum", "healths", "kept"),
    [
        (1, ("healthy", "healthy"), 1),
        (1, ("healthy",), 1),
        (1, ("unhealthy",), 0),
        (1, ("unhealthy", "healthy"), 1),
        (2, ("healthy", "healthy", "healthy"), 2),
        (0, ("healthy", "healthy"), 0),
    ],
)
def test_minimum_healthy_keeps_nodes_that_exist(minimum, healths, kept):
    nodes = [LoginNode(f"i-0000000000000000{index}", f"10.1.1.{index}", "Running") for index in range(len(healths))]
    registered = [Target(node.ip, 22, health) for node, health in zip(nodes, healths)]
    wanted = Desired(
        target_group="hp-ml",
        minimum_healthy=minimum,
        drained=frozenset(node.instance_id for node in nodes),
    )
    seen = state(*nodes, registered=registered)
    gone = calls(plan(wanted, seen)).get("DeregisterTargets", [])
    assert len(healths) - len(gone) == kept


def test_a_target_on_another_port_is_removed():
    seen = state(LoginNode(NODE, IP, "Running"), registered=[Target(IP, 22, "healthy"), Target(IP, 2222, "healthy")])
    the_plan = plan(desired(verified=frozenset([NODE])), seen)
    assert calls(the_plan) == {"DeregisterTargets": [f"{IP}:2222"]}


def test_removals_and_registrations_take_one_call_each_in_this_order():
    nodes = [LoginNode(f"i-0000000000000000{index}", f"10.1.1.{index}", "Running") for index in range(3)]
    strangers = [Target(f"10.1.9.{index}", 22, "healthy") for index in range(3)]
    wanted = desired(verified=frozenset(node.instance_id for node in nodes))
    the_plan = plan(wanted, state(*nodes, registered=strangers))
    assert [step.operation for step in the_plan.steps] == ["DeregisterTargets", "RegisterTargets"]
    assert [len(step.changes) for step in the_plan.steps] == [3, 3]


def test_the_predicted_state_needs_no_further_change():
    seen = state(LoginNode(NODE, IP, "Running"), registered=[Target(OTHER_IP, 22, "healthy")])
    wanted = desired(verified=frozenset([NODE]))
    the_plan = plan(wanted, seen)
    assert the_plan and not plan(wanted, the_plan.after(seen))


def test_absent_removes_every_serving_target():
    seen = state(registered=[Target(IP, 22, "healthy"), Target(OTHER_IP, 22, "draining")])
    assert calls(plan(desired(present=False), seen)) == {"DeregisterTargets": [f"{IP}:22"]}
