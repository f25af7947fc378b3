# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes on which no test is started, and what its pods ask for on others."""

from __future__ import annotations

import typing as t
from dataclasses import replace

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.nccl.model import Share, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.nccl.observe import observe
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.nccl.plan import refusal, share

from ...._karpenter.proof.api_server import Server
from .tested import Measured, desired, name, node, working


def seen(*nodes: dict[str, t.Any], others: t.Sequence[dict[str, t.Any]] = (), forbidden: bool = False) -> State:
    world = Measured()
    world.nodes, world.others = list(nodes), list(others)
    world.refused = {("GET", "/api/v1/pods"): [403]} if forbidden else {}
    with Server(world) as kubernetes:
        return observe(kubernetes)


def test_idle_nodes_are_tested() -> None:
    state = seen(node(1), node(2), node(3, ready="False"), others=[working(3), working(1, phase="Succeeded")])
    assert refusal(desired(), state) is None


def labelled(value: str) -> dict[str, t.Any]:
    found = node(1)
    return {**found, "metadata": {**found["metadata"], "labels": {"sagemaker.amazonaws.com/node-health-status": value}}}


@pytest.mark.parametrize("health", ["Schedulable", ""])
def test_healthy_labels_do_not_prevent_a_test(health: str) -> None:
    assert refusal(desired(), seen(labelled(health), node(2))) is None


@pytest.mark.parametrize(
    ("state", "failure", "why"),
    [
        (seen(node(2)), "allocation", f"Kubernetes has no node {name(1)}."),
        (seen(node(1), node(2), forbidden=True), "jobs", "The caller may not list the pods of all namespaces"),
        (seen(node(1), node(2), others=[working(2)]), "jobs", f"There are pods with accelerators on the nodes: research/train-0 on {name(2)}."),
        (seen(node(1), node(2, ready="Unknown")), "allocation", f"{name(2)}: its kubelet is not ready (KubeletSaysSo: no?more)."),
        (seen(node(1, unschedulable=True), node(2)), "allocation", f"{name(1)}: it is cordoned."),
        (seen(labelled("UnschedulablePendingReboot"), node(2)), "allocation", "HyperPod labels it UnschedulablePendingReboot."),
        (seen(node(1), node(2, gpu="7")), "devices", f"is to have 8 nvidia.com/gpu; the kubelet offers fewer: {name(2)} 7."),
        (seen(node(1), node(2, gpu="many")), "devices", f"{name(2)} 0."),
        (seen(node(1), node(2, efa="0")), "devices", f"EFA devices; the kubelet offers no vpc.amazonaws.com/efa: {name(2)}."),
    ],
)
def test_where_none_is_started(state: State, failure: str, why: str) -> None:
    found = refusal(desired(), state)
    assert found is not None and (found.verdict, found.failure) == ("not_run", failure) and why in found.text, found


def test_a_type_without_efa_needs_no_devices_of_it() -> None:
    without = desired()
    without = replace(without, test=replace(without.test, efa=False))
    assert refusal(without, seen(node(1, efa="0"), node(2, efa="0"))) is None


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        ({}, Share(32, huge_pages=True)),
        ({"efa": "16"}, Share(16, huge_pages=True)),
        ({"efa": "0"}, Share(0, huge_pages=False)),
        ({"pages": "0"}, Share(32, huge_pages=False)),
        ({"pages": "5368709120"}, Share(32, huge_pages=True)),
        ({"pages": "5119Mi"}, Share(32, huge_pages=False)),
    ],
)
def test_pods_ask_for_what_all_nodes_offer(second: dict[str, str], expected: Share) -> None:
    assert share(desired(), seen(node(1), node(2, **second))) == expected
