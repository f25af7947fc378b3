# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""topology_info: what it refuses where there is no API server, and what it tells of one in memory."""

from __future__ import annotations

import pytest
from unit.module_utils._karpenter.proof.api_server import Server, kubeconfig
from unit.module_utils._topology.clusters import ARTICLE
from unit.module_utils._topology.test_kubernetes import node, pod


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"nodes_needed": 0}, "nodes_needed: 0 is not allowed. Allowed: 1 to 10000."),
        ({"kubeconfig": "/nonexistent"}, "kubeconfig: /nonexistent is of no use: "),
        ({"eks_cluster": "one", "context": "a"}, "eks_cluster: 'one' is not allowed"),
    ],
)
def test_refused_before_anybody_is_asked(simulator, given, said):
    refused = simulator.run("topology_info", **given)
    assert refused["failed"] and said in refused["msg"], refused


class Cluster:
    def __init__(self):
        self.nodes = [node(name, *layers) for name, layers in ARTICLE.items()]
        self.pods = [pod("a-0", "i-3", owner="a"), pod("a-1", "i-6", owner="a")]
        self.asked = set()

    def answer(self, method, target, body):
        path = target.partition("?")[0]
        self.asked.add((method, path))
        return 200, {"items": self.nodes if path.endswith("nodes") else self.pods}


def test_seven_nodes(simulator, tmp_path):
    cluster = Cluster()
    with Server(cluster) as kubernetes:
        path = kubeconfig(kubernetes, tmp_path)
        told = simulator.run("topology_info", kubeconfig=path)
        asked = simulator.run("topology_info", kubeconfig=path, nodes_needed=3)
    assert not told["changed"] and [each["name"] for each in told["nodes"]] == sorted(ARTICLE) and "near" not in told, told
    assert told["nodes"][2]["jobs"] == ["ns/a"] and "L3_nn_33 --> N_i_7" in told["mermaid"]
    assert told["jobs"] == [{"job": "ns/a", "nodes": ["i-3", "i-6"], "path": ["nn-1", "nn-22"], "last": 2, "untold": []}]
    assert told["blocks"] == [{"layer": number, "free": 5, "largest": most} for number, most in ((1, 5), (2, 3), (3, 2))]
    assert asked["near"] == {"path": ["nn-1", "nn-22"], "spread": 1, "nodes": ["i-4", "i-5", "i-7"], "free": 3}
    assert asked["moves"] == {"path": ["nn-1", "nn-22", "nn-32"], "jobs": ["ns/a"], "nodes": ["i-3"]}
    assert cluster.asked == {("GET", "/api/v1/nodes"), ("GET", "/api/v1/pods")}
