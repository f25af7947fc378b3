"""Two hundred nodes with three and four layers mixed, and a thousand: none is left out of the map, and nothing is asked node by node."""

from __future__ import annotations

import json
import typing as t

import pytest
from eks_world import EKS, EksWorld, workers
from harness import STATE_DIR

pytestmark = pytest.mark.slow
LAYER = "topology.k8s.aws/network-node-layer-"
OF_LEAF, OF_SPINE, UNTOLD = 16, 8, 50
"""Nodes of a last network node, leaves of a spine; every so-many'th node has no labels."""


@pytest.fixture(scope="module")
def pods() -> t.Iterator[EksWorld]:
    with EksWorld() as world:
        world.hyperpod("ml", [workers("gpus", 1)])
        yield world


def layers(number: int) -> list[str]:
    """Every other leaf is of a type with four layers."""
    if number % UNTOLD == UNTOLD - 1:
        return []
    leaf = number // OF_LEAF
    return ["nn-1", f"nn-2{leaf // OF_SPINE}", f"nn-3{leaf}", *([f"nn-4{leaf}"] if leaf % 2 else [])]


def grow(pods: EksWorld, count: int) -> list[str]:
    """So many nodes more than the one that is there, as objects without machines; their names."""
    names = [f"hyperpod-i-{number:017x}" for number in range(1, count + 1)]
    there = {each["metadata"]["name"] for each in pods.seen("nodes")["items"]}
    for number, name in enumerate(names):
        if name not in there:
            labels = {f"{LAYER}{layer}": above for layer, above in enumerate(layers(number), 1)}
            pods.api.create("/api/v1/nodes", {"metadata": {"name": name, "labels": labels}})
    return names


@pytest.mark.parametrize("count", [200, 1000])
def test_none_is_left_out(pods: EksWorld, count: int) -> None:
    names = grow(pods, count)
    (STATE_DIR / "topology.json").unlink(missing_ok=True)
    pods.world.reset_calls()
    pods.reset_changes()
    run = pods.world.playbook("topology", "-e", json.dumps({"topology_nodes_needed": 32}))
    assert (run.rc, run.changed) == (0, 0) and pods.changes() == [] and pods.world.calls(mutating=True) == [], run.told
    reads = [each for each in pods.front.reads() if "/nodes" in each or "/pods" in each]
    assert len(reads) <= 8 and not any(name in each for each in reads for name in names), reads

    cluster = json.loads((STATE_DIR / "topology.json").read_text())["clusters"]["ml"]
    assert {name: cluster["nodes"][name]["layers"] for name in names} == {name: layers(number) for number, name in enumerate(names)}
    assert len(cluster["nodes"]) == count + 1 and len(cluster["untold"]) == count // UNTOLD + 1
    drawn = (STATE_DIR / "topology-ml.mmd").read_text().splitlines()
    assert sum("--> N_" in line for line in drawn) == count + 1
    page = (STATE_DIR / "topology.html").read_text()
    assert all(name in page for name in names) and len(page) < 3000 * count

    told = pods.module("topology_info", {"eks_cluster": EKS, "nodes_needed": OF_LEAF})
    assert [each["name"] for each in told["nodes"]] == sorted(cluster["nodes"]), "the playbook sees what the module sees"
