# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cluster as the API server returns it."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import KubernetesError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.device_plugins.manifest import daemon_set as manifest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.device_plugins.model import Desired, PluginPod, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.device_plugins.observe import Observer
from unit.module_utils._karpenter.proof.api_server import Server

from .cluster import (
    DAEMON_SETS,
    DIGEST,
    EFA,
    GPU,
    GROUP,
    IMAGE,
    NODES,
    NVIDIA_SET,
    OTHER_TYPE,
    PODS,
    PULL,
    TYPE,
    Cluster,
    daemon_set,
    limited,
    node,
    resource_slice,
)
from .wanted import desired

ONLY = frozenset((TYPE,))
AUTO = {"eks.amazonaws.com/compute-type": "auto"}


def observed(cluster: Cluster, wanted: Desired | None = None) -> State:
    with Server(cluster) as kubernetes:
        return Observer(kubernetes, wanted or desired(), waits=None)()


def installed(*nodes: t.Any) -> Cluster:
    cluster = Cluster(*nodes)
    wanted = desired().wanted[0]
    cluster.answer("PATCH", f"/x/{NVIDIA_SET}", manifest(wanted.plugin, IMAGE, [TYPE], []).definition)
    return cluster


def test_a_cluster_without_plugins() -> None:
    state = observed(Cluster(node("a"), node("other", "c5.large"), node("auto", **AUTO)))
    assert [each.name for each in state.machines] == ["a"] and state.machines[0].offered == {GPU: 0, EFA: 0}
    assert all(each.live is None and each.kind for each in state.ours.values()) and state.providers == {"nvidia": (), "efa": ()}


def test_our_plugin_and_its_pods() -> None:
    cluster = installed(node("a"), node("b", ready=False))
    cluster.stuck, cluster.waiting = {"b"}, PULL
    state = observed(cluster)
    hashed = cluster.ours(NVIDIA_SET)["spec"]["template"]["metadata"]["annotations"]["mlfleet.hyperpod/specification"]
    assert state.ours["nvidia"].ours and state.ours["efa"].live is None and state.providers["nvidia"] == ()
    assert state.machines[0].offered[GPU] == 8 and state.machines[1].not_ready.startswith("its kubelet is not ready (KubeletNotReady")
    assert state.pods == {
        "nvidia": (
            PluginPod("a", hashed, True, "", DIGEST),
            PluginPod("b", hashed, False, "ImagePullBackOff: no such image?[2J"),
        )
    }


def test_a_pod_that_is_being_deleted_is_not_ready() -> None:
    cluster = installed(node("a"))
    (pod,) = cluster._pods(NVIDIA_SET)
    pod["metadata"]["deletionTimestamp"] = "2026-11-29T03:00:00Z"
    cluster._pods = lambda name: iter([pod] if name == NVIDIA_SET else [])  # type: ignore[method-assign]
    assert [each.ready for each in observed(cluster).pods["nvidia"]] == [False]


def test_a_pod_with_another_container_and_image() -> None:
    """A webhook may add containers, and replace the image."""
    cluster = installed(node("a"))
    (pod,) = cluster._pods(NVIDIA_SET)
    pod["spec"]["containers"] = [{"name": "proxy", "image": "b/c:v1"}, {"name": "nvidia-device-plugin", "image": "mirror.example.com/x:v1"}]
    pod["status"]["containerStatuses"].insert(0, {"name": "proxy", "imageID": "b/c@sha256:" + "9" * 64, "state": {"running": {}}})
    cluster._pods = lambda name: iter([pod] if name == NVIDIA_SET else [])  # type: ignore[method-assign]
    (found,) = observed(cluster).pods["nvidia"]
    assert found.digest == DIGEST and found.specification


def test_pods_of_others_and_pods_without_a_node_do_not_count() -> None:
    cluster = installed(node("a"))
    (pod,) = cluster._pods(NVIDIA_SET)
    other = {**pod, "metadata": {**pod["metadata"], "ownerReferences": [{"uid": "other", "controller": True}]}}
    unplaced = {**pod, "spec": {**pod["spec"], "nodeName": None}}
    cluster._pods = lambda name: iter([other, unplaced] if name == NVIDIA_SET else [])  # type: ignore[method-assign]
    assert observed(cluster).pods == {}


def test_other_daemon_sets() -> None:
    cluster = installed(node("a"))
    cluster.add(
        daemon_set("plugin", **limited("ml.p5.48xlarge")),
        daemon_set("efa", "aws-efa-k8s-device-plugin", "kube-system"),
        daemon_set("dns", "coredns", "kube-system"),
        daemon_set(NVIDIA_SET, space="copy"),
    )
    found = observed(cluster).providers
    assert [(each.kind, each.name, each.instance_types) for each in found["nvidia"]] == [
        ("DaemonSet", "gpu-operator/plugin", frozenset(("ml.p5.48xlarge",))),
        ("DaemonSet", f"copy/{NVIDIA_SET}", None),
    ]
    assert [(each.name, each.instance_types) for each in found["efa"]] == [("kube-system/efa", None)]


def test_drivers_for_dynamic_resource_allocation() -> None:
    cluster = Cluster(node("a"), node("b", OTHER_TYPE), node("auto", **AUTO))
    cluster.serve("deviceclasses", *({"metadata": {"name": name}} for name in ("efa.networking.k8s.aws", "mig.nvidia.com")))
    cluster.serve("resourceslices", *(resource_slice("gpu.nvidia.com", name) for name in ("a", "b", "auto", "gone")))
    found = observed(cluster).providers
    assert [(each.kind, each.name, each.instance_types) for each in found["nvidia"]] == [("ResourceSlices", "of the driver gpu.nvidia.com", ONLY)]
    assert [(each.kind, each.name, each.instance_types) for each in found["efa"]] == [("DeviceClass", "efa.networking.k8s.aws", None)]


def test_slices_of_other_nodes_do_not_count() -> None:
    cluster = Cluster(node("auto", **AUTO))
    cluster.serve("resourceslices", resource_slice("gpu.nvidia.com", "auto"))
    cluster.serve("deviceclasses")
    assert observed(cluster).providers["nvidia"] == ()


def test_bottlerocket_contains_the_plugin_of_nvidia_only() -> None:
    found = observed(Cluster(node("a", system="Bottlerocket OS 1.60.0 (aws-k8s-1.36-nvidia)"))).providers
    assert [(each.kind, each.name, each.instance_types) for each in found["nvidia"]] == [("operating system", "Bottlerocket", ONLY)]
    assert found["efa"] == ()


def test_a_removal_reads_only_our_daemon_sets() -> None:
    cluster = installed(node("a"))
    state = observed(cluster, desired(state="absent"))
    assert state.ours["nvidia"].live and state.ours["efa"].live is None
    assert not {NODES, PODS, DAEMON_SETS, GROUP} & {*cluster.reads}


@pytest.mark.parametrize("end", ["/nodes", "/pods", "/daemonsets", "resource.k8s.io", "/resourceslices", "/deviceclasses", NVIDIA_SET])
@pytest.mark.parametrize("status", [403, 500])
def test_what_cannot_be_read_is_an_error(end: str, status: int) -> None:
    cluster = Cluster(node("a"))
    cluster.serve("resourceslices")
    cluster.serve("deviceclasses")
    cluster.refused[end] = status
    with pytest.raises(KubernetesError, match=f"{status}: no"):
        observed(cluster)
