# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why Pods have no node, or did not start: nodes, images, storage, quotas and queues have different next steps."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.pod_runner.pods import Pod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.reasons import Why
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.model import NotRun
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.unstarted import (
    failed_before_start,
    unmounted,
    unplaced,
    unstarted,
)

from .described import desired

CLAIMED = {"claim": "fsx", "checkpoint": "c", "namespace": "ml"}
CLAIM = "Check PersistentVolumeClaim ml/fsx"
SUBPATH = 'failed to create subPath directory for volumeMount "checkpoints" of container "pytorch"'
RUNNING: dict[str, t.Any] = {"phase": "Running", "containerStatuses": [{"state": {"running": {}}}]}


def pod(name: str = "w-1", node: str = "b", **status: t.Any) -> Pod:
    return Pod.of({"metadata": {"name": name}, "spec": {"nodeName": node}, "status": {"phase": "Pending", **status}})


def waiting(reason: str, message: str = "") -> Pod:
    return pod(containerStatuses=[{"state": {"waiting": {"reason": reason, "message": message}}}])


def unscheduled(message: str) -> Pod:
    return pod(node="", conditions=[{"type": "PodScheduled", "status": "False", "message": message}])


def by_name(*pods: Pod) -> dict[str, Pod]:
    return {each.name: each for each in pods}


def sentences(found: NotRun) -> tuple[str, str]:
    assert found.text.endswith(".") and found.text.count(". ") <= 1 and found.text.isprintable(), found.text
    return found.failure, found.text


@pytest.mark.parametrize(
    ("found", "failure", "text"),
    [
        (waiting("ImagePullBackOff", "no\nroute. Really."), "image",
         "Pod w-1 cannot start (ImagePullBackOff: no?route; Really). Name an image that the nodes can pull."),
        (waiting("ErrImageNeverPull", "volume"), "image", "Name an image that the nodes can pull."),
        (waiting("InvalidImageName"), "image", "Name an image that the nodes can pull."),
        (waiting("CreateContainerConfigError", SUBPATH), "storage",
         f"Pod w-1 cannot mount its storage on b: CreateContainerConfigError: {SUBPATH}. {CLAIM}, its CSI driver, and the security groups"),
        (waiting("RunContainerError", "error mounting /var/lib/kubelet to rootfs"), "storage", CLAIM),
        (waiting("CreateContainerError", "volume not found"), "storage", CLAIM),
        (waiting("RunContainerError", 'exec: "torchrun": executable file not found'), "image",
         "The container of Pod w-1 cannot start (RunContainerError: exec:"),
        (waiting("CreateContainerConfigError", "container has runAsNonRoot"), "image", "Check the image and its entry point."),
        (pod(phase="Failed", reason="OutOfnvidia.com/gpu"), "allocation",
         "Node b refused Pod w-1 (OutOfnvidia.com/gpu). Check which Pods run on the node."),
        (pod(phase="Failed"), "allocation", "Node b refused Pod w-1 (Kubernetes reports no reason)"),
    ],
)  # fmt: skip
def test_pods_that_cannot_start_are_reported(found: Pod, failure: str, text: str) -> None:
    reason = failed_before_start(desired(**CLAIMED), by_name(pod("w-0", "a", **RUNNING), found))
    assert reason and sentences(reason)[0] == failure and text in reason.text, reason


def test_a_pod_that_can_never_start_comes_before_one_that_a_node_refused() -> None:
    found = failed_before_start(desired(), by_name(pod("w-0", phase="Failed", reason="Evicted"), waiting("ImagePullBackOff")))
    assert found and found.failure == "image" and "ImagePullBackOff" in found.text


@pytest.mark.parametrize("status", [RUNNING, {}, {"phase": "Failed", "containerStatuses": [{"state": {"terminated": {"exitCode": 1}}}]}])
def test_pods_that_may_still_run_are_not_reported(status: dict[str, t.Any]) -> None:
    assert failed_before_start(desired(), by_name(pod(**status))) is None


