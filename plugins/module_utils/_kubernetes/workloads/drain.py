# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Drains the nodes of node groups: cordons them, evicts their Pods, and waits until the Pods have ended."""

from __future__ import annotations

import typing as t
import urllib.parse

from ..._core.converge import APPLIED
from ..._core.plan import Change
from ..._core.wait import WaitTimeout
from ..._core.waits import Waits
from ..client import BUSY, NOT_FOUND, Kubernetes, KubernetesError, Object
from ..objects.model import US
from ..patience import until
from .model import SYSTEM, Pod, pods_of
from .observe import NODES, PODS, node_groups

BY_US = urllib.parse.urlencode({"fieldManager": US})


class Drain:
    """
    :param system: whether to evict the Pods of kube-system too.
    """

    def __init__(self, kubernetes: Kubernetes, groups: t.Sequence[str], *, system: bool, waits: Waits) -> None:
        self.kubernetes = kubernetes
        self.groups = groups
        self.system = system
        self.waits = waits
        self.changes: list[Change] = []
        self._evicted: set[str] = set()

    def planned(self) -> list[Pod]:
        """The Pods to evict. Records the changes that a drain would make."""
        nodes = self._nodes()
        pods = self._pods(nodes)
        self.changes += [_cordoned(each) for each in self._schedulable(nodes)]
        self.changes += [Change("delete", f"Pod {each.described}") for each in pods]
        return pods

    def done(self) -> list[Pod]:
        """The Pods that have not ended before the timeout.

        :raises KubernetesError: if the API server refuses a request, or does not answer for too long.
        """
        last: list[Pod] = []

        def look() -> list[Pod]:
            nonlocal last
            nodes = self._nodes()
            self._cordon(nodes)  # each time, because EKS or an autoscaler may add nodes to the groups meanwhile
            last = self._pods(nodes)
            for each in last:
                self._evict(each)
            return last

        try:
            until(self.waits, look, done=lambda pods: not pods, subject="the drain", state=_described)
        except WaitTimeout:
            return last
        return []

    def _nodes(self) -> dict[str, Object]:
        items = {each["metadata"]["name"]: each for each in self.kubernetes.items(NODES)}
        groups = node_groups(items.values())
        return {name: item for name, item in items.items() if groups.get(name) in self.groups}

    def _schedulable(self, nodes: t.Mapping[str, Object]) -> list[str]:
        return [name for name, item in nodes.items() if not (item.get("spec") or {}).get("unschedulable")]

    def _cordon(self, nodes: t.Mapping[str, Object]) -> None:
        for name in self._schedulable(nodes):
            try:
                self.kubernetes.merge(f"{NODES}/{name}?{BY_US}", {"spec": {"unschedulable": True}})
            except KubernetesError as error:
                if error.status != NOT_FOUND:
                    raise
            else:
                self._record(_cordoned(name))

    def _pods(self, nodes: t.Mapping[str, Object]) -> list[Pod]:
        found = pods_of(self.kubernetes.items(PODS), node_groups(nodes.values()))
        return [each for each in found if each.node in nodes and (self.system or each.namespace != SYSTEM)]

    def _evict(self, pod: Pod) -> None:
        """Ask for the eviction, which a Pod disruption budget can refuse for some time."""
        meta = {"name": pod.name, "namespace": pod.namespace}
        body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": meta}
        try:
            self.kubernetes.create(f"/api/v1/namespaces/{pod.namespace}/pods/{pod.name}/eviction", body)
        except KubernetesError as error:
            if error.status not in (BUSY, NOT_FOUND):
                raise
            return
        if pod.described not in self._evicted:
            self._evicted.add(pod.described)
            self._record(Change("delete", f"Pod {pod.described}"))

    def _record(self, change: Change) -> None:
        self.changes.append(change)
        APPLIED.append(change.to_result())


def _cordoned(name: str) -> Change:
    return Change("update", f"node {name}", "unschedulable", False, True)


def _described(pods: t.Sequence[Pod]) -> str:
    return f"waiting for {', '.join(each.described for each in pods[:5])}"
