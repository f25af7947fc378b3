# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads Karpenter's objects and the Pods in Kubernetes."""

from __future__ import annotations

import typing as t

from .._kubernetes.client import NOT_FOUND, Kubernetes, KubernetesError
from .._kubernetes.nodes.labels import NODES, PODS
from .meta import Object
from .model import Inside, LaunchFailure, Node, NodeClaim, NodeClass, NodePool
from .pods import Budget, Pod

HYPERPOD = "karpenter.sagemaker.amazonaws.com"
"""The API group of HyperPod's NodeClasses. A self-managed Karpenter's NodePools and NodeClaims refer to a different group."""
CLASSES = f"/apis/{HYPERPOD}/v1/hyperpodnodeclasses"
POOLS, CLAIMS = "/apis/karpenter.sh/v1/nodepools", "/apis/karpenter.sh/v1/nodeclaims"
EVENTS, OF_CLAIMS = "/api/v1/events", "involvedObject.kind=NodeClaim,type=Warning"
OF_LAUNCHES = ("Launch", "Capacity")
"""Event reasons contain one of these if a NodeClaim got no node. Other events explain why a node can't be removed."""
BUDGETS = ("/apis/policy/v1/poddisruptionbudgets", "/apis/policy/v1beta1/poddisruptionbudgets")
"""Kubernetes serves one of these paths, depending on its version."""


def observe(kubernetes: Kubernetes) -> Inside:
    """:raises KubernetesError: also without permission to read all objects, because unread objects must not count as missing."""
    classes, pools = _known(kubernetes, CLASSES), _known(kubernetes, POOLS)
    return Inside(
        classes=tuple(map(NodeClass.of, classes or ())),
        pools=tuple(NodePool.of(each) for each in pools or () if _of_hyperpod(each["spec"]["template"])),
        claims=tuple(NodeClaim.of(each) for each in _known(kubernetes, CLAIMS) or () if _of_hyperpod(each)),
        nodes={node.meta.name: node for node in map(Node.of, kubernetes.items(NODES))},
        pods=tuple(map(Pod.of, kubernetes.items(PODS))),
        budgets=tuple(_budgets(kubernetes)),
        launch_failures=tuple(_launch_failures(kubernetes)) if pools is not None else (),
        defined=classes is not None and pools is not None,
    )


def _known(kubernetes: Kubernetes, path: str) -> t.Sequence[Object] | None:
    """All objects of a kind; None if the API server does not have the kind."""
    try:
        return kubernetes.items(path)
    except KubernetesError as error:
        if error.status != NOT_FOUND:
            raise
        return None


def _of_hyperpod(item: Object) -> bool:
    return bool(item["spec"]["nodeClassRef"].get("group") == HYPERPOD)


def _budgets(kubernetes: Kubernetes) -> t.Iterator[Budget]:
    for each in next((found for path in BUDGETS if (found := _known(kubernetes, path)) is not None), ()):
        status, selector = each.get("status") or {}, each["spec"].get("selector") or {}
        if status.get("disruptionsAllowed", 0) == 0 and status.get("expectedPods", 0):
            labels, expressions = selector.get("matchLabels") or {}, tuple(selector.get("matchExpressions") or ())
            yield Budget(each["metadata"]["namespace"], each["metadata"]["name"], labels, expressions)


def _launch_failures(kubernetes: Kubernetes) -> list[LaunchFailure]:
    events = kubernetes.items(EVENTS, fieldSelector=OF_CLAIMS)
    found = [LaunchFailure.of(each) for each in events if any(part in each.get("reason", "") for part in OF_LAUNCHES)]
    return sorted(found, key=lambda each: each.at)
