# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Allocatable resources of nodes."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import KubernetesError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.devices import Node, Share, State, observe, share
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.model import KubernetesNode

GPU, EFA, PAGES = "nvidia.com/gpu", "vpc.amazonaws.com/efa", "hugepages-2Mi"
Object = dict[str, t.Any]


class Server:
    """Nodes, and pods or the status of a refusal of them."""

    def __init__(self, *nodes: Object, pods: t.Sequence[Object] = (), refused: int = 0) -> None:
        self.nodes, self.pods, self.refused = nodes, pods, refused

    def items(self, path: str) -> t.Sequence[Object]:
        if path == "/api/v1/nodes":
            return self.nodes
        assert path == "/api/v1/pods"
        if self.refused:
            raise KubernetesError("refused", self.refused)
        return self.pods


def node(name: str = "n", **allocatable: t.Any) -> Object:
    conditions = [{"type": "Ready", "status": "True"}]
    return {"metadata": {"name": name}, "status": {"conditions": conditions, "allocatable": allocatable}}


def amounts(server: Server) -> tuple[int, int, int]:
    found = observe(t.cast(t.Any, server)).nodes["n"]
    return found.gpus, found.efa, found.huge_pages


@pytest.mark.parametrize(
    ("offered", "expected"),
    [
        ({GPU: "8", EFA: "32", PAGES: "1Ki"}, (8, 32, 2**10)),
        ({PAGES: "2Mi"}, (0, 0, 2 * 2**20)),
        ({PAGES: "3Gi"}, (0, 0, 3 * 2**30)),
        ({PAGES: "1Ti"}, (0, 0, 2**40)),
        ({GPU: 8, EFA: "-1", PAGES: "1Pi"}, (8, 0, 0)),
        ({GPU: "8x", EFA: "1.5", PAGES: "9" * 16}, (0, 0, 0)),
        ({GPU: "9" * 15}, (999999999999999, 0, 0)),
        ({}, (0, 0, 0)),
    ],
)
def test_allocatable_resources_are_read(offered: Object, expected: tuple[int, int, int]) -> None:
    assert amounts(Server(node(**offered))) == expected


def test_a_node_without_a_status_offers_nothing() -> None:
    assert amounts(Server({"metadata": {"name": "n"}})) == (0, 0, 0)


def test_running_pods_are_assigned_to_their_node() -> None:
    container = {"resources": {"limits": {GPU: "1"}}}
    pods = [{"metadata": {"name": "a", "namespace": "ns"}, "spec": {"nodeName": "n", "containers": [container]}}]
    found = observe(t.cast(t.Any, Server(node(), node("m"), pods=pods)))
    assert found.pods_seen and (found.nodes["n"].known.pods, found.nodes["m"].known.pods) == (("ns/a",), ())


@pytest.mark.parametrize(("status", "fails"), [(403, False), (500, True)])
def test_denied_access_to_pods_is_recorded(status: int, fails: bool) -> None:
    server = t.cast(t.Any, Server(node(), refused=status))
    if fails:
        with pytest.raises(KubernetesError):
            observe(server)
    else:
        assert not observe(server).pods_seen


def test_missing_fields_are_empty() -> None:
    known = KubernetesNode("n")
    assert (Node(known), Share()) == (Node(known, gpus=0, efa=0, huge_pages=0), Share(efa=0, huge_pages=False))
    assert (State().nodes, State().pods_seen) == ({}, True)


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        ({}, Share(32, huge_pages=True)),
        ({EFA: "16"}, Share(16, huge_pages=True)),
        ({EFA: "0"}, Share(0, huge_pages=False)),
        ({PAGES: "0"}, Share(32, huge_pages=False)),
        ({PAGES: "5368709120"}, Share(32, huge_pages=True)),
        ({PAGES: "5119Mi"}, Share(32, huge_pages=False)),
    ],
)
def test_pods_request_the_minimum_of_all_nodes(second: dict[str, str], expected: Share) -> None:
    whole = {EFA: "32", PAGES: "5120Mi"}
    nodes = observe(t.cast(t.Any, Server(node("n", **whole), node("m", **{**whole, **second})))).nodes
    assert share(list(nodes.values())) == expected
