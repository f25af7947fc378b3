# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""training_node_info: options that it refuses without an API server, and nodes of an API server in memory."""

from __future__ import annotations

import pytest
from simulated.shape import reads
from unit.module_utils._karpenter.proof.api_server import Server, kubeconfig
from unit.module_utils._training.nodes.described import EFA, GPU, LABELS, NODES, PODS, TYPE, Cluster, node, pod, resource_slice

GIVEN = {"nodes": ["a", "b"], "instance_type": TYPE, "gpus": 8, "efa_devices": 32}
HOSTILE = "x\x1b[2J\n\u202e" + "y" * 10_000


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"nodes": ["A b"]}, "nodes: 'A b' is not allowed"),
        ({"instance_type": "big"}, "instance_type: 'big' is not allowed"),
        ({"gpus": 0}, "gpus: 0 is not allowed. Allowed: 1 to 16."),
        ({"efa_devices": 65}, "efa_devices: 65 is not allowed. Allowed: 0 to 64."),
        ({"kubeconfig": "/nonexistent"}, "kubeconfig: /nonexistent is unusable: "),
        ({"eks_cluster": "one", "context": "a"}, "eks_cluster: 'one' is not allowed"),
    ],
)
@pytest.mark.slow
def test_bad_input_is_refused_before_any_request(simulator, given, message):
    refused = simulator.run("training_node_info", **{**GIVEN, **given})
    assert refused["failed"] and message in refused["msg"], refused


@pytest.fixture
def cluster():
    return Cluster("a", "b", "other")


@pytest.fixture
def found(simulator, cluster, tmp_path):
    with Server(cluster) as kubernetes:
        path = kubeconfig(kubernetes, tmp_path)
        yield lambda **given: reads(simulator, "training_node_info", **{**GIVEN, "kubeconfig": path, **given})["training_nodes"]


@pytest.mark.parametrize("check", [True, False])
def test_good_nodes(cluster, found, check):
    nodes = found(check=check)
    assert (nodes["verdict"], nodes["problems"], nodes["notes"]) == ("passed", [], []), nodes
    assert nodes["text"] == "2 nodes of ml.p5.48xlarge: 8 GPUs and 32 EFA devices each."
    assert [(each["name"], each["driver"], each["plugins"]["gpu"]) for each in nodes["nodes"]] == [
        ("a", "580.159.03", "device-plugin"),
        ("b", "580.159.03", "device-plugin"),
    ]
    assert {each.split()[0] for each in cluster.requests} == {"GET"}


def test_an_old_driver_and_a_different_architecture(cluster, found):
    labels = {**LABELS, "kubernetes.io/arch": "arm64", "nvidia.com/cuda.driver-version.full": "570.86.15"}
    cluster.lists[NODES] = [node("a", labels=labels), node("b")]
    nodes = found(images=["public.ecr.aws/deep-learning-containers/pytorch:2.12-cu130-amzn2023"])
    assert {each["code"]: each["text"].partition(": a ")[2].partition(".")[0] for each in nodes["problems"]} == {
        "driver-too-old": "(570", "architecture-differs": "(arm64)"
    }, nodes  # fmt: skip
    assert (nodes["verdict"], nodes["images"][0]["minimum_driver"]) == ("failed", "580")


def test_without_efa(cluster, found):
    cluster.lists[NODES] = [node("a", efa=0), node("b", efa=0)]
    nodes = found(efa_devices=0)
    assert (nodes["verdict"], nodes["text"]) == ("passed", "2 nodes of ml.p5.48xlarge: 8 GPUs each."), nodes


def test_nodes_with_many_problems(cluster, found):
    cluster.lists[NODES] = [node("a", gpus=7, taints=[{"key": "team", "value": "x", "effect": "NoSchedule"}]), node("b", gpus=0, efa=0)]
    cluster.lists[PODS] = [pod(GPU, "a"), pod(EFA, "a"), pod(EFA, "b", {"phase": "Pending"})]
    cluster.serve_slices("v1", resource_slice("gpu.nvidia.com", "b"))
    nodes = found(nodes=["a", "b", "c"])
    assert (nodes["verdict"], nodes["text"]) == ("failed", nodes["problems"][0]["text"]), nodes
    assert {each["code"]: each["text"].partition(": ")[2].partition(".")[0] for each in nodes["problems"]} == {
        "taint-not-tolerated": "a (team=x:NoSchedule)",
        "gpus-differ": "a (7)",
        "plugin-not-ready": "b (phase Pending)",
        "dra-only": "b",
        "node-missing": "c",
    }
    assert [each["plugins"]["gpu"] for each in nodes["nodes"]] == ["device-plugin", "dra"]


@pytest.mark.parametrize(
    ("end", "codes"),
    [
        ("/nodes", ["nodes-not-read"]),
        ("/pods", ["plugins-not-read"]),
        ("/daemonsets", ["plugins-not-read"]),
        ("resource.k8s.io", ["slices-not-read"]),
        ("/resourceslices", ["slices-not-read"]),
    ],
)
def test_unreadable_objects_are_not_verified(cluster, found, end, codes):
    cluster.serve_slices("v1")
    cluster.refused[end] = 403
    nodes = found()
    assert (nodes["verdict"], [each["code"] for each in nodes["problems"]]) == ("not_run", codes), nodes
    assert "403" in nodes["text"] and nodes["text"].isprintable() and len(nodes["text"]) < 500


def test_foreign_texts_are_made_printable(cluster, found):
    labels = {**LABELS, "node.kubernetes.io/instance-type": HOSTILE, "kubernetes.io/arch": HOSTILE, "nvidia.com/cuda.driver-version.full": HOSTILE}
    taints = [{"key": HOSTILE, "value": HOSTILE, "effect": HOSTILE}] * 60
    cluster.lists[NODES] = [node("a", labels=labels, taints=taints), node("b")]
    cluster.lists[PODS] = [pod(GPU, "b", {"phase": HOSTILE}), pod(EFA, "a"), pod(EFA, "b")]
    nodes = found()
    assert [each["code"] for each in nodes["problems"]] == ["instance-type-differs", "taint-not-tolerated", "plugin-not-ready"], nodes
    texts = [each["text"] for each in nodes["problems"]] + [value for each in nodes["nodes"] for value in each.values() if isinstance(value, str)]
    assert all(each.isprintable() and len(each) < 500 for each in texts), texts


def test_an_api_server_that_fails(simulator, cluster, tmp_path):
    cluster.refused["/nodes"] = 500
    with Server(cluster) as kubernetes:
        failed = simulator.run("training_node_info", **GIVEN, kubeconfig=kubeconfig(kubernetes, tmp_path))
    assert failed["failed"] and "/api/v1/nodes" in failed["msg"] and "500" in failed["msg"], failed
