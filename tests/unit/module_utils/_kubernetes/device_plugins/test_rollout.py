# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Waits until the plugins work."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Progress, Waits
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import KubernetesError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.device_plugins.model import Desired, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.device_plugins.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.device_plugins.readiness import lacking
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.device_plugins.rollout import Rollout
from unit.module_utils._karpenter.proof.api_server import Server

from .cluster import EFA, EFA_SET, GPU, NVIDIA_SET, PODS, PULL, TYPE, Cluster, node
from .wanted import desired

BOTH = [("PATCH", NVIDIA_SET), ("PATCH", EFA_SET)]


class Passing:
    """Time that advances while the code sleeps."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def sleep(self, seconds: float) -> None:
        self.seconds += seconds


def waits(timeout: float = 60, path: str | None = None) -> Waits:
    time = Passing()
    clock = Clock(lambda: time.seconds, time.sleep, lambda: 0.0)
    return Waits(timeout=timeout, interval=5, progress=Progress(path, now=clock.now), clock=clock)


def converged(cluster: Cluster, wanted: Desired | None = None, waiting: Waits | None = None) -> State:
    wanted = wanted or desired()
    with Server(cluster) as kubernetes:
        rollout = Rollout(kubernetes, wanted, waiting)
        steps = plan(wanted, rollout.observe()).steps
        for step in steps:
            rollout.apply(step)
        return rollout.observe()


def test_the_plugins_are_awaited_after_a_change(tmp_path: t.Any) -> None:
    cluster = Cluster(node("a"), node("b"))
    cluster.pending = 10
    state = converged(cluster, waiting=waits(path=str(tmp_path / "progress")))
    assert cluster.changes == BOTH and all(each.offered == {GPU: 8, EFA: 8} for each in state.machines)
    lines = (tmp_path / "progress").read_text().split("\n")
    assert lines[0].startswith("the rollout of the device plugins is not complete (nvidia.com/gpu on 0 of 2 nodes, vpc.amazonaws.com/efa on 0 of")
    assert "a: ContainerCreating" in lines[0]


def test_a_run_without_a_change_also_waits() -> None:
    cluster = Cluster(node("a"))
    converged(cluster, waiting=waits())
    cluster.changes.clear()
    cluster._left = 5
    assert lacking(converged(cluster, waiting=waits()), desired().wanted[0].plugin) == {}
    assert cluster.changes == [] and cluster._left <= 0


def test_a_change_is_awaited_although_a_webhook_changes_the_image() -> None:
    cluster = Cluster(node("a"))
    cluster.mirror, cluster.pending = "mirror.example.com/plugin:v1", 8
    assert lacking(converged(cluster, waiting=waits()), desired().wanted[0].plugin) == {}
    assert cluster.changes == BOTH


def test_without_waits_the_first_state_is_returned() -> None:
    cluster = Cluster(node("a"))
    cluster.pending = 50
    assert lacking(converged(cluster), desired().wanted[0].plugin) == {"a": "ContainerCreating"}
    assert cluster.changes == BOTH and cluster.reads.count(PODS) == 2


def test_no_nodes_and_nodes_that_are_not_ready_are_not_awaited() -> None:
    for nodes in ([], [node("a", ready=False)]):
        cluster = Cluster(*nodes)
        cluster.pending = 50
        converged(cluster, waiting=waits(timeout=0))
        assert cluster.changes == BOTH


@pytest.mark.parametrize(
    ("field", "why"),
    [
        ("stuck", "a: ImagePullBackOff: no such image?[2J"),
        ("podless", "a: it has no Pod of DaemonSet mlfleet-nvidia-device-plugin"),
        ("without_devices", "a: its Pod is ready, but its kubelet offers no nvidia.com/gpu"),
    ],
)
def test_the_message_names_the_nodes_and_the_reasons(field: str, why: str) -> None:
    cluster = Cluster(node("a"), node("b"))
    cluster.waiting = PULL
    setattr(cluster, field, {"a"})
    with pytest.raises(Failure) as late:
        converged(cluster, desired(efa_instance_types=None), waits())
    assert str(late.value) == (
        f"the rollout of the device plugins is still not complete (nvidia.com/gpu on 1 of 2 nodes; {why}) after 60 s. "
        f"Nodes without a working plugin: {why}. Read the events and the logs of the Pods, then run again."
    )


def test_failed_reads_end_the_wait_only_if_they_persist() -> None:
    cluster = Cluster(node("a"))
    converged(cluster, waiting=waits())
    cluster.refused[PODS] = 403
    with pytest.raises(KubernetesError, match="403"):
        converged(cluster, waiting=waits())


def test_a_removal_is_not_awaited() -> None:
    cluster = Cluster(node("a"))
    converged(cluster)
    cluster.changes.clear()
    state = converged(cluster, desired(state="absent"), waits(timeout=0))
    assert cluster.changes == [("DELETE", NVIDIA_SET), ("DELETE", EFA_SET)] and all(each.live is None for each in state.ours.values())


def test_only_the_types_of_our_daemon_set_are_awaited() -> None:
    cluster = Cluster(node("a"), node("b", "g5.8xlarge"))
    cluster.podless = {"b"}
    converged(cluster, waiting=waits(timeout=0))
    assert cluster._types(NVIDIA_SET) == [TYPE]
