# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the autoscaler of a cluster is read and returned."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Waits
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import HyperPod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_autoscaling.model import Desired, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_autoscaling.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_autoscaling.result import result

ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
ROLE = "arn:aws:iam::111111111111:role/autoscaler"
CLUSTER = {"ClusterArn": ARN, "ClusterName": "ml", "ClusterStatus": "InService", "InstanceGroups": []}
SCALER = {"Mode": "Enable", "AutoScalerType": "Karpenter", "Status": "InService", "FailureMessage": "no role"}
ANSWER = {**CLUSTER, "NodeRecovery": "Automatic", "ClusterRole": ROLE, "AutoScaling": SCALER}


def observed(client: t.Any, *, waits: bool) -> State:
    paused: list[float] = []
    clock = Clock(now=lambda: sum(paused), sleep=paused.append, jitter=lambda: 0.0)
    return Observer(HyperPod(client), Desired(ARN, True), waits=Waits(timeout=60, interval=20, clock=clock) if waits else None)()


def test_every_field_of_an_answer_is_read() -> None:
    state = State.from_api(ANSWER)
    assert (state.cluster.name, state.node_recovery, state.role) == ("ml", "Automatic", ROLE)
    assert (state.mode, state.status, state.failure) == ("Enable", "InService", "no role")
    least = State.from_api(CLUSTER)
    assert (least.node_recovery, least.role, least.mode, least.status, least.failure) == ("", "", "Disable", "", "")


@pytest.mark.parametrize(
    ("mode", "status", "cluster", "on", "works", "under_way"),
    [
        ("Enable", "InService", "InService", True, True, False),
        ("Enable", "InService", "Updating", True, True, True),
        ("Enable", "Failed", "InService", True, False, False),
        ("Enable", "Creating", "InService", True, False, True),
        ("Disable", "Deleting", "InService", False, False, True),
        ("Disable", "InService", "InService", False, False, False),
        ("Disable", "", "InService", False, False, False),
        ("Enable", "a-new-status", "InService", True, False, True),
    ],
)
def test_the_autoscaler_state_is_derived_from_mode_and_status(mode: str, status: str, cluster: str, on: bool, works: bool, under_way: bool) -> None:
    state = State.from_api({**CLUSTER, "ClusterStatus": cluster, "AutoScaling": {"Mode": mode, "Status": status}})
    assert (state.on, state.works, state.under_way) == (on, works, under_way)


@pytest.mark.parametrize("waits", [True, False])
def test_an_operation_of_an_earlier_run_is_waited_for(stubbed: t.Any, waits: bool) -> None:
    client, stub = stubbed("sagemaker")
    busy = {**ANSWER, "AutoScaling": {**SCALER, "Status": "Creating"}}
    for answer in (busy, ANSWER) if waits else (busy,):
        stub.add_response("describe_cluster", answer, {"ClusterName": ARN})
    assert observed(client, waits=waits) == State.from_api(ANSWER if waits else busy)


def test_the_result_contains_the_autoscaler() -> None:
    expected = {"mode": "Enable", "status": "InService", "failure_message": "no role", "cluster_role": ROLE}
    assert result(State.from_api(ANSWER)) == {"autoscaling": expected}


def test_options_have_the_documented_defaults() -> None:
    assert (Desired(ARN, True).role, Desired(ARN, True).replace_role) == ("", False)
