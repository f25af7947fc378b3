# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Positions of Kubernetes nodes, nodes without labels, and the jobs on each node."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.layers import LAYER
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.kubernetes import job_of, places
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.model import Place

Object = dict[str, t.Any]


def node(name: str, *layers: str, ready: str = "True", unschedulable: bool = False, **labels: str) -> Object:
    layer_labels = {f"{LAYER}{number}": layer for number, layer in enumerate(layers, 1)}
    given = {key.replace("__", "/").replace("_", "."): value for key, value in labels.items()}
    conditions = [{"type": "Ready", "status": ready, "reason": "r", "message": "m"}]
    return {"metadata": {"name": name, "labels": {**layer_labels, **given}}, "spec": {"unschedulable": unschedulable}, "status": {"conditions": conditions}}


def pod(name: str, where: str, phase: str = "Running", gpus: str = "8", owner: str = "") -> Object:
    owners = [{"name": "other"}, {"name": owner, "controller": True}] if owner else []
    container = {"resources": {"limits": {"nvidia.com/gpu": gpus} if gpus else {}}}
    meta = {"name": name, "namespace": "ns", "ownerReferences": owners}
    return {"metadata": meta, "spec": {"nodeName": where, "containers": [container]}, "status": {"phase": phase}}


def test_a_node_is_read_from_its_labels() -> None:
    labels = {
        "topology.kubernetes.io/zone": "us-west-2a",
        "node.kubernetes.io/instance-type": "ml.p5.48xlarge",
        "sagemaker.amazonaws.com/instance-group-name": "gpus",
        "topology.k8s.aws/ultraserver-id": "us-1",
    }
    item = node("hyperpod-i-1", "a", "b", "c", "d")
    item["metadata"]["labels"] |= labels
    about = {"instance_id": "i-1", "instance_type": "ml.p5.48xlarge", "instance_group": "gpus", "zone": "us-west-2a", "ultraserver": "us-1"}
    assert places([item], []) == [Place("hyperpod-i-1", ("a", "b", "c", "d"), **about)]
    assert places([{"metadata": {"name": "ip-10-0-0-1"}, "status": item["status"]}], []) == [Place("ip-10-0-0-1")]


@pytest.mark.parametrize(
    ("item", "why"),
    [
        (node("a", ready="False"), "its kubelet is not ready (r: m)"),
        (node("a", unschedulable=True), "it is cordoned"),
        (node("a", **{"sagemaker_amazonaws_com__node-health-status": "UnschedulablePendingReplacement"}), "HyperPod labels it UnschedulablePendingReplacement"),
        (node("a", **{"sagemaker_amazonaws_com__node-health-status": "Schedulable"}), ""),
    ],
)
def test_nodes_that_accept_no_pods_are_unhealthy(item: Object, why: str) -> None:
    (place,) = places([item], [pod("p", "a")])
    assert (place.state, place.why, place.jobs) == ("unhealthy" if why else "used", why, ("ns/p",))


def test_jobs_are_assigned_to_nodes() -> None:
    pods = [
        pod("train-0", "a", owner="train"),
        pod("train-1", "a", owner="train"),
        pod("other-0", "a", owner="other"),
        pod("cpu", "b", gpus=""),
        pod("over", "b", phase="Succeeded"),
    ]
    first, second = places([node("a"), node("b")], pods)
    assert (first.state, first.jobs) == ("used", ("ns/other", "ns/train"))
    assert second.state == "free"


@pytest.mark.parametrize(
    ("labels", "owner", "job"),
    [
        ({"training.kubeflow.org/job-name": "torch", "job-name": "inner"}, "torch-owner", "ns/torch"),
        ({"jobset.sigs.k8s.io/jobset-name": "set", "batch.kubernetes.io/job-name": "set-workers-0"}, "set-workers-0", "ns/set"),
        ({"job-name": "old"}, "old", "ns/old"),
        ({}, "replicas", "ns/replicas"),
        ({}, "", "ns/p"),
        ({"job-name": "a\x1b"}, "", "ns/a?"),
    ],
)
def test_the_job_of_a_pod_is_read_from_labels_and_owner(labels: dict[str, str], owner: str, job: str) -> None:
    item = pod("p", "a", owner=owner)
    item["metadata"]["labels"] = labels
    assert job_of(item) == job
