# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The targets that login_targets reports: an alarm, pending ones, and those that AWS is still registering."""

from __future__ import annotations

import pytest
import reported
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


def desired(**settings) -> Desired:
    return Desired(target_group="hp-ml", minimum_healthy=0, **settings)


def state(*nodes: LoginNode, registered=(), complete=True) -> State:
    return State(target_group_arn=ARN, registered=tuple(registered), nodes=nodes, complete=complete)


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
def test_fail_open_raises_an_alarm(healths, alarm):
    seen = state(registered=[Target(f"10.1.1.{index}", 22, health) for index, health in enumerate(healths)])
    report = result(desired(), seen, waited=180)
    assert report["all_unhealthy"] is alarm
    assert bool(reported.texts_of(report, "note")) is alarm


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
def test_pending_targets_are_reported(health, waited, pending):
    seen = state(
        LoginNode(NODE, IP, "Pending"),
        LoginNode(OTHER, OTHER_IP, "Running"),
        registered=[Target(OTHER_IP, 22, health)],
    )
    reported_result = result(desired(verified=frozenset([OTHER])), seen, waited=waited)
    held, *others = reported.texts_of(reported_result, "pending")
    found = reported_result["hyperpod_findings"][0]
    assert (found["code"], found["node"], found["brief"]) == ("target-held", NODE, "is not registered: the node is Pending.")
    assert held == f"{IP} ({NODE}) is not registered: the node is Pending."
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
def test_a_registration_in_progress_is_a_note_and_no_failure(target, of_this_run, degraded):
    seen = state(LoginNode(NODE, IP, "Running"), registered=[target])
    wanted = desired(verified=frozenset([NODE]))
    fresh = frozenset({(IP, 22)} if of_this_run else ())
    reported_result = result(wanted, seen, waited=420, registered=fresh)
    state_of = f"{target.health} ({target.reason})"
    waited = 120 if target.health == "unhealthy" else 420
    assert reported.texts_of(reported_result, "pending") == ([f"{IP} ({NODE}) is registered but {state_of} after {waited} s."] if degraded else [])
    in_service = degraded or target.health == "healthy"
    assert [note for note in reported.texts_of(reported_result, "note") if "was registered" in note] == (
        []
        if in_service
        else [
            f"{IP} ({NODE}) was registered and is {state_of} after 420 s. The node gets logins after some minutes, "
            "and the next run checks it."
        ]
    )


def test_before_nodes_are_configured_only_withheld_removals_are_pending():
    seen = state(
        LoginNode(NODE, None, "SystemUpdating"),
        LoginNode(OTHER, OTHER_IP, "Running"),
        registered=[Target(IP, 22, "healthy")],
    )
    pending = reported.texts_of(result(desired(phase="deregister"), seen, waited=None), "pending")
    assert len(pending) == 1 and pending[0].startswith(IP)
