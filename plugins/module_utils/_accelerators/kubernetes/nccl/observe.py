# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Looks at the nodes that Kubernetes has: who works on their accelerators, and what they offer. Kubelets write what is there."""

from __future__ import annotations

import re
import typing as t

from ...._kubernetes.client import Kubernetes, KubernetesError, Object
from ...._kubernetes.nodes.labels import NODES, PODS
from ...._kubernetes.nodes.observe import FORBIDDEN, node_of, working
from .model import Node, State

GPU, EFA, HUGE_PAGES = "nvidia.com/gpu", "vpc.amazonaws.com/efa", "hugepages-2Mi"
_AMOUNT = re.compile(r"([0-9]{1,15})(Ki|Mi|Gi|Ti)?")
_UNITS = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40}
"""Powers of two."""


def observe(kubernetes: Kubernetes) -> State:
    """:raises KubernetesError: also where the caller may not list nodes."""
    items = kubernetes.items(NODES)
    try:
        pods, seen = working(kubernetes.items(PODS)), True
    except KubernetesError as error:
        if error.status != FORBIDDEN:
            raise
        pods, seen = {}, False
    return State({each["metadata"]["name"]: _node(each, pods) for each in items}, pods_seen=seen)


def _node(item: Object, pods: t.Mapping[str, t.Sequence[str]]) -> Node:
    offered = (item.get("status") or {}).get("allocatable") or {}
    gpus, efa, huge_pages = (_amount(offered.get(name)) for name in (GPU, EFA, HUGE_PAGES))
    return Node(node_of(item, pods.get(item["metadata"]["name"], ())), gpus, efa, huge_pages)


def _amount(given: t.Any) -> int:
    """As a kubelet tells whole numbers of something; 0 for what is none."""
    match = _AMOUNT.fullmatch(str(given))
    return int(match[1]) << _UNITS.get(match[2] or "", 0) if match else 0
