# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which address becomes, stays or ceases to be a target."""

from __future__ import annotations

import itertools

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.targets import plan as targets_plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.targets.model import (
    Desired,
    LoginNode,
    State,
    Target,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.targets.result import result

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


def calls(plan) -> dict[str, list[str]]:
    return {
        step.operation: [f"{target['Id']}:{target['Port']}" for target in step.arguments["Targets"]]
        for step in plan.steps
    }


def expected_decision(status: str, verified: bool) -> str:
    if status in ("ShuttingDown", "NotFound"):
        return "out"
    return "in" if status == "Running" and verified else "hold"


@pytest.mark.parametrize(
    ("status", "health", "verified", "complete", "phase"),
    list(itertools.product(STATUSES, HEALTHS, (True, False), (True, False), ("reconcile", "deregister"))),
)
def test_a_node_in_every_situation(status, health, verified, complete, phase):
    registered = [] if health is None else [Target(IP, 22, health)]
    wanted = desired(verified=frozenset([NODE] if verified else []), phase=phase)
    seen = state(LoginNode(NODE, IP, status), registered=registered, complete=complete)

    (decision,) = targets_plan.decide(wanted, seen)
    assert decision.decision == expected_decision(status, verified)

    serving = health not in (None, "draining")
    operations = {}
    if decision.decision == "out" and serving:
        operations = {"DeregisterTargets": [f"{IP}:22"]}
    elif decision.decision == "in" and not serving and phase == "reconcile":
        operations = {"RegisterTargets": [f"{IP}:22"]}
    assert calls(targets_plan.plan_present(wanted, seen)) == operations


@pytest.mark.parametrize("health", [health for health in HEALTHS if health is not None])
@pytest.mark.parametrize("complete", [True, False])
@pytest.mark.parametrize("minimum_healthy", [0, 1, 99])
def test_an_address_of_no_login_node_goes_when_the_listing_is_complete(health, complete, minimum_healthy):
    wanted = Desired(target_group="hp-ml", minimum_healthy=minimum_healthy)
    seen = state(registered=[Target(IP, 22, health)], complete=complete)
    removed = {"DeregisterTargets": [f"{IP}:22"]} if complete and health != "draining" else {}
    assert calls(targets_plan.plan_present(wanted, seen)) == removed


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
def test_a_node_that_must_have_an_address_and_shows_none_makes_the_listing_incomplete(status, removed):
    seen = state(LoginNode(NODE, None, status), registered=[Target(OTHER_IP, 22, "healthy")])
    plan = targets_plan.plan_present(desired(verified=frozenset([NODE])), seen)
    assert calls(plan) == ({"DeregisterTargets": [f"{OTHER_IP}:22"]} if removed else {})
    assert result(desired(), seen, waited=True)["complete"] is removed


def test_a_replacement_at_the_same_address_is_not_removed_with_the_node_that_it_replaces():
    nodes = (LoginNode(OTHER, IP, "Running"), LoginNode(NODE, IP, "ShuttingDown"))
    seen = state(*nodes, registered=[Target(IP, 22, "unhealthy")])
    assert calls(targets_plan.plan_present(desired(), seen)) == {}
    (decision,) = targets_plan.decide(desired(verified=frozenset([OTHER])), seen)
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
    gone = calls(targets_plan.plan_present(wanted, seen)).get("DeregisterTargets", [])
    assert len(healths) - len(gone) == kept


def test_a_target_at_another_port_goes():
    seen = state(LoginNode(NODE, IP, "Running"), registered=[Target(IP, 22, "healthy"), Target(IP, 2222, "healthy")])
    plan = targets_plan.plan_present(desired(verified=frozenset([NODE])), seen)
    assert calls(plan) == {"DeregisterTargets": [f"{IP}:2222"]}


def test_one_call_each_way_and_removals_first():
    nodes = [LoginNode(f"i-0000000000000000{index}", f"10.1.1.{index}", "Running") for index in range(3)]
    strangers = [Target(f"10.1.9.{index}", 22, "healthy") for index in range(3)]
    wanted = desired(verified=frozenset(node.instance_id for node in nodes))
    plan = targets_plan.plan_present(wanted, state(*nodes, registered=strangers))
    assert [step.operation for step in plan.steps] == ["DeregisterTargets", "RegisterTargets"]
    assert [len(step.changes) for step in plan.steps] == [3, 3]


def test_the_predicted_state_needs_no_further_change():
    seen = state(LoginNode(NODE, IP, "Running"), registered=[Target(OTHER_IP, 22, "healthy")])
    wanted = desired(verified=frozenset([NODE]))
    plan = targets_plan.plan_present(wanted, seen)
    assert plan and not targets_plan.plan_present(wanted, plan.predicted)


def test_absent_takes_every_serving_target_out():
    seen = state(registered=[Target(IP, 22, "healthy"), Target(OTHER_IP, 22, "draining")])
    assert calls(targets_plan.plan_absent(desired(), seen)) == {"DeregisterTargets": [f"{IP}:22"]}


@pytest.mark.parametrize(
    ("healths", "alarm"),
    [
        ((), False),
        (("unhealthy",), True),
        (("unhealthy", "unhealthy.draining"), True),
        (("unhealthy", "healthy"), False),
        (("unhealthy", "initial"), False),
        (("unhealthy", "draining"), True),
        (("draining",), False),
    ],
)
def test_fail_open_is_an_alarm(healths, alarm):
    seen = state(registered=[Target(f"10.1.1.{index}", 22, health) for index, health in enumerate(healths)])
    report = result(desired(), seen, waited=180)
    assert report["all_unhealthy"] is alarm
    assert bool(report["hyperpod_report"]["notes"]) is alarm


@pytest.mark.parametrize(
    ("health", "waited", "pending"),
    [
        ("healthy", 180, False),
        ("initial", 180, True),
        ("initial", None, False),
        ("unhealthy", None, True),
        ("unused", 180, True),
    ],
)
def test_the_report_names_what_is_pending(health, waited, pending):
    seen = state(
        LoginNode(NODE, IP, "Pending"),
        LoginNode(OTHER, OTHER_IP, "Running"),
        registered=[Target(OTHER_IP, 22, health)],
    )
    held, *others = result(desired(verified=frozenset([OTHER])), seen, waited=waited)["hyperpod_report"]["pending"]
    assert held == f"{IP} ({NODE}) is held: the node is Pending."
    after = "" if waited is None or health == "unused" else f" after {waited} s"
    assert others == ([f"{OTHER_IP} ({OTHER}) is registered but {health}{after}."] if pending else [])


REGISTERING, CHECKING = "Elb.RegistrationInProgress", "Elb.InitialHealthChecking"


@pytest.mark.parametrize(
    ("target", "of_this_run", "degraded"),
    [
        (Target(IP, 22, "initial", REGISTERING), True, False),
        (Target(IP, 22, "initial", CHECKING), True, False),
        (Target(IP, 22, "initial", REGISTERING), False, True),
        (Target(IP, 22, "unhealthy", "Target.Timeout"), True, True),
        (Target(IP, 22, "healthy"), True, False),
    ],
)
def test_a_registration_that_aws_is_at_work_on_is_news_and_no_fault(target, of_this_run, degraded):
    seen = state(LoginNode(NODE, IP, "Running"), registered=[target])
    wanted = desired(verified=frozenset([NODE]))
    fresh = frozenset({(IP, 22)} if of_this_run else ())
    told = result(wanted, seen, waited=420, registered=fresh)["hyperpod_report"]
    state_of = f"{target.health} ({target.reason})"
    waited = 120 if target.health == "unhealthy" else 420
    assert told["pending"] == ([f"{IP} ({NODE}) is registered but {state_of} after {waited} s."] if degraded else [])
    in_service = degraded or target.health == "healthy"
    assert [note for note in told["notes"] if "was registered" in note] == (
        []
        if in_service
        else [
            f"{IP} ({NODE}) was registered and is {state_of} after 420 s: AWS takes some minutes until logins come to it; "
            "the next run looks again."
        ]
    )


def test_before_nodes_are_configured_only_withheld_removals_are_pending():
    seen = state(
        LoginNode(NODE, None, "SystemUpdating"),
        LoginNode(OTHER, OTHER_IP, "Running"),
        registered=[Target(IP, 22, "healthy")],
    )
    pending = result(desired(phase="deregister"), seen, waited=None)["hyperpod_report"]["pending"]
    assert len(pending) == 1 and pending[0].startswith(IP)
