# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kubernetes_nodes: bad input without an API server, and nodes of an API server in memory."""

from __future__ import annotations

import typing as t

import pytest
from unit.module_utils._accelerators.kubernetes.jobs.looked_at import iid, node
from unit.module_utils._karpenter.proof.api_server import Server, kubeconfig

REASON = "repair: unfit for work"
CORDONED_FOR = "mlfleet.hyperpod/cordoned-for"
NODES = "/api/v1/nodes"
Object = dict[str, t.Any]


def pod(name: str, number: int) -> Object:
    container = {"resources": {"limits": {"nvidia.com/gpu": "8"}}}
    return {"metadata": {"name": name, "namespace": "a"}, "spec": {"nodeName": f"hyperpod-{iid(number)}", "containers": [container]}}


class Cluster:
    """Nodes and pods. ``listings``: functions to call before each listing of nodes, in this order."""

    def __init__(self, *numbers: int) -> None:
        self.nodes = {each["metadata"]["name"]: each for each in map(node, numbers)}
        self.pods: list[Object] = []
        self.listings: list[t.Callable[[], t.Any]] = []
        self.refused: dict[str, list[int]] = {}
        """Statuses of the next replies by path."""
        self.patched: list[str] = []

    def answer(self, method: str, target: str, body: Object | None) -> tuple[int, t.Any]:
        path, _mark, query = target.partition("?")
        if method == "GET" and path == NODES and self.listings:
            self.listings.pop(0)()
        if self.refused.get(path):
            return self.refused[path].pop(0), {"message": "it is refused"}
        if method == "PATCH":
            assert query == "fieldManager=mlfleet.hyperpod" and body is not None
            name = path.rpartition("/")[2]
            self.patched.append(name)
            merge(self.nodes[name], body)
            return 200, self.nodes[name]
        return 200, {"items": list(self.nodes.values()) if path == NODES else self.pods}


def merge(item: Object, patch: Object) -> None:
    for name, value in patch.items():
        if isinstance(value, dict):
            merge(item.setdefault(name, {}), value)
        elif value is None:
            item.pop(name, None)
        else:
            item[name] = value


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"node_ids": ["hyperpod-i-1"]}, "node_ids: 'hyperpod-i-1' is not allowed"),
        ({"node_ids": [iid(1), iid(1)]}, "is not allowed: it is given more than once"),
        ({"reason": ""}, "reason: '' is not allowed"),
        ({"reason": "a\x1b"}, "reason: 'a\\x1b' is not allowed"),
        ({"reason": "x" * 201}, "reason: "),
        ({"wait_timeout": -1}, "wait_timeout: -1 is not allowed"),
        ({"poll_interval": 0}, "poll_interval: 0 is not allowed"),
        ({"state": "drained"}, "value of state must be one of: cordoned, uncordoned, asked"),
        ({"state": "asked"}, "asks_for: required with state=asked, and not allowed with other states. Allowed: reboot, replace."),
        ({"asks_for": "reboot"}, "asks_for: required with state=asked, and not allowed with other states."),
        ({"state": "asked", "asks_for": "repair"}, "value of asks_for must be one of: reboot, replace"),
        ({"kubeconfig": "/nonexistent"}, "kubeconfig: /nonexistent is unusable: "),
    ],
)
def test_bad_input_is_refused_before_any_request(simulator, given, message):
    options = {"state": "cordoned", "node_ids": [iid(1)], "reason": REASON, **given}
    refused = simulator.run("kubernetes_nodes", **options)
    assert refused["failed"] and message in refused["msg"], refused


@pytest.fixture
def cluster():
    return Cluster(1, 2)


@pytest.fixture
def options(cluster, tmp_path):
    with Server(cluster) as kubernetes:
        given = {"node_ids": [iid(1), iid(2), iid(3)], "reason": REASON, "state": "cordoned", "poll_interval": 1}
        yield {"kubeconfig": kubeconfig(kubernetes, tmp_path), **given}


