# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""topology_info: bad input without an API server, and the map of one in memory."""

from __future__ import annotations

import pytest
from unit.module_utils._karpenter.proof.api_server import Server, kubeconfig
from unit.module_utils._topology.clusters import ARTICLE
from unit.module_utils._topology.test_kubernetes import node, pod

KINDS = ("p5.48xlarge", "m5.large")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"nodes_needed": 0}, "nodes_needed: 0 is not allowed. Allowed: 1 to 10000."),
        ({"kubeconfig": "/nonexistent"}, "kubeconfig: /nonexistent is unusable: "),
        ({"eks_cluster": "one", "context": "a"}, "eks_cluster: 'one' is not allowed"),
    ],
)
def test_bad_input_is_refused_before_any_request(simulator, given, message):
    refused = simulator.run("topology_info", **given)
    assert refused["failed"] and message in refused["msg"], refused


class Cluster:
    def __init__(self):
        self.nodes = [node(name, *layers) for name, layers in ARTICLE.items()]
        self.pods = [pod("a-0", "i-3", owner="a"), pod("a-1", "i-6", owner="a")]
        self.requests = set()

    def answer(self, method, target, body):
        path = target.partition("?")[0]
        self.requests.add((method, path))
        return 200, {"items": self.nodes if path.endswith("nodes") else self.pods}


def test_ec2_adds_the_layers_of_instances_of_the_account(simulator, tmp_path):
    cluster, ec2 = Cluster(), simulator.client("ec2")
    kinds = {kind: ec2.run_instances(ImageId="ami-12c6146b", MinCount=1, MaxCount=1, InstanceType=kind)["Instances"][0] for kind in KINDS}
    placed, plain = (each["InstanceId"] for each in kinds.values())
    cluster.nodes = [{**node(name, *layers), "spec": {"providerID": f"aws:///us-west-2a/{iid}"}} for name, layers, iid in (
        ("ip-1", (), placed),
        ("ip-2", (), plain),
        ("ip-3", ("a", "b"), "i-0123456789abcdef3"),
        ("hyperpod-i-0123456789abcdef4", (), "i-0123456789abcdef4"),
        ("ip-5", (), "../../x"),
    )]
    with Server(cluster) as kubernetes:
        path = kubeconfig(kubernetes, tmp_path)
        result = simulator.run("topology_info", kubeconfig=path, ask_ec2=True)
        cluster.nodes[0]["spec"]["providerID"] = "aws:///us-west-2a/i-0123456789abcdef9"
        failed = simulator.run("topology_info", kubeconfig=path, ask_ec2=True)
    assert not result.get("failed"), result["msg"]
    found = {each["name"]: (each["instance_id"], each["layers"]) for each in result["nodes"]}
    below = f"nn-{kinds['p5.48xlarge']['SubnetId'].removeprefix('subnet-')}"
    assert found["ip-1"][0] == placed and len(found["ip-1"][1]) == 3 and found["ip-1"][1][-1] == below, result
    assert found["ip-2"] == (plain, []) and found["ip-3"] == ("", ["a", "b"])
    assert found["hyperpod-i-0123456789abcdef4"] == ("i-0123456789abcdef4", []) and found["ip-5"] == ("", [])
    assert failed["failed"] and "DescribeInstanceTopology" in failed["msg"] and "InvalidInstanceID.NotFound" in failed["msg"], failed


def test_seven_nodes(simulator, tmp_path):
    cluster = Cluster()
    with Server(cluster) as kubernetes:
        path = kubeconfig(kubernetes, tmp_path)
        result = simulator.run("topology_info", kubeconfig=path)
        near = simulator.run("topology_info", kubeconfig=path, nodes_needed=3)
    assert not result["changed"] and [each["name"] for each in result["nodes"]] == sorted(ARTICLE) and "near" not in result, result
    assert result["nodes"][2]["jobs"] == ["ns/a"] and "L3_nn_33 --> N_i_7" in result["mermaid"]
    assert result["jobs"] == [{"job": "ns/a", "nodes": ["i-3", "i-6"], "path": ["nn-1", "nn-22"], "last": 2, "untold": []}]
    assert result["blocks"] == [{"layer": number, "free": 5, "largest": most} for number, most in ((1, 5), (2, 3), (3, 2))]
    assert near["near"] == {"path": ["nn-1", "nn-22"], "spread": 1, "nodes": ["i-4", "i-5", "i-7"], "free": 3}
    assert near["moves"] == {"path": ["nn-1", "nn-22", "nn-32"], "jobs": ["ns/a"], "nodes": ["i-3"]}
    assert cluster.requests == {("GET", "/api/v1/nodes"), ("GET", "/api/v1/pods")}
