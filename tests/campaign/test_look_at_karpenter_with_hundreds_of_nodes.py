"""Two hundred nodes of Karpenter: the status is short, no request names a node, and a second run changes nothing."""

from __future__ import annotations

import json
import typing as t

import pytest
from eks_world import EksWorld, until, workers
from harness import Run
from steps import step

pytestmark = pytest.mark.slow
NODES, WAITING, SMALL = 200, 30, 2
"""Nodes, pods that fit no node, and additional pods on each node."""
PAGE = "limit=500"
MOST_LINES = 70
"""Of the printed status, from its first word to its last row."""
MOST_READS, MOST_CALLS = 60, 100
JOBS, PODS = "/apis/batch/v1/namespaces/default/jobs", "/api/v1/namespaces/default/pods"
DECLARED = {
    "karpenter_node_classes": [{"name": "gpus", "instance_groups": ["auto"]}],
    "karpenter_node_pools": [{"name": "gpus", "node_class": "gpus"}],
}


@pytest.fixture(scope="module")
def pods() -> t.Iterator[EksWorld]:
    with EksWorld() as world:
        world.agent("1.0.1892.0_1.0.424.0")
        world.hyperpod("ml", [workers("system", 1, "ml.m5.large"), workers("auto", 0)])
        world.karpenter.patience = 600.0
        world.karpenter.start()
        yield world


def karpenter(pods: EksWorld, verb: str) -> Run:
    """A run that changes nothing, lists by pages, and requests no node by its name."""
    pods.world.reset_calls()
    pods.reset_changes()
    run = pods.world.playbook(verb, "-e", json.dumps(DECLARED))
    assert (run.rc, run.changed) == (0, 0), run.log
    assert pods.world.calls(mutating=True) == [] and pods.changes() == [], (pods.world.calls(mutating=True), pods.changes())
    reads = pods.front.reads()
    listings = [each for each in reads if each.partition("?")[0].endswith(("/pods", "/nodes", "/nodeclaims", "/nodepools", "/events"))]
    assert listings and all(PAGE in each for each in listings) and any("continue=" in each for each in listings), listings
    assert len(reads) <= MOST_READS and "hyperpod-i-" not in str(reads), reads
    calls = [call["operation"] for call in pods.world.calls()]
    assert len(calls) <= MOST_CALLS and "DescribeClusterNode" not in calls, calls
    return run


def job(name: str, count: int, **spec: t.Any) -> dict[str, t.Any]:
    container = {"name": "a", "image": "pause", "resources": {"limits": {"nvidia.com/gpu": "1"}}}
    template = {"spec": {"restartPolicy": "Never", "containers": [container], **spec}}
    return {"metadata": {"name": name}, "spec": {"parallelism": count, "completions": count, "template": template}}


def phases(pods: EksWorld, name: str) -> list[str]:
    return [each["status"]["phase"] for each in pods.api.get(f"{PODS}?labelSelector=job-name={name}")["items"]]


def test_hundreds_of_nodes_are_summarised_without_requests_for_each(pods: EksWorld) -> None:
    with step("the nodes are created"):
        made = pods.world.playbook("karpenter", "-e", json.dumps(DECLARED))
        assert made.rc == 0, made.log
        pods.api.create(JOBS, job("train", NODES))
        until(lambda: phases(pods, "train") == ["Running"] * NODES, seconds=600)
        pods.api.create(JOBS, job("lost", WAITING, nodeSelector={"node.kubernetes.io/instance-type": "ml.p5.48xlarge"}))
        nodes = [each["metadata"]["name"] for each in pods.api.get("/api/v1/nodes")["items"]]
        for number in range(SMALL * NODES):
            spec = {"nodeName": nodes[number % len(nodes)], "containers": [{"name": "a", "image": "pause"}]}
            pods.api.create(PODS, {"metadata": {"name": f"small-{number}"}, "spec": spec})
        until(lambda: str(pods.api.get(f"{PODS}?labelSelector=job-name=lost")).count("Unschedulable") == WAITING)

    pods.karpenter.stop()  # its calls would be counted with those of the playbooks
    with step("the status"):
        status = karpenter(pods, "karpenter_status")
        printed = " ".join(status.output.split())
        assert f"{NODES} nodes; no limits" in printed and f"and {NODES - 20} more: {NODES - 20} ready" in printed, status.log
        assert f"about 612.00 USD an hour ({NODES} x ml.g5.8xlarge 612.00)" in printed, status.log
        assert f"and {WAITING - 20} more: {WAITING - 20} requirements" in printed and "10 more pods wait for a node: 10 requirements." in printed
        page = status.output.partition("autoscaler ")[2].partition("an hour ")[0]
        assert NODES // 10 < len(page.splitlines()) <= MOST_LINES, status.output

    with step("a run without changes"):
        karpenter(pods, "karpenter")
