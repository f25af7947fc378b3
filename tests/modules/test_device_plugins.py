# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""device_plugins: options that it refuses without an API server, and plugins on an API server in memory."""

from __future__ import annotations

import pytest
from simulated.shape import changes_once, one_shape, reads
from unit.module_utils._karpenter.proof.api_server import Server, kubeconfig
from unit.module_utils._kubernetes.device_plugins.cluster import (
    DIGEST,
    EFA_SET,
    IMAGE,
    NVIDIA_SET,
    OTHER_TYPE,
    PULL,
    TYPE,
    Cluster,
    daemon_set,
    limited,
    node,
)

GIVEN = {"gpu_instance_types": [TYPE], "efa_instance_types": [TYPE], "region": "us-west-2", "poll_interval": 1}
OF_PODS = [f"device_plugins.{plugin}.{field}" for plugin in ("nvidia", "efa") for field in ("digests", "nodes_ready", "not_ready")]
"""What check mode cannot predict."""


class World:
    """The module with an API server in memory."""

    def __init__(self, simulator, cluster, path):
        self.simulator, self.cluster, self.path = simulator, cluster, path

    def run(self, module, /, *, check=False, **options):
        self.cluster.changes.clear()
        return self.simulator.run(module, check=check, kubeconfig=self.path, **options)

    def changes(self):
        return list(self.cluster.changes)

    def problems(self):
        return []


@pytest.fixture
def cluster():
    return Cluster(node("a"), node("b"), node("other", "c5.large"))


@pytest.fixture
def world(simulator, cluster, tmp_path):
    with Server(cluster) as kubernetes:
        yield World(simulator, cluster, kubeconfig(kubernetes, tmp_path))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"gpu_instance_types": ["big"]}, "gpu_instance_types: 'big' is not allowed"),
        ({"efa_image": "efa:latest"}, "efa_image: 'efa:latest' is not allowed"),
        ({"tolerations": [{"operator": "Equal"}]}, "tolerations[0].key: missing"),
        ({"tolerations": [{"operator": "Like"}]}, "value of operator must be one of: Exists, Equal"),
        ({"state": "gone"}, "value of state must be one of: present, absent"),
        ({"wait_timeout": 0}, "wait_timeout: 0 is not allowed"),
        ({"region": "us-isob-east-1"}, "efa_image: missing; the registry of EKS in Region us-isob-east-1 is not known"),
        ({"kubeconfig": "/nonexistent"}, "kubeconfig: /nonexistent is unusable: "),
    ],
)
@pytest.mark.slow
def test_bad_input_is_refused_before_any_request(simulator, given, message):
    refused = simulator.run("device_plugins", **{**GIVEN, **given})
    assert refused["failed"] and message in refused["msg"], refused


@pytest.mark.slow
def test_both_plugins_come_and_go(world, cluster):
    cluster.pending = 2
    made, gone = one_shape(world, "device_plugins", present=GIVEN, absent={"state": "absent"}, unforeseen=OF_PODS)
    nvidia, efa = made["device_plugins"]["nvidia"], made["device_plugins"]["efa"]
    assert (nvidia["image"], nvidia["digests"], nvidia["nodes"], nvidia["nodes_ready"]) == (IMAGE, [DIGEST], 2, 2), nvidia
    assert efa["image"] == "602401143452.dkr.ecr.us-west-2.amazonaws.com/eks/aws-efa-k8s-device-plugin:v0.5.20" and efa["not_ready"] == [], efa
    assert [each["resource"] for each in gone["changes"]] == [f"DaemonSet kube-system/{name}" for name in (NVIDIA_SET, EFA_SET)]
    assert cluster.sets == {} and not gone["device_plugins"]["nvidia"]["installed"]


def test_an_update_and_the_removal_of_one_plugin(world, cluster):
    reads_nothing = {**GIVEN, "efa_instance_types": [], "nvidia_image": f"mirror.example.com/plugin@{DIGEST}", "tolerations": []}
    changes_once(world, "device_plugins", **GIVEN, unforeseen=OF_PODS)
    done = changes_once(world, "device_plugins", **reads_nothing, unforeseen=OF_PODS)
    assert {(each["action"], each["resource"].rpartition("/")[2]) for each in done["changes"]} == {("update", NVIDIA_SET), ("delete", EFA_SET)}
    pod = cluster.ours(NVIDIA_SET)["spec"]["template"]["spec"]
    assert (pod.get("tolerations"), pod["containers"][0]["image"]) == (None, f"mirror.example.com/plugin@{DIGEST}")


def test_plugins_of_others_are_used(world, cluster):
    cluster.add(daemon_set("nvidia", space="gpu-operator"), daemon_set("efa", "aws-efa-k8s-device-plugin", "kube-system", **limited(TYPE)))
    found = reads(world, "device_plugins", **GIVEN)["device_plugins"]
    assert [found[key]["in_use_by"] for key in ("nvidia", "efa")] == [
        [{"kind": "DaemonSet", "name": "gpu-operator/nvidia", "instance_types": [TYPE]}],
        [{"kind": "DaemonSet", "name": "kube-system/efa", "instance_types": [TYPE]}],
    ]
    assert not found["nvidia"]["installed"] and reads(world, "device_plugins", state="absent") and len(cluster.sets) == 2
    done = changes_once(world, "device_plugins", **{**GIVEN, "efa_instance_types": [OTHER_TYPE, TYPE]}, unforeseen=OF_PODS)
    assert done["device_plugins"]["efa"]["instance_types"] == [OTHER_TYPE] and done["device_plugins"]["efa"]["nodes"] == 0, done


def test_two_plugins_on_a_node_are_refused(world, cluster):
    changes_once(world, "device_plugins", **GIVEN, unforeseen=OF_PODS)
    cluster.add(daemon_set("nvidia"))
    refused = world.run("device_plugins", **GIVEN)
    assert refused["failed"] and f"Both DaemonSet kube-system/{NVIDIA_SET} and the DaemonSet gpu-operator/nvidia offer" in refused["msg"], refused
    assert cluster.changes == []


def test_a_pod_that_does_not_start_is_named(world, cluster):
    cluster.stuck, cluster.waiting = {"b"}, PULL
    late = world.run("device_plugins", **GIVEN, wait_timeout=1)
    assert late["failed"] and "b: ImagePullBackOff: no such image?[2J" in late["msg"] and len(late["changes"]) == 2, late
    again = reads(world, "device_plugins", **GIVEN, wait=False)["device_plugins"]["nvidia"]
    assert (again["nodes"], again["nodes_ready"]) == (2, 1), again
    assert again["not_ready"] == [{"node": "b", "reason": "ImagePullBackOff: no such image?[2J"}]


def test_a_cluster_without_nodes_is_not_verified(world, cluster):
    cluster.nodes = []
    done = changes_once(world, "device_plugins", **GIVEN, unforeseen=OF_PODS)["device_plugins"]["nvidia"]
    assert (done["installed"], done["nodes"], done["nodes_ready"], done["digests"]) == (True, 0, 0, []), done


def test_an_object_that_cannot_be_read_fails(world, cluster):
    cluster.refused["/daemonsets"] = 403
    failed = world.run("device_plugins", **GIVEN)
    assert failed["failed"] and "GET /apis/apps/v1/daemonsets" in failed["msg"] and "403" in failed["msg"], failed
    assert cluster.changes == []
