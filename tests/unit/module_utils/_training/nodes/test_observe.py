# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes and device plugins of an in-memory API server."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import KubernetesError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.nodes.model import NODES, PLUGINS, SLICES, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.nodes.observe import observe
from unit.module_utils._karpenter.proof.api_server import Server
from unit.module_utils._kubernetes.mpi_cluster import CRD, DEPLOYMENTS, MPI, deployment

from .described import (
    DAEMON_SETS,
    EFA,
    GPU,
    GROUP,
    LABELS,
    NODES as NODES_PATH,
    OF_EFA,
    PODS,
    TYPE,
    Cluster,
    Object,
    daemon_set,
    node,
    pod,
    resource_slice,
)

PLUGGED = {("a", GPU): "", ("a", EFA): ""}


def observed(cluster: Cluster, *names: str) -> State:
    with Server(cluster) as kubernetes:
        return observe(kubernetes, names or ("a",))


def test_two_nodes_are_read_by_one_request_for_each_list() -> None:
    cluster = Cluster("a", "b", "other")
    state = observed(cluster, "b", "a", "gone")
    assert list(state.nodes) == ["b", "a"] and state.unread == {} and state.slices == frozenset()
    found = state.nodes["a"]
    assert (found.node.gpus, found.node.efa, found.instance_type) == (8, 32, TYPE)
    assert (found.architecture, found.driver) == ("amd64", "580.159.03")
    assert state.daemon_sets == {GPU: ("kube-system/plugin",), EFA: ("kube-system/plugin",)} and PLUGGED.items() <= state.plugins.items()
    assert sorted(cluster.requests) == sorted(f"GET {path}" for path in (NODES_PATH, PODS, DAEMON_SETS, GROUP, CRD))


def test_operators_that_both_manage_mpi_jobs_are_read() -> None:
    cluster = Cluster("a")
    cluster.objects[CRD] = {"spec": {"versions": [{"name": "v1", "served": True}]}}
    cluster.lists[DEPLOYMENTS] = [deployment(MPI)]
    assert observed(cluster).mpi_clash.startswith("CRD mpijobs.kubeflow.org serves only v1")
    cluster.refused[DEPLOYMENTS] = 403
    state = observed(cluster)
    assert state.mpi_clash == "" and state.unread == {}


@pytest.mark.parametrize(
    ("labels", "driver"),
    [
        ({"nvidia.com/cuda.driver.major": "570", "nvidia.com/cuda.driver.minor": "86", "nvidia.com/cuda.driver.rev": "10"}, "570.86.10"),
        ({"nvidia.com/cuda.driver.major": "455", "nvidia.com/cuda.driver.minor": "06", "nvidia.com/cuda.driver.rev": ""}, "455.06"),
        ({"nvidia.com/cuda.driver-version.full": "580.1\x1b[2J"}, ""),
        ({"nvidia.com/cuda.driver-version.full": "5" * 10_000}, ""),
        ({}, ""),
    ],
)
def test_the_driver_version_is_read_from_labels(labels: Object, driver: str) -> None:
    cluster = Cluster()
    cluster.lists[NODES_PATH] = [node("a", labels=labels)]
    assert observed(cluster).nodes["a"].driver == driver


@pytest.mark.parametrize(
    ("container", "known"),
    [
        ("nvidia-device-plugin-ctr", True),
        ("nvidia-device-plugin", True),
        ("nvidia-device-plugin-daemon", True),
        ("gpu-feature-discovery-ctr", False),
        ("mps-control-daemon-ctr", False),
        ("nvidia-sandbox-device-plugin-ctr", False),
        ("neuron-device-plugin", False),
    ],
)
def test_device_plugins_are_recognised_by_their_containers(container: str, known: bool) -> None:
    cluster = Cluster("a")
    cluster.lists[DAEMON_SETS] = [daemon_set(GPU, container)]
    state = observed(cluster)
    assert state.daemon_sets == {GPU: ("kube-system/plugin",) if known else (), EFA: ()}
    assert state.plugins == ({("a", GPU): ""} if known else {})


WAITING = {"phase": "Pending", "containerStatuses": [{"state": {"waiting": {"reason": "CrashLoopBackOff", "message": "\x1b" + "x" * 10_000}}}]}


