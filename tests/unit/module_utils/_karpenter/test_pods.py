# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What pods require of a node, and what protects them from eviction."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.pods import Budget, Pod


def pod(*, status: t.Any = None, meta: t.Any = None, **spec: t.Any) -> Pod:
    return Pod.of(
        {
            "metadata": {"name": "a", "namespace": "ns", **(meta or {})},
            "spec": {"containers": [{"name": "c"}], **spec},
            "status": {"phase": "Pending", **(status or {})},
        }
    )


def unschedulable(reason: str = "Unschedulable") -> dict[str, t.Any]:
    return {"conditions": [{"type": "PodScheduled", "status": "False", "reason": reason, "message": "0/3 nodes"}]}


def test_a_pod_waits_until_it_has_a_node() -> None:
    assert pod(status=unschedulable()).waits
    assert not pod(status=unschedulable(), nodeName="n").waits
    assert not pod().waits
    assert not pod(status=unschedulable(), meta={"deletionTimestamp": "2026-01-01T00:00:00Z"}).waits
    assert not pod(status=unschedulable("SchedulingGated")).waits


def test_requests_of_containers_are_summed() -> None:
    containers = [
        {"resources": {"limits": {"nvidia.com/gpu": "1", "cpu": "4"}, "requests": {"cpu": "500m"}}},
        {"resources": {"requests": {"cpu": 1}}},
    ]
    init = [{"resources": {"requests": {"cpu": "3"}}}, {"resources": {"requests": {"memory": "1Gi"}}}]
    assert pod(containers=containers, initContainers=init).requests == {"pods": 1, "nvidia.com/gpu": 1, "cpu": 3, "memory": 2**30}
    assert pod(containers=containers).requests["cpu"] == 1.5


@pytest.mark.parametrize(
    ("meta", "phase", "counts"),
    [({}, "Running", True), ({}, "Succeeded", False), ({"ownerReferences": [{"kind": "DaemonSet"}]}, "Running", False)],
)
def test_running_pods_except_daemons_keep_a_node_in_use(meta: t.Any, phase: str, counts: bool) -> None:
    assert pod(meta=meta, status={"phase": phase}).counts is counts


@pytest.mark.parametrize("statuses", ["containerStatuses", "initContainerStatuses"])
@pytest.mark.parametrize(
    ("state", "trouble"),
    [
        ({"waiting": {"reason": "ImagePullBackOff", "message": "no such image"}}, "ImagePullBackOff: no such image"),
        ({"waiting": {"reason": "CrashLoopBackOff"}}, "CrashLoopBackOff"),
        ({"waiting": {"reason": "ContainerCreating"}}, ""),
        ({"waiting": {"reason": "PodInitializing"}}, ""),
        ({"waiting": {}}, ""),
        ({"running": {}}, ""),
    ],
)
def test_the_reason_why_a_container_does_not_start_is_read(statuses: str, state: t.Any, trouble: str) -> None:
    assert pod(status={statuses: [{"state": state}]}).trouble == trouble


def test_the_first_container_that_does_not_start_is_named() -> None:
    started, failed = {"state": {"running": {}}}, {"state": {"waiting": {"reason": "ErrImagePull"}}}
    assert pod(status={"initContainerStatuses": [started], "containerStatuses": [started, failed]}).trouble == "ErrImagePull"


def test_a_budget_selects_pods_by_namespace_and_labels() -> None:
    own = pod(meta={"labels": {"app": "x", "tier": "1"}})
    assert Budget("ns", "b", {"app": "x"}).holds(own)
    assert Budget("ns", "b", {}).holds(own)
    assert Budget("ns", "b", {}, ({"key": "tier", "operator": "In", "values": ["1"]},)).holds(own)
    assert not Budget("ns", "b", {"app": "x"}, ({"key": "tier", "operator": "In", "values": ["2"]},)).holds(own)
    assert not Budget("ns", "b", {"app": "y"}).holds(own)
    assert not Budget("other", "b", {}).holds(own)


def test_do_not_disrupt_protects_a_pod() -> None:
    assert pod(meta={"annotations": {"karpenter.sh/do-not-disrupt": "true"}}).kept
    assert not pod(meta={"annotations": {"karpenter.sh/do-not-disrupt": "false"}}).kept
