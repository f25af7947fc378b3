# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes that cannot be reserved for a test."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.devices import State, observe
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.idle import Reason, why_not_idle

from ..._accelerators.kubernetes.nccl.tested import Measured, name, node, working
from ..._karpenter.proof.api_server import Server


def seen(*nodes: dict[str, t.Any], others: t.Sequence[dict[str, t.Any]] = (), forbidden: bool = False) -> State:
    world = Measured()
    world.nodes, world.others = list(nodes), list(others)
    world.refused = {("GET", "/api/v1/pods"): [403]} if forbidden else {}
    with Server(world) as kubernetes:
        return observe(kubernetes)


def why(state: State, *, efa: bool = True) -> Reason | None:
    return why_not_idle((name(1), name(2)), state, gpus=8, efa=efa)


def test_idle_nodes_are_accepted() -> None:
    state = seen(node(1), node(2), node(3, ready="False"), others=[working(3), working(1, phase="Succeeded")])
    assert why(state) is None


def labelled(value: str) -> dict[str, t.Any]:
    found = node(1)
    return {**found, "metadata": {**found["metadata"], "labels": {"sagemaker.amazonaws.com/node-health-status": value}}}


@pytest.mark.parametrize("health", ["Schedulable", ""])
def test_healthy_labels_do_not_matter(health: str) -> None:
    assert why(seen(labelled(health), node(2))) is None


@pytest.mark.parametrize(
    ("state", "kind", "text"),
    [
        (seen(node(2)), "unavailable", f"Nodes are missing in Kubernetes: {name(1)}."),
        (seen(node(1), node(2), forbidden=True), "busy", "The caller may not list the Pods of all namespaces"),
        (seen(node(1), node(2), others=[working(2)]), "busy", f"Pods use accelerators of the nodes: research/train-0 on {name(2)}."),
        (seen(node(1), node(2, ready="Unknown")), "unavailable", f"{name(2)}: its kubelet is not ready (KubeletSaysSo: no?more)."),
        (seen(node(1, unschedulable=True), node(2)), "unavailable", f"{name(1)}: it is cordoned."),
        (seen(labelled("UnschedulablePendingReboot"), node(2)), "unavailable", "HyperPod labels it UnschedulablePendingReboot."),
        (seen(node(1), node(2, gpu="7")), "fewer devices", f"must offer 8 nvidia.com/gpu. Nodes that offer fewer: {name(2)} (7)."),
        (seen(node(1), node(2, gpu="many")), "fewer devices", f"{name(2)} (0)."),
        (seen(node(1), node(2, efa="0")), "fewer devices", f"EFA devices (vpc.amazonaws.com/efa). Nodes without EFA devices: {name(2)}."),
    ],
)
def test_unsuitable_nodes_are_reported(state: State, kind: str, text: str) -> None:
    found = why(state)
    assert found is not None and found.kind == kind and text in found.text, found


def test_a_type_without_efa_needs_no_efa_devices() -> None:
    assert why(seen(node(1, efa="0"), node(2, efa="0")), efa=False) is None
