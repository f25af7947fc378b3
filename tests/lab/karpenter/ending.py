# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Removal of nodes: which ones, and the steps of each removal."""

from __future__ import annotations

import time
import typing as t

from lab.kubernetes.api import Api, ApiError, Object
from lab.kubernetes.hyperpod_nodes import GROUP

from .machines import Machines, offer_of
from .objects import CLAIMS, FINALIZER, POOL, Events, finalizers, ignore_missing, leaving, name_of, waits
from .placing import Offer, allowed, requested, seconds, takes, within

KEPT = "karpenter.sh/do-not-disrupt"
DISRUPTED = {"key": "karpenter.sh/disrupted", "effect": "NoSchedule"}
OVER = ("Succeeded", "Failed")
Classes = t.Mapping[str, t.Sequence[str]]


class Ending:
    """Selects nodes for removal and removes them; it records since when nodes are empty."""

    def __init__(self, api: Api, machines: Machines, events: Events) -> None:
        self.api = api
        self.machines = machines
        self.events = events
        self._empty_since: dict[str, float] = {}

    def turn(
        self,
        claims: t.Sequence[Object],
        pools: t.Sequence[Object],
        classes: Classes,
        pods: t.Sequence[Object],
        nodes: t.Mapping[str, t.Any],
    ) -> None:
        on = {name: [pod for pod in pods if pod["spec"].get("nodeName") == name and _counts(pod)] for name in map(_node, claims)}
        waiting = list(filter(waits, pods))
        expected = {name_of(claim) for claim in claims if any(_fits(offer_of(claim), pod) for pod in waiting)}
        for pool in pools:
            self._choose(pool, [each for each in claims if each["metadata"]["labels"].get(POOL) == name_of(pool)], classes, on, expected)
        known = {name_of(pool) for pool in pools}
        for claim in claims:
            if not leaving(claim) and claim["metadata"]["labels"].get(POOL) not in known:
                self._end(claim)
            elif leaving(claim):
                ignore_missing(lambda claim=claim: self._wind_up(claim, on[_node(claim)], nodes))
        self._strays(claims, classes, nodes)

    def _choose(
        self,
        pool: Object,
        claims: t.Sequence[Object],
        classes: Classes,
        on: t.Mapping[str, list[Object]],
        expected: t.Collection[str],
    ) -> None:
        """Select empty nodes without expected pods, and nodes of groups that left the NodeClass, as far as budgets allow."""
        disruption = pool["spec"].get("disruption") or {}
        after = seconds(disruption.get("consolidateAfter", "0s"))
        groups = classes.get(pool["spec"]["template"]["spec"]["nodeClassRef"]["name"], ())
        going = sum(map(leaving, claims))
        for claim in claims:
            name, since = name_of(claim), time.monotonic()
            pods = on[_node(claim)]
            empty = not pods and name not in expected and any(each["type"] == "Initialized" for each in claim.get("status", {}).get("conditions", ()))
            since = self._empty_since.setdefault(name, since) if empty else self._empty_since.pop(name, since)
            drifted = bool(groups) and claim["metadata"]["labels"][GROUP] not in groups
            idle = empty and after is not None and time.monotonic() - since >= after
            if leaving(claim) or not (drifted or idle):
                continue
            kept = [pod for pod in pods if _kept(pod)]
            if kept:
                self.events(claim, "NodeClaim", "DisruptionBlocked", f'Pod "{_full(kept[0])}" has "{KEPT}" annotation')
            elif going < allowed(disruption.get("budgets") or (), len(claims), "Drifted" if drifted else "Empty"):
                going += 1
                self._end(claim)

    def _end(self, claim: Object) -> None:
        ignore_missing(lambda: self.api.delete(f"{CLAIMS}/{name_of(claim)}"))

    def _wind_up(self, claim: Object, pods: t.Sequence[Object], nodes: t.Mapping[str, t.Any]) -> None:
        """Cordon and drain the node of a claim, return it, and then let the claim be deleted."""
        node = _node(claim)
        instance = node.removeprefix("hyperpod-")
        if node and instance in nodes:
            self._hide(node)
            for pod in pods:
                self._evict(claim, pod)
            if not pods and nodes[instance]["InstanceStatus"]["Status"] != "ShuttingDown":
                self.machines.remove(instance)
            return
        if FINALIZER in claim["metadata"].get("finalizers", ()):
            finalizers(self.api, CLAIMS, claim, ())

    def _hide(self, node: str) -> None:
        try:
            there = self.api.get(f"/api/v1/nodes/{node}")["spec"].get("taints") or []
        except ApiError:
            return
        if DISRUPTED not in [{name: each.get(name) for name in DISRUPTED} for each in there]:
            ignore_missing(lambda: self.api.merge(f"/api/v1/nodes/{node}", {"spec": {"taints": [*there, DISRUPTED]}}))

    def _evict(self, claim: Object, pod: Object) -> None:
        if leaving(pod):
            return
        if _kept(pod):
            self.events(claim, "NodeClaim", "FailedDraining", f'Pod "{_full(pod)}" has "{KEPT}" annotation')
            return
        meta = {"name": name_of(pod), "namespace": pod["metadata"]["namespace"]}
        path = f"/api/v1/namespaces/{meta['namespace']}/pods/{meta['name']}/eviction"
        try:
            self.api.create(path, {"apiVersion": "policy/v1beta1", "kind": "Eviction", "metadata": meta})
        except ApiError as error:
            if error.status == 429:
                self.events(claim, "NodeClaim", "FailedDraining", f'Pod "{_full(pod)}" is protected by a PodDisruptionBudget')
            elif error.status != 404:
                raise

    def _strays(self, claims: t.Sequence[Object], classes: Classes, nodes: t.Mapping[str, t.Any]) -> None:
        """Nodes in groups of a NodeClass without a claim."""
        groups = {group for of_class in classes.values() for group in of_class}
        expected = {each["metadata"]["labels"][GROUP] for each in claims if not _node(each)}
        claimed = set(map(_node, claims))
        for instance, node in nodes.items():
            group, running = node["InstanceGroupName"], node["InstanceStatus"]["Status"] == "Running"
            if running and group in groups - expected and f"hyperpod-{instance}" not in claimed:
                self.machines.remove(instance)


def _node(claim: Object) -> str:
    return str((claim.get("status") or {}).get("nodeName", ""))


def _counts(pod: Object) -> bool:
    """Whether the pod keeps a node from being empty."""
    owners = [each["kind"] for each in pod["metadata"].get("ownerReferences") or ()]
    return "DaemonSet" not in owners and pod.get("status", {}).get("phase") not in OVER


def _kept(pod: Object) -> bool:
    return (pod["metadata"].get("annotations") or {}).get(KEPT) == "true"


def _full(pod: Object) -> str:
    return f"{pod['metadata']['namespace']}/{name_of(pod)}"


def _fits(offer: Offer, pod: Object) -> bool:
    return takes(offer, pod) and within(requested(pod), offer.capacity)
