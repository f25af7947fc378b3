"""The map of 200 and of 1000 nodes with three or four layers: it has all nodes, and no request names a node."""

from __future__ import annotations

import json
import typing as t

import pytest
from eks_world import EKS, EksWorld, workers
from harness import STATE_DIR
from lab.kubernetes import objects
from steps import step

pytestmark = pytest.mark.slow
PODS = "/api/v1/namespaces/default/pods"
LEAF = ["nn-1", "nn-20", "nn-35", "nn-45"]
"""Layers of nodes 80 to 95, two of which run a job; on each other leaf, four nodes run a job."""
FREE, USED = {200: 151, 1000: 751}, {200: 50, 1000: 250}
"""4 of 16 nodes of each leaf are used, but 2 of LEAF; the last leaf has 8 nodes. The node that HyperPod created is free."""
BLOCKS = {200: [(148, 148), (148, 98), (148, 14), (73, 14)], 1000: [(736, 736), (736, 98), (736, 14), (367, 14)]}
"""For each layer: free nodes with a known place, and the most below one network node. A spine has 98: 7 leaves with 12 and one with 14."""
JOBS = {200: {"default/train-0": (30, 8, 2), "default/train-1": (20, 5, 0)}, 1000: {"default/train-0": (30, 8, 2), "default/train-7": (28, 7, 1)}}
"""Some of the jobs: numbers of nodes, of last network nodes, and of nodes without a known place."""


@pytest.fixture(scope="module")
def pods() -> t.Iterator[EksWorld]:
    with EksWorld(grace=objects.GRACE) as world:
        world.hyperpod("ml", [workers("gpus", 1)])
        yield world


def grow(pods: EksWorld, count: int) -> list[str]:
    """Create missing nodes up to ``count``, as objects without machines; returns their names."""
    existing = {each["metadata"]["name"] for each in pods.seen("nodes")["items"]}
    for number in range(count):
        if objects.name(number) not in existing:
            pods.api.create("/api/v1/nodes", objects.node(number))
            if objects.job(number):
                pods.api.create(PODS, objects.pod(number))
    return [objects.name(number) for number in range(count)]


@pytest.mark.parametrize("count", [200, 1000])
def test_the_map_has_all_nodes(pods: EksWorld, count: int) -> None:
    names = grow(pods, count)
    (STATE_DIR / "topology.json").unlink(missing_ok=True)
    pods.world.reset_calls()
    pods.reset_changes()
    run = pods.world.playbook("topology", "-e", json.dumps({"topology_nodes_needed": 14}))
    assert (run.rc, run.changed) == (0, 0) and pods.changes() == [] and pods.world.calls(mutating=True) == [], run.log
    reads = [each for each in pods.front.reads() if "/nodes" in each or "/pods" in each]
    assert len(reads) <= 8 and not any(name in each for each in reads for name in names), reads

    cluster = json.loads((STATE_DIR / "topology.json").read_text())["clusters"]["ml"]
    with step("the place of each node"):
        assert {name: cluster["nodes"][name]["layers"] for name in names} == {name: objects.layers(number) for number, name in enumerate(names)}
        assert len(cluster["nodes"]) == count + 1 and len(cluster["untold"]) == count // objects.UNLABELLED + 1
        drawn = (STATE_DIR / "topology-ml.mmd").read_text().splitlines()
        assert sum("--> N_" in line for line in drawn) == count + 1
        page = (STATE_DIR / "topology.html").read_text()
        assert all(name in page for name in names) and len(page) < 3000 * count

    with step("free nodes, and the spread of jobs"):
        assert cluster["counts"] == {"free": FREE[count], "used": USED[count], "unhealthy": 0}
        assert [(each["free"], each["largest"]) for each in cluster["blocks"]] == BLOCKS[count]
        jobs = {each["job"]: (len(each["nodes"]), each["last"], len(each["untold"])) for each in cluster["jobs"]}
        assert {name: jobs[name] for name in JOBS[count]} == JOBS[count]
        assert cluster["near"] == {"path": LEAF, "spread": 0, "nodes": names[82:96], "free": 14}
        assert cluster["moves"] == {"path": LEAF, "jobs": [], "nodes": []}

    with step("the module returns the same as the playbook"):
        result = pods.module("topology_info", {"eks_cluster": EKS, "nodes_needed": objects.OF_LEAF})
        assert [each["name"] for each in result["nodes"]] == sorted(cluster["nodes"]) and result["blocks"] == cluster["blocks"]
        assert result["moves"] == {"path": LEAF, "jobs": ["default/train-0"], "nodes": names[80:82]}
        assert len(result["near"]["nodes"]) == objects.OF_LEAF and result["near"]["path"][0] == "nn-1" and len(result["near"]["path"]) == 2