@pytest.mark.parametrize(
    ("given", "message", "expected"),
    [
        (CLAIMED, 'MountVolume.SetUp failed for volume "pvc-1" : rpc error', f"{CLAIM}, its CSI driver"),
        (CLAIMED, 'MountVolume.SetUp failed for volume "program" : configmap "x" not found', "Check the volumes of the Pod."),
        ({}, 'MountVolume.SetUp failed for volume "pvc-1" : rpc error', "Check the volumes of the Pod."),
    ],
)
def test_the_claim_is_named_if_its_volume_is_meant(given: dict[str, t.Any], message: str, expected: str) -> None:
    failure, text = sentences(unmounted(desired(**given), pod(), message))
    assert failure == "storage" and text.startswith("Pod w-1 cannot mount its storage on b: ") and expected in text


@pytest.mark.parametrize(
    ("pods", "given", "denied", "queued", "failure", "text"),
    [
        ((), {}, "", None, "allocation", "No Pod of the PyTorchJob was created within 60 s. Check that its operator runs."),
        ((), {"queue": "q"}, "", None, "allocation", "Check that Kueue admits the job, and that its operator runs."),
        ((), {}, "exceeded quota: q", None, "refused",
         "The API server refuses Pods of the PyTorchJob: exceeded quota: q. Wait until other Pods of namespace mlfleet-training have ended"),
        ((pod(),), {}, "exceeded quota: q", None, "refused", "exceeded quota: q"),
        ((), {"queue": "q"}, "", Why("no quota. Kueue: wait.", "Free it"), "allocation",
         "Kueue did not admit the PyTorchJob within 60 s: no quota; Kueue: wait. Free it."),
        ((), {"queue": "q"}, "exceeded quota: q", Why("no quota", "Free it"), "refused", "exceeded quota: q"),
        ((pod("w-0"), unscheduled("no")), {}, "exceeded quota: q", Why("no quota", "Free it"), "allocation", "Kubernetes did not place all Pods"),
        ((pod("w-0"), unscheduled("0/3 nodes are available. No.")), {}, "", None, "allocation",
         "Kubernetes did not place all Pods within 60 s: 0/3 nodes are available; No. Check which Pods run on the nodes, or raise queue_timeout."),
        ((pod("w-0"), unscheduled("0/3 nodes: 2 had volume node affinity conflict")), CLAIMED, "", None, "storage", CLAIM),
        ((pod("w-0"), unscheduled("pod has unbound immediate PersistentVolumeClaims")), CLAIMED, "", None, "storage", CLAIM),
        ((pod("w-0"), unscheduled("2 had volume node affinity conflict")), {}, "", None, "allocation", "2 had volume"),
        ((pod("w-0"),), {}, "", None, "allocation", "there is no Pod for 1 of 2 nodes."),
        (tuple(pod(f"w-{number}") for number in range(3)), {}, "", None, "allocation", "there are 3 Pods for 2 nodes."),
    ],
)  # fmt: skip
def test_pods_without_a_node_are_reported(pods: tuple[Pod, ...], given: t.Any, denied: str, queued: Why | None, failure: str, text: str) -> None:
    wanted = desired(**given)
    found = unplaced(wanted, "PyTorchJob", by_name(*pods), denied=denied, queued=queued)
    assert sentences(found)[0] == failure and text in found.text, found


@pytest.mark.parametrize(
    ("pods", "text"),
    [
        ((pod("w-0", "a", **RUNNING), waiting("ContainerCreating")), "(ContainerCreating). Check the events of Pod w-1 on b, or raise start"),
        ((pod("w-0", "a", **RUNNING),), "(there is no Pod for 1 of 2 nodes). Check the events of the job, or raise start_timeout."),
        ((pod("w-0", "a", **RUNNING), pod()), "(Kubernetes reports no reason)"),
        (tuple(pod(f"w-{number}", **RUNNING) for number in range(3)), "(there are 3 Pods for 2 nodes). Check the events of the job,"),
    ],
)
def test_a_timeout_is_reported(pods: tuple[Pod, ...], text: str) -> None:
    failure, shown = sentences(unstarted(desired(), by_name(*pods)))
    assert failure == "timeout" and shown.startswith("Not all Pods had started after 900 s ") and text in shown
