# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the software of groups and nodes is read and returned, and by which requests."""

from __future__ import annotations

import datetime
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Waits
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import HyperPod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_software.model import (
    Desired,
    NodeSoftware,
    Software,
    State,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_software.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_software.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.model import Cluster

ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
MOMENT = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
EKS = {"Orchestrator": {"Eks": {"ClusterArn": "arn:aws:eks:us-west-2:111111111111:cluster/pods"}}}
ONE, TWO = "i-00000001", "i-00000002"


def group(name: str, status: str = "InService", update: str = "Succeeded") -> dict[str, t.Any]:
    return {"InstanceGroupName": name, "Status": status, "SoftwareUpdateStatus": update}


def cluster(*groups: dict[str, t.Any], status: str = "InService", **more: t.Any) -> dict[str, t.Any]:
    return {"ClusterArn": ARN, "ClusterName": "ml", "ClusterStatus": status, "InstanceGroups": list(groups), **more}


def observer(client: t.Any, *, waits: bool = False) -> Observer:
    paused: list[float] = []
    clock = Clock(now=lambda: sum(paused), sleep=paused.append, jitter=lambda: 0.0)
    waiting = Waits(timeout=60, interval=20, clock=clock) if waits else None
    return Observer(HyperPod(client), Desired(ARN, {"a": "", "b": "", "absent": ""}), waits=waiting)


def test_every_field_of_an_answer_is_read() -> None:
    software = {"CurrentImageReleaseVersion": "2.0", "ImageVersionStatus": "UpToDate"}
    answer = {"InstanceGroupName": "a", "Status": "InService", "CurrentImageId": "ami", "SoftwareUpdateStatus": "Succeeded", **software}
    assert Software.from_api(answer) == Software("a", "2.0", "ami", "UpToDate", "Succeeded", "InService")
    assert Software.from_api({"InstanceGroupName": "a"}) == Software("a", "", "", "", "", "")
    node = {"InstanceId": ONE, "InstanceGroupName": "a"}
    assert NodeSoftware.from_api({**node, **software}) == NodeSoftware(ONE, "a", "2.0", "UpToDate")
    assert NodeSoftware.from_api(node) == NodeSoftware(ONE, "a", "", "")


@pytest.mark.parametrize(
    ("update", "status", "under_way"),
    [("InProgress", "InService", True), ("Succeeded", "SystemUpdating", True), ("Succeeded", "InService", False), ("", "", False)],
)
def test_an_update_in_progress_is_recognised(update: str, status: str, under_way: bool) -> None:
    assert Software("a", update_status=update, group_status=status).under_way is under_way


@pytest.mark.parametrize(
    ("version", "release", "status", "behind"),
    [
        ("", "1.0", "UpdateAvailable", True),
        ("", "1.0", "UpToDate", False),
        ("", "1.0", "", False),
        ("2.0", "1.0", "UpToDate", True),
        ("2.0", "2.0", "UpdateAvailable", False),
        ("2.0", "", "UpdateAvailable", False),
    ],
)
def test_nodes_behind_the_wanted_version_are_listed(version: str, release: str, status: str, behind: bool) -> None:
    nodes = (NodeSoftware(ONE, "a", release, status), NodeSoftware(TWO, "b", "1.0", "UpdateAvailable"))
    assert State(Cluster.from_api(cluster()), {}, nodes).behind("a", version) == ([ONE] if behind else [])


def test_groups_of_both_kinds_and_the_nodes_of_eks_are_read(stubbed: t.Any) -> None:
    client, stub = stubbed("sagemaker")
    stub.add_response("describe_cluster", cluster(group("a"), RestrictedInstanceGroups=[{"InstanceGroupName": "r"}], **EKS), {"ClusterName": ARN})
    about = {"InstanceGroupName": "a", "InstanceType": "ml.m5.large", "LaunchTime": MOMENT, "InstanceStatus": {"Status": "Running"}}
    summaries = [{**about, "InstanceId": each} for each in (TWO, ONE)]
    stub.add_response("list_cluster_nodes", {"ClusterNodeSummaries": summaries}, {"ClusterName": ARN})
    state = observer(client)()
    assert list(state.groups) == ["a", "r"] and [node.instance_id for node in state.nodes] == [ONE, TWO]


def test_with_slurm_the_nodes_are_not_read(stubbed: t.Any) -> None:
    client, stub = stubbed("sagemaker")
    stub.add_response("describe_cluster", cluster(group("a")))
    assert observer(client)().nodes == ()


@pytest.mark.parametrize(
    ("status", "groups", "settled"),
    [
        ("InService", [group("a"), group("b")], True),
        ("InService", [group("a"), group("b", update="InProgress")], False),
        ("InService", [group("a", update="InProgress"), group("b", update="InProgress")], False),
        ("InService", [group("a"), group("other", update="InProgress")], True),
        ("SystemUpdating", [group("a")], False),
        ("InService", [], True),
        ("Failed", [group("a")], True),
    ],
)
def test_a_cluster_has_settled_when_no_update_is_in_progress(stubbed: t.Any, status: str, groups: list[dict[str, t.Any]], settled: bool) -> None:
    client, stub = stubbed("sagemaker")
    stub.add_response("describe_cluster", cluster(*groups, status=status))
    if not settled:
        stub.add_response("describe_cluster", cluster(group("a")))
    observer(client, waits=True)()


def test_the_result_contains_the_groups() -> None:
    found = {name: Software(name, "1.0", "ami", "UpdateAvailable", "Succeeded", "InService") for name in "abc"}
    state = State(Cluster.from_api(cluster(**EKS)), found, (NodeSoftware(ONE, "a", "1.0", "UpdateAvailable"),))
    software = {
        "image_release_version": "1.0",
        "image_id": "ami",
        "image_version_status": "UpdateAvailable",
        "software_update_status": "Succeeded",
    }
    groups = result(Desired(ARN, {"b": "", "a": ""}), state)["groups"]
    assert groups == [{"name": "b", **software, "nodes_behind": []}, {"name": "a", **software, "nodes_behind": [ONE]}]


def test_options_have_the_documented_defaults() -> None:
    desired = Desired(ARN, {})
    assert (desired.image_id, desired.deployment, desired.force) == (None, {}, False)