def test_nodes_are_cordoned_and_their_pods_waited_for(simulator, cluster, options):
    cluster.pods = [pod("train", 1)]
    cluster.listings = [lambda: None, lambda: None, cluster.pods.clear]
    foreseen = simulator.run("kubernetes_nodes", check=True, **options)
    assert foreseen["changed"] and cluster.patched == [] and foreseen["nodes"][0]["kubernetes"]["pods"] == ["a/train"], foreseen
    done = simulator.run("kubernetes_nodes", wait_timeout=60, **options)
    assert done["changes"] == foreseen["changes"] and done["diff"] == foreseen["diff"] and len(cluster.patched) == 2, done
    assert [each["kubernetes"] and (each["kubernetes"]["cordoned_for"], each["kubernetes"]["pods"]) for each in done["nodes"]] == [
        (REASON, []),
        (REASON, []),
        None,
    ]
    assert not simulator.run("kubernetes_nodes", **options)["changed"]
    back = simulator.run("kubernetes_nodes", **{**options, "state": "uncordoned", "reason": "repair: "})
    assert len(back["changes"]) == 2 and [each["spec"] for each in cluster.nodes.values()] == [{}, {}], back
    assert not simulator.run("kubernetes_nodes", **{**options, "state": "uncordoned", "reason": "repair: "})["changed"]


def test_remaining_pods_are_reported_after_the_timeout(simulator, cluster, options):
    cluster.pods = [pod("train", 2)]
    refused = simulator.run("kubernetes_nodes", pods="refuse", **options)
    assert refused["failed"] and "nodes to cordon: a/train." in refused["msg"] and cluster.patched == [], refused
    done = simulator.run("kubernetes_nodes", wait_timeout=1, **options)
    assert not done.get("failed") and [each["pods"] for each in existing(done)] == [[], ["a/train"]], done


def test_new_nodes_are_cordoned_and_waited_for(simulator, cluster, options):
    def join() -> None:
        late = node(3, ready="False")
        cluster.nodes[late["metadata"]["name"]] = late

    def is_ready() -> None:
        cluster.nodes[f"hyperpod-{iid(3)}"]["status"] = node(3)["status"]

    cluster.listings = [lambda: None, lambda: None, join, lambda: None, is_ready]
    done = simulator.run("kubernetes_nodes", wait_for="ready", wait_timeout=60, **options)
    assert [(each["cordoned_for"], each["not_ready"]) for each in existing(done)] == [(REASON, "")] * 3 and len(done["changes"]) == 3, done
    assert done["diff"]["after"].count("cordoned") == 3


def test_failing_requests_are_retried(simulator, cluster, options):
    cluster.pods = [pod("train", 1)]

    def stumbles() -> None:
        cluster.refused[NODES] = [503, 503]

    cluster.listings = [lambda: None, stumbles, lambda: None, cluster.pods.clear]
    done = simulator.run("kubernetes_nodes", wait_timeout=60, **options)
    assert not done.get("failed") and existing(done)[0]["pods"] == [], done


def test_a_caller_who_cannot_list_pods_changes_nothing(simulator, cluster, options):
    cluster.refused["/api/v1/pods"] = [403]
    done = simulator.run("kubernetes_nodes", **options)
    assert done["failed"] and "may not list the Pods of all namespaces" in done["msg"] and cluster.patched == [], done


def test_changes_before_a_failure_are_named(simulator, cluster, options):
    cluster.refused[f"{NODES}/hyperpod-{iid(2)}"] = [403]
    done = simulator.run("kubernetes_nodes", **options)
    assert done["failed"] and "403" in done["msg"] and [each["resource"] for each in done["changes"]] == [f"node hyperpod-{iid(1)}"], done


def test_a_repair_is_requested_and_waited_for(simulator, cluster, options):
    first, second = cluster.nodes
    label = "sagemaker.amazonaws.com/node-health-status"

    def acts() -> None:
        del cluster.nodes[first]
        cluster.nodes[second]["metadata"]["labels"][label] = "Schedulable"

    task = {**options, "state": "asked", "asks_for": "replace", "reason": ""}
    foreseen = simulator.run("kubernetes_nodes", check=True, **task)
    assert cluster.patched == [] and len(foreseen["changes"]) == 2, foreseen
    cluster.listings = [lambda: None, lambda: None, acts]
    done = simulator.run("kubernetes_nodes", wait_timeout=60, **task)
    assert done["changes"] == foreseen["changes"] and len(cluster.patched) == 2, done
    assert [each["kubernetes"] is None for each in done["nodes"]] == [True, False, True]


def test_a_repair_that_does_not_start_is_a_failure(simulator, options):
    late = simulator.run("kubernetes_nodes", wait_timeout=1, **{**options, "state": "asked", "asks_for": "reboot"})
    assert late["failed"] and "is still waiting for HyperPod (hyperpod-" in late["msg"] and len(late["changes"]) == 2, late


def existing(done: Object) -> list[Object]:
    return [each["kubernetes"] for each in done["nodes"] if each["kubernetes"]]
