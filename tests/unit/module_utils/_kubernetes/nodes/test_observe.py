# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels, taints, conditions and pods of nodes."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import KubernetesError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.observe import (
    Observer,
    node_of,
    working,
)

from ..._accelerators.kubernetes.jobs.looked_at import LookedAt, iid, node
from ..._karpenter.proof.api_server import Server

OF = "sagemaker.amazonaws.com/"


def pod(name: str, where: str | None, phase: str = "Running", init: bool = False, **limits: str) -> dict[str, t.Any]:
    container = {"resources": {"limits": {each.replace("__", "/").replace("_", "."): value for each, value in limits.items()}}}
    spec = {"containers": [{}] if init else [container], "initContainers": [container] if init else None}
    return {"metadata": {"name": name, "namespace": "a"}, "spec": {**spec, **({"nodeName": where} if where else {})}, "status": {"phase": phase}}


def test_labels_and_taints_of_hyperpod_are_read() -> None:
    labels = {
        f"{OF}node-health-status": "UnschedulablePendingReboot",
        f"{OF}deep-health-check-status": "Passed",
        f"{OF}fault-types": "Nvidia\nError",
        f"{OF}fault-reasons": "XID",
    }
    item = node(1, labels=labels)
    item["spec"] = {"unschedulable": True, "taints": [{"key": "a", "effect": "NoExecute"}, {"key": f"{OF}b", "value": "c", "effect": "NoSchedule"}]}
    found = node_of(item)
    assert (found.health_status, found.deep_health_check) == ("UnschedulablePendingReboot", "Passed")
    assert (found.fault_types, found.fault_reasons, found.unschedulable) == ("Nvidia?Error", "XID", True)
    assert found.taints == ("a:NoExecute", "sagemaker.amazonaws.com/b=c:NoSchedule") and found.not_ready == ""


@pytest.mark.parametrize(
    ("kind", "status", "wrong"),
    [
        ("Ready", "True", False),
        ("Ready", "Unknown", True),
        ("AcceleratedHardwareReady", "True", False),
        ("AcceleratedHardwareReady", "False", True),
        ("AcceleratedHardwareReady", "Unknown", False),
        ("NvidiaErrorReboot", "True", True),
        ("NvidiaErrorReboot", "False", False),
        ("MemoryPressure", "Unknown", False),
    ],
)
def test_only_bad_conditions_are_returned(kind: str, status: str, wrong: bool) -> None:
    item = node(1)
    item["status"]["conditions"] = [{"type": kind, "status": status, "reason": "r", "message": "m\x1b" * 500}]
    found = node_of(item).conditions
    assert [(each.kind, each.status) for each in found] == ([(kind, status)] if wrong else [])
    assert all(len(each.message) == 300 and each.message.isprintable() for each in found)


@pytest.mark.parametrize(
    ("item", "why"),
    [
        (node(1), ""),
        (node(1, ready="Unknown"), "its kubelet is not ready (KubeletSaysSo: no?more)"),
        (node(1, deletionTimestamp="x"), "it is being deleted"),
        ({**node(1), "status": {}}, "its kubelet has not reported yet"),
    ],
)
def test_nodes_that_cannot_start_pods_are_recognised(item: dict[str, t.Any], why: str) -> None:
    assert node_of(item).not_ready == why


def test_pods_with_accelerators_are_listed_by_node() -> None:
    pods = [
        pod("one", "x", nvidia_com__gpu="8"),
        pod("init", "x", init=True, aws_amazon_com__neuron="1"),
        pod("mig", "y", phase="Pending", **{"nvidia_com__mig-1g": "1"}),
        pod("over", "z", phase="Succeeded", nvidia_com__gpu="8"),
        pod("waits", None, nvidia_com__gpu="8"),
        pod("cpu", "z", cpu="8"),
    ]
    assert working(pods) == {"x": ["a/one", "a/init"], "y": ["a/mig"]}


def test_without_access_to_pods_nodes_are_still_read() -> None:
    world = LookedAt(1)
    world.others = [pod("one", f"hyperpod-{iid(1)}", nvidia_com__gpu="8")]
    with Server(world) as kubernetes:
        found = Observer(kubernetes)()
        assert found.pods_seen and found.nodes[f"hyperpod-{iid(1)}"].pods == ("a/one",)
        world.refused["GET", "/api/v1/pods"] = [403, 500]
        found = Observer(kubernetes)()
        assert not found.pods_seen and found.nodes[f"hyperpod-{iid(1)}"].pods == ()
        with pytest.raises(KubernetesError, match="500"):
            Observer(kubernetes)()
