# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node in the result, and fields that are empty if unknown."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes import labels
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.model import (
    ASKS,
    Condition,
    Desired,
    KubernetesNode,
    State,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.result import as_result, result

NODE = KubernetesNode("hyperpod-i-1", taints=("a=b:NoSchedule",), conditions=(Condition("Ready", "False", "A", "b"),), pods=("ns/a",))
EMPTY = {
    "health_status": "",
    "deep_health_check": "",
    "fault_types": "",
    "fault_reasons": "",
    "unschedulable": False,
    "not_ready": "",
    "node_pool": "",
    "cordoned_for": "",
}


def test_a_node_is_returned() -> None:
    conditions = [{"type": "Ready", "status": "False", "reason": "A", "message": "b"}]
    given = {"name": "hyperpod-i-1", "taints": ["a=b:NoSchedule"], "pods": ["ns/a"], "conditions": conditions}
    assert as_result(NODE) == {**EMPTY, **given} and as_result(None) is None


def test_nodes_that_kubernetes_does_not_have_are_null() -> None:
    found = result(Desired("cordoned", ("i-1", "i-2")), State({"hyperpod-i-1": NODE}))
    assert found == {"nodes": [{"instance_id": "i-1", "kubernetes": as_result(NODE)}, {"instance_id": "i-2", "kubernetes": None}]}


def test_missing_fields_are_empty() -> None:
    desired = Desired("cordoned", ())
    assert (desired.reason, desired.asks_for, desired.refuses_pods, desired.until_ready) == ("", "", False, False)
    assert (State().nodes, State().pods_seen) == ({}, True)
    assert ASKS == {"reboot": "UnschedulablePendingReboot", "replace": "UnschedulablePendingReplacement"}


def test_labels_are_those_of_hyperpod_and_karpenter() -> None:
    of_hyperpod = (labels.GROUP, labels.HEALTH, labels.CHECK, labels.TYPES, labels.REASONS)
    assert [each.partition("/") for each in of_hyperpod] == [
        ("sagemaker.amazonaws.com", "/", name)
        for name in ("instance-group-name", "node-health-status", "deep-health-check-status", "fault-types", "fault-reasons")
    ]
    assert (labels.NODES, labels.PODS) == ("/api/v1/nodes", "/api/v1/pods")
    assert (labels.TYPE, labels.ZONE) == ("node.kubernetes.io/instance-type", "topology.kubernetes.io/zone")
    assert (labels.NODE_POOL, labels.SCHEDULABLE, labels.READY) == ("karpenter.sh/nodepool", "Schedulable", "Ready")
