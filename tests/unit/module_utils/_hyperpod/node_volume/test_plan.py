# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Attaching volumes to nodes and detaching them, and what prevents it."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Change, Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.model import Cluster
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.node_volume.model import Attachment, Desired, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.node_volume.plan import plan

ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
NODE, OTHER, VOLUME = "i-00000001", "i-00000002", "vol-00000001"
IDS = {"ClusterArn": ARN, "NodeId": NODE, "VolumeId": VOLUME}
RESOURCE = f"volume {VOLUME} on node {NODE}"
HERE, ELSEWHERE = Attachment(NODE, "attached"), Attachment(OTHER, "attached")
PRESENT, ABSENT = Desired(ARN, NODE, VOLUME), Desired(ARN, NODE, VOLUME, present=False)


def state(status: str = "available", attachment: Attachment | None = None, *, orchestrator: str = "Eks", nodes: t.Iterable[str] = (NODE, OTHER)) -> State:
    answer = {"ClusterArn": ARN, "ClusterName": "ml", "ClusterStatus": "InService", "Orchestrator": {orchestrator: {}}}
    return State(Cluster.from_api(answer), frozenset(nodes), status, attachment)


def test_an_available_volume_is_attached() -> None:
    planned = plan(PRESENT, state())
    assert planned.steps == (Step("AttachClusterNodeVolume", IDS, (Change("create", RESOURCE),)),)
    assert planned.after(state()) == state("in-use", HERE) and not plan(PRESENT, planned.after(state()))


def test_an_attached_volume_is_detached() -> None:
    found = state("in-use", HERE)
    planned = plan(ABSENT, found)
    assert planned.steps == (Step("DetachClusterNodeVolume", IDS, (Change("delete", RESOURCE),)),)
    assert planned.after(found) == state() and not plan(ABSENT, planned.after(found))


@pytest.mark.parametrize(
    ("desired", "found"),
    [(PRESENT, state("in-use", HERE)), (ABSENT, state()), (ABSENT, state("in-use", ELSEWHERE)), (ABSENT, state(orchestrator="Slurm"))],
)
def test_a_volume_as_declared_needs_no_change(desired: Desired, found: State) -> None:
    assert not plan(desired, found)


@pytest.mark.parametrize(
    ("desired", "found", "option", "message"),
    [
        (PRESENT, state(orchestrator="Slurm"), "cluster_arn", "AWS attaches volumes only to nodes of clusters with EKS"),
        (ABSENT, state("in-use", HERE, orchestrator="Slurm"), "cluster_arn", "AWS attaches volumes only to nodes of clusters with EKS"),
        (PRESENT, state(nodes=[OTHER]), "node_id", "the cluster has no such node"),
        (PRESENT, state("in-use", ELSEWHERE), "volume_id", f"it is attached to {OTHER}"),
        (PRESENT, state("creating"), "volume_id", "it is creating"),
    ],
    ids=["slurm", "slurm, absent", "no such node", "elsewhere", "not available"],
)
def test_impossible_changes_are_refused(desired: Desired, found: State, option: str, message: str) -> None:
    with pytest.raises(Refused, match=message) as refused:
        plan(desired, found)
    assert refused.value.option == option
