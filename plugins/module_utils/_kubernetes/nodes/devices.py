# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The GPUs, EFA devices and memory that kubelets offer, and the nodes that accept no Pods. Kubelets are untrusted."""

from __future__ import annotations

import re
import typing as t
from dataclasses import dataclass, field

from ..client import Kubernetes, KubernetesError, Object
from .labels import NODES, PODS, SCHEDULABLE, TESTS
from .model import KubernetesNode
from .observe import FORBIDDEN, node_of, working

GPU, EFA, HUGE_PAGES, MEMORY = "nvidia.com/gpu", "vpc.amazonaws.com/efa", "hugepages-2Mi", "memory"
HUGE_PAGES_OF_EFA = 5120 * 2**20
"""Bytes that libfabric needs for 32 EFA devices, as in AWS's manifests."""
_AMOUNT = re.compile(r"([0-9]{1,15})(Ki|Mi|Gi|Ti)?")
_UNITS = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40}
"""The exponent of 2 for each unit."""


@dataclass(frozen=True)
class Node:
    known: KubernetesNode
    gpus: int = 0
    efa: int = 0
    """EFA devices."""
    huge_pages: int = 0
    """Bytes of pages of 2 MiB."""
    memory: int = 0
    """Bytes of main memory."""
    labels: t.Mapping[str, str] = field(default_factory=dict, compare=False)

    @property
    def takes_no_pods(self) -> str:
        """Why the node accepts no Pods; empty if it does."""
        if self.known.not_ready:
            return self.known.not_ready
        if self.known.health_status not in ("", SCHEDULABLE):
            return f"HyperPod labels it {self.known.health_status}"
        return "it is cordoned" if self.known.unschedulable else ""


@dataclass(frozen=True)
class State:
    nodes: t.Mapping[str, Node] = field(default_factory=dict)
    """The nodes, keyed by name."""
    pods_seen: bool = True
    """Whether the caller may list the Pods of all namespaces."""
    of_tests: t.Collection[str] = ()
    """The Pods of our own tests, with their namespaces."""


@dataclass(frozen=True)
class Share:
    """What each Pod requests in addition to GPUs."""

    efa: int = 0
    huge_pages: bool = False
    memory: int = 0
    """Bytes that a Pod may request on a node that runs little else; 0 if a node does not report its memory."""


def observe(kubernetes: Kubernetes, ignored: t.Callable[[Object], bool] = lambda pod: False) -> State:
    """
    :param ignored: whether a Pod does not count as work of its node.
    :raises KubernetesError: also if the caller may not list nodes.
    """
    items = kubernetes.items(NODES)
    try:
        pods, seen = [each for each in kubernetes.items(PODS) if not ignored(each)], True
    except KubernetesError as error:
        if error.status != FORBIDDEN:
            raise
        pods, seen = [], False
    tests = [each["metadata"] for each in pods if TESTS & {*(each["metadata"].get("labels") or ())}]
    names = frozenset(f"{each['namespace']}/{each['name']}" for each in tests)
    return State(nodes_of(items, working(pods)), pods_seen=seen, of_tests=names)


def nodes_of(items: t.Iterable[Object], pods: t.Mapping[str, t.Sequence[str]]) -> dict[str, Node]:
    """The nodes, keyed by name.

    :param pods: the names of Pods that request accelerators, keyed by node.
    """
    return {each["metadata"]["name"]: _node(each, pods) for each in items}


def share(nodes: t.Sequence[Node]) -> Share:
    """The resources that every node offers. Huge pages are optional, because libfabric also works without them."""
    efa = min(node.efa for node in nodes)
    huge_pages = bool(efa) and min(node.huge_pages for node in nodes) >= HUGE_PAGES_OF_EFA
    return Share(efa, huge_pages=huge_pages, memory=min(node.memory for node in nodes) // 5 * 4)


def _node(item: Object, pods: t.Mapping[str, t.Sequence[str]]) -> Node:
    offered = (item.get("status") or {}).get("allocatable") or {}
    gpus, efa, huge_pages, memory = (_amount(offered.get(name)) for name in (GPU, EFA, HUGE_PAGES, MEMORY))
    labels = item["metadata"].get("labels") or {}
    node = node_of(item, pods.get(item["metadata"]["name"], ()))
    return Node(node, gpus, efa, huge_pages, memory, labels)


def _amount(given: t.Any) -> int:
    """A whole number as kubelets write it; 0 for anything else."""
    match = _AMOUNT.fullmatch(str(given))
    return int(match[1]) << _UNITS.get(match[2] or "", 0) if match else 0