@pytest.mark.parametrize(
    ("pods", "why"),
    [
        ([pod(GPU, "a", WAITING)], "CrashLoopBackOff: ?xxx"),
        ([pod(GPU, "a", {"phase": "Running", "conditions": [{"type": "Ready", "status": "False"}]})], "phase Running"),
        ([pod(GPU, "a", deletionTimestamp="2026-11-29T03:00:00Z")], "phase Running"),
        ([pod(GPU, "a", WAITING), pod(GPU, "a")], ""),
        ([pod(GPU, "a"), pod(GPU, "a", WAITING)], ""),
        ([pod(GPU, "a", ownerReferences=[{"uid": "other", "controller": True}])], None),
        ([pod(GPU, "")], None),
        ([], None),
    ],
)
def test_the_state_of_a_device_plugin_is_read(pods: list[Object], why: str | None) -> None:
    cluster = Cluster("a")
    cluster.lists[PODS] = pods
    found = observed(cluster).plugins.get(("a", GPU))
    assert found is why if not why else found is not None and found.startswith(why) and len(found) <= 150 and found.isprintable()


GPUS, ENA = resource_slice("gpu.nvidia.com", "a"), {"attributes": {"dra.net/pciDevice": {"string": "Elastic Network Adapter (ENA)"}}}


@pytest.mark.parametrize(
    ("version", "slices", "expected"),
    [
        ("v1", [GPUS], {("a", GPU)}),
        ("v1beta2", [GPUS], {("a", GPU)}),
        ("v1beta1", [GPUS, resource_slice("dra.net", "a", {"basic": {"attributes": OF_EFA}})], {("a", GPU), ("a", EFA)}),
        ("v1", [resource_slice("dra.net", "a", ENA, {"attributes": OF_EFA})], {("a", EFA)}),
        ("v1", [resource_slice("dra.net", "a", ENA, {"name": "eth0"})], set()),
        ("v1", [resource_slice("compute-domain.nvidia.com", "a")], set()),
        ("v1", [{"spec": {"driver": "gpu.nvidia.com", "allNodes": True, "devices": [{"name": "g"}]}}], set()),
        ("v1", [{"spec": {"driver": "gpu.nvidia.com", "nodeName": "a"}}], set()),
        ("v1alpha3", [GPUS], set()),
    ],
)
def test_resource_slices_are_read(version: str, slices: list[Object], expected: set[tuple[str, str]]) -> None:
    cluster = Cluster("a")
    cluster.serve_slices(version, *slices)
    state = observed(cluster)
    assert state.slices == expected and state.unread == {}


def test_the_newest_version_of_slices_is_read() -> None:
    cluster = Cluster("a")
    cluster.serve_slices("v1beta1", GPUS)
    cluster.serve_slices("v1")
    assert observed(cluster).slices == frozenset()


@pytest.mark.parametrize(
    ("end", "what"),
    [
        ("/nodes", {NODES}),
        ("/pods", {PLUGINS}),
        ("/daemonsets", {PLUGINS}),
        ("resource.k8s.io", {SLICES}),
        ("/resourceslices", {SLICES}),
    ],
)
def test_lists_that_the_caller_cannot_read_are_unread(end: str, what: set[str]) -> None:
    cluster = Cluster("a")
    cluster.serve_slices("v1", GPUS)
    cluster.refused[end] = 403
    state = observed(cluster)
    assert set(state.unread) == what and bool(state.nodes) is (NODES not in what)
    (why,) = state.unread.values()
    assert "403" in why and why.isprintable() and len(why) <= 150


@pytest.mark.parametrize("end", ["/nodes", "/pods", "/daemonsets", "resource.k8s.io", "/resourceslices"])
def test_a_failing_api_server_is_an_error(end: str) -> None:
    cluster = Cluster("a")
    cluster.serve_slices("v1")
    cluster.refused[end] = 500
    with pytest.raises(KubernetesError, match="500"):
        observed(cluster)


def test_untrusted_labels_are_bounded() -> None:
    cluster = Cluster()
    hostile = {**LABELS, "node.kubernetes.io/instance-type": "ml.\x1b[2J\n" + "x" * 10_000, "kubernetes.io/arch": "\u202e" + "y" * 10_000}
    cluster.lists[NODES_PATH] = [node("a", labels=hostile)]
    found = observed(cluster).nodes["a"]
    texts: t.Sequence[str] = (found.instance_type, found.architecture)
    assert all(each.isprintable() and len(each) == 150 for each in texts) and found.instance_type.startswith("ml.?[2J?x")
