# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a reading of a proof returns, and how many readings may fail."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.model import Cluster, Node
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.proof.model import Candidate
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.proof.timeline import Seen
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.proof.watch import PASSING, Watch
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import KubernetesError
from unit.module_utils._karpenter.proof.proof_states import ARN, DESIRED, G5, P5

CLAIMS, NODES = "/apis/karpenter.sh/v1/nodeclaims", "/api/v1/nodes"
POD = "/api/v1/namespaces/default/pods/hyperpod-proof-gpus"
CLUSTER = Cluster.from_api({"ClusterArn": ARN, "ClusterName": "ml"})
Object = dict[str, t.Any]


class Server:
    """``errors``: the error of each reading; None for an answer."""

    def __init__(self, *errors: KubernetesError | None) -> None:
        self.errors = list(errors)
        self.objects: dict[str, Object] = {}
        self.claims: list[Object] = []
        self.requests: list[tuple[str, dict[str, str]]] = []

    def find(self, path: str) -> Object | None:
        if path == POD and self.errors:
            error = self.errors.pop(0)
            if error is not None:
                raise error
        return self.objects.get(path)

    def items(self, path: str, **query: str) -> list[Object]:
        self.requests.append((path, query))
        return self.claims


class Groups:
    """HyperPod's nodes: one in each group."""

    def nodes(self, cluster: Cluster, *, group: str) -> tuple[Node, ...]:
        assert cluster is CLUSTER
        return (Node(f"i-{group}", group, None, G5, "Running", "", "", ""),)


def watch(server: Server, *groups: str) -> Watch:
    return Watch(t.cast(t.Any, server), t.cast(t.Any, Groups()), CLUSTER, DESIRED, Candidate(G5, groups))


def claim(name: str, instance_type: str, node: str = "") -> Object:
    labels = {"node.kubernetes.io/instance-type": instance_type} if instance_type else {}
    return {"metadata": {"name": name, "labels": labels}, "status": {"nodeName": node}}


def test_a_reading_returns_pod_claims_nodes_and_instances() -> None:
    server = Server()
    server.objects[POD] = {"metadata": {"name": "a", "namespace": "default"}, "spec": {"containers": []}, "status": {"reason": "A", "message": "b"}}
    server.objects[f"{NODES}/n%2F1"] = {"metadata": {"name": "n/1"}}
    server.claims = [claim("a", G5, "n/1"), claim("b", ""), claim("c", P5, "n2"), claim("d", G5, "n3")]
    seen = watch(server, "one", "two").look()
    assert seen.smoke is not None and (seen.smoke.pod.meta.name, seen.smoke.reason, seen.smoke.message) == ("a", "A", "b")
    assert ([each.meta.name for each in seen.claims], seen.others) == (["a", "b", "d"], frozenset({"c"}))
    assert list(seen.nodes) == ["n/1"] and seen.instances == {"i-one": "Running", "i-two": "Running"}
    assert server.requests == [(CLAIMS, {"labelSelector": "karpenter.sh/nodepool=gpus"})]


def test_a_node_is_still_read_after_its_claim_is_gone() -> None:
    server = Server()
    server.claims, server.objects[f"{NODES}/n"] = [claim("a", G5, "n")], {"metadata": {"name": "n"}}
    watched = watch(server)
    watched.look()
    server.claims = []
    assert list(watched.look().nodes) == ["n"] and watched.last.smoke is None


PASSES = KubernetesError("silent", 503)


def test_some_readings_may_fail() -> None:
    watched = watch(Server(None, *[PASSES] * (PASSING - 1), None, *[PASSES] * PASSING))
    assert watched.sees and watched.last == Seen()
    first = watched.look()
    for _attempt in range(PASSING - 1):
        assert watched.look() is first and not watched.sees
    watched.look()
    assert watched.sees
    for _attempt in range(PASSING - 1):
        watched.look()
    with pytest.raises(KubernetesError):
        watched.look()


def test_a_refusal_is_raised_at_once() -> None:
    with pytest.raises(KubernetesError):
        watch(Server(KubernetesError("refused", 403))).look()
