# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The calls that lead to the wanted autoscaler."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Change, Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_autoscaling.model import Desired, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_autoscaling.plan import plan

ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
ROLE, OTHER = "arn:aws:iam::111111111111:role/one", "arn:aws:iam::111111111111:role/other"
ON, OFF = Desired(ARN, True, ROLE), Desired(ARN, False)


def state(status: str = "", *, role: str = "", mode: str = "Enable", **more: t.Any) -> State:
    scaler = {"AutoScaling": {"Mode": mode, "Status": status}} if status else {}
    answer = {"Orchestrator": {"Eks": {"ClusterArn": "x"}}, "NodeProvisioningMode": "Continuous", "NodeRecovery": "Automatic", **more}
    return State.from_api({"ClusterArn": ARN, "ClusterName": "ml", "ClusterStatus": "InService", "ClusterRole": role, **scaler, **answer})


def modes(desired: Desired, found: State) -> list[str]:
    return [step.arguments["AutoScaling"]["Mode"] for step in plan(desired, found).steps]


@pytest.mark.parametrize(
    ("desired", "found", "calls"),
    [
        (ON, state(), ["Enable"]),
        (ON, state(role=OTHER), ["Enable"]),
        (ON, state("InService", role=ROLE), []),
        (ON, state("Creating", role=ROLE), []),
        (ON, state("Failed", role=ROLE), ["Disable", "Enable"]),
        (Desired(ARN, True, ROLE, replace_role=True), state("InService", role=OTHER), ["Disable", "Enable"]),
        (OFF, state("InService", role=ROLE), ["Disable"]),
        (OFF, state("Deleting", role=ROLE, mode="Disable"), []),
        (OFF, state(), []),
    ],
)
def test_the_plan_has_the_expected_calls(desired: Desired, found: State, calls: list[str]) -> None:
    made = plan(desired, found)
    assert [step.arguments["AutoScaling"]["Mode"] for step in made.steps] == calls
    after = found
    for step in made.steps:
        assert step.arguments.keys() <= {"ClusterName", "AutoScaling", "ClusterRole"}
        after = step.effect(after)
    assert modes(desired, after) == []


@pytest.mark.parametrize(
    ("found", "why"),
    [
        (state("InService", role=OTHER), "cluster_role: .*AWS cannot change the role while the autoscaler is enabled"),
        (state(Orchestrator={"Slurm": {}}), "uses Slurm"),
        (state(NodeProvisioningMode=""), "has no continuous provisioning"),
        (state(NodeRecovery="None"), "has node_recovery None"),
    ],
)
def test_unsupported_changes_are_refused(found: State, why: str) -> None:
    with pytest.raises(Refused, match=why):
        plan(ON, found)
    plan(OFF, found)


RESOURCE = "autoscaler of cluster ml"
ENABLING = {"ClusterName": ARN, "AutoScaling": {"Mode": "Enable", "AutoScalerType": "Karpenter"}, "ClusterRole": ROLE}
DISABLING = {"ClusterName": ARN, "AutoScaling": {"Mode": "Disable"}}
IS_ON, IS_OFF = Change("update", RESOURCE, "mode", "Disable", "Enable"), Change("update", RESOURCE, "mode", "Enable", "Disable")


@pytest.mark.parametrize(
    ("desired", "found", "steps"),
    [
        (ON, state(role=ROLE), [(ENABLING, [IS_ON])]),
        (ON, state(), [(ENABLING, [IS_ON, Change("update", RESOURCE, "cluster_role", None, ROLE)])]),
        (ON, state("Failed", role=ROLE), [(DISABLING, [IS_OFF]), (ENABLING, [IS_ON])]),
        (
            Desired(ARN, True, ROLE, replace_role=True),
            state("InService", role=OTHER),
            [(DISABLING, [IS_OFF]), (ENABLING, [IS_ON, Change("update", RESOURCE, "cluster_role", OTHER, ROLE)])],
        ),
        (OFF, state("InService", role=ROLE), [(DISABLING, [IS_OFF])]),
    ],
    ids=["on", "on with a role", "again", "another role", "off"],
)
def test_requests_and_changes_are_as_expected(desired: Desired, found: State, steps: list[tuple[dict[str, t.Any], list[Change]]]) -> None:
    assert plan(desired, found).steps == tuple(Step("UpdateCluster", sent, tuple(changes)) for sent, changes in steps)
