# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The controller: each turn reads all objects and makes the next steps."""

from __future__ import annotations

import collections
import time
import typing as t
from pathlib import Path

from lab.kubernetes import definitions
from lab.kubernetes.api import Api, Object
from lab.kubernetes.hyperpod_nodes import GROUP, TYPE, ZONE
from lab.kubernetes.played import Played

from . import ending, objects
from .machines import Machines, cheapest_first, offer_of, types_of
from .objects import CLAIMS, CLASSES, POOL, POOLS, holds, ignore_missing, leaving, name_of, update_status, waits
from .placing import KEYS, Offer, quantity, requested, takes, within

HELD_SECONDS = 5.0
"""How long a group without capacity is not used."""
PATIENCE_SECONDS = 60.0
"""Timeout for a node to join after its request; that of Karpenter is fifteen minutes."""
DEFINITIONS = Path(__file__).with_name("definitions.yml")
Pool = tuple[Object, list[Offer]]


class Karpenter(Played):
    """Active while the cluster of ``machines`` has the autoscaler; ``patience`` may be changed at any time."""

    def __init__(self, api: Api, machines: Machines) -> None:
        super().__init__()
        self.patience = PATIENCE_SECONDS
        self.promised: dict[str, float] = {}
        self.api = api
        self.machines = machines
        self.events = objects.Events(api)
        self.held: dict[str, float] = {}
        self.ending = ending.Ending(api, machines, self.events)
        self._defined = False

    def turn(self) -> None:
        groups = self.machines.groups()
        if groups is None:
            return
        if not self._defined:
            define(self.api)
            self._defined = True
        claims, nodes = list(filter(objects.of_hyperpod, self._items(CLAIMS))), self.machines.nodes()
        classes = {name_of(each): self._class(each, groups, claims) for each in self._items(CLASSES)}
        pools = [(each, self._pool(each, classes, groups, claims)) for each in self._items(POOLS) if objects.of_hyperpod(each)]
        kubernetes_nodes = {name_of(each): each for each in self._items("/api/v1/nodes")}
        for claim in claims:
            if not leaving(claim):
                self._bring(claim, claims, groups, nodes, kubernetes_nodes)
        pods = self._items("/api/v1/pods")
        self.ending.turn(claims, [pool for pool, _offers in pools], classes, pods, nodes)
        self._provide(pools, claims, pods)

    def _items(self, path: str) -> list[Object]:
        return list(self.api.get(path)["items"])

    def _class(self, item: Object, groups: t.Mapping[str, t.Any], claims: t.Sequence[Object]) -> tuple[str, ...]:
        """Instance groups of a NodeClass; none unless it is ready."""
        used = any(each["spec"]["nodeClassRef"]["name"] == name_of(item) for each in claims)
        if leaving(item):
            if not used:
                ignore_missing(lambda: objects.finalizers(self.api, CLASSES, item, ()))
            return ()
        objects.finalizers(self.api, CLASSES, item, (objects.CLASS_FINALIZER,))
        names = item["spec"]["instanceGroups"]
        missing = [name for name in names if name not in groups]
        message = f"Instance groups not found: {', '.join(missing)}" if missing else ""
        found = [
            {"name": name, "instanceTypes": types_of(groups[name]), "subnets": self.machines.placed(groups[name])}
            for name in names
            if name in groups
        ]
        state = (not missing, "InstanceGroupNotFound" if missing else "InstanceGroupReady", message)
        conditions = {"InstanceGroupReady": state, "SubnetsReady": (True, "SubnetsReady", ""), "Ready": state}
        update_status(self.api, CLASSES, item, conditions, instanceGroups=found)
        return () if missing else tuple(names)

    def _pool(
        self, item: Object, classes: t.Mapping[str, tuple[str, ...]], groups: t.Mapping[str, t.Any], claims: t.Sequence[Object]
    ) -> list[Offer]:
        """Offers of a NodePool; none unless it is ready."""
        template = item["spec"]["template"]["spec"]
        of_class = classes.get(template["nodeClassRef"]["name"], ())
        unknown = sorted({each["key"] for each in template["requirements"]} - set(KEYS))
        valid = (not unknown, "UnsupportedRequirement" if unknown else "ValidationSucceeded", ", ".join(unknown))
        ready = (bool(of_class), "NodeClassReady" if of_class else "NodeClassNotReady", "")
        both = (not unknown and bool(of_class), "Ready" if of_class and not unknown else "UnhealthyDependents", "")
        own = [each for each in claims if each["metadata"]["labels"].get(POOL) == name_of(item)]
        used = {"nodes": str(len(own)), **{name: f"{value:g}" for name, value in capacity(own).items()}}
        update_status(self.api, POOLS, item, {"ValidationSucceeded": valid, "NodeClassReady": ready, "Ready": both}, nodes=len(own), resources=used)
        if leaving(item) or not both[0]:
            return []
        return cheapest_first(offer for name in of_class for offer in self.machines.offers(groups[name], item))

    def _bring(
        self,
        claim: Object,
        claims: t.Sequence[Object],
        groups: t.Mapping[str, t.Any],
        nodes: t.Mapping[str, t.Any],
        registered: t.Mapping[str, Object],
    ) -> None:
        """The next step from a claim to a node that accepts pods."""
        labels, status = claim["metadata"]["labels"], claim.setdefault("status", {})
        if not holds(claim, "Launched"):
            group = groups.get(labels[GROUP])
            failure = self.machines.add(group, labels, claim["metadata"]["uid"]) if group else "InstanceGroupNotFound"
            if failure:
                self._give_up(claim, "LaunchFailed", failure)
                return
            self._update(claim, Launched=(True, "Launched", ""))
        since = self.promised.setdefault(claim["metadata"]["uid"], time.monotonic())
        if not holds(claim, "Registered") and time.monotonic() - since > self.patience:
            self._give_up(claim, "RegistrationTimeout", f"no node of {labels[GROUP]} has joined in {self.patience:g} s")
            return
        if "providerID" not in status:
            taken = {each.get("status", {}).get("nodeName") for each in claims}
            free = [name for name in registered if name not in taken and name.removeprefix("hyperpod-") in nodes and _same(labels, registered[name])]
            if not free:
                return
            self._update(claim, nodeName=free[0], providerID=f"aws:///sagemaker/cluster/{free[0]}")
        if status["nodeName"].removeprefix("hyperpod-") not in nodes:  # the node or its group was removed by others
            ignore_missing(lambda: self.api.delete(f"{CLAIMS}/{name_of(claim)}"))
            return
        node = registered.get(status["nodeName"])
        if node is None or not holds(node, "Ready") or holds(claim, "Initialized"):
            return
        if not holds(claim, "Registered"):
            taints = [*(node["spec"].get("taints") or ()), *claim["spec"]["taints"]]
            self.api.merge(f"/api/v1/nodes/{name_of(node)}", {"metadata": {"labels": labels}, "spec": {"taints": taints}})
            self._update(claim, Registered=(True, "Registered", ""), capacity=node["status"]["capacity"])
        self._update(claim, Initialized=(True, "Initialized", ""), Ready=(True, "Ready", ""))

    def _give_up(self, claim: Object, reason: str, message: str) -> None:
        """Delete the claim and do not use its group for a while; the pods get another claim."""
        self.held[claim["metadata"]["labels"][GROUP]] = time.monotonic() + HELD_SECONDS
        self.events(claim, "NodeClaim", reason, message)
        ignore_missing(lambda: self.api.delete(f"{CLAIMS}/{name_of(claim)}"))

    def _update(self, claim: Object, **fields: t.Any) -> None:
        conditions = {name: value for name, value in fields.items() if isinstance(value, tuple)}
        update_status(self.api, CLAIMS, claim, conditions, **{name: value for name, value in fields.items() if name not in conditions})

    def _provide(self, pools: t.Sequence[Pool], claims: list[Object], pods: t.Sequence[Object]) -> None:
        """Create a claim for each pending pod, unless a current or future node has room."""
        bound: dict[str, list[Object]] = collections.defaultdict(list)
        for pod in pods:
            bound[pod["spec"].get("nodeName", "")].append(pod)
        room = []
        for claim in claims:
            if not leaving(claim):
                offer = offer_of(claim)
                free = collections.Counter(offer.capacity)
                for pod in bound.get(claim["status"].get("nodeName", "-"), ()):
                    free.subtract(requested(pod))
                room.append((offer, free))
        by_weight = sorted(pools, key=lambda pool: -pool[0]["spec"].get("weight", 0))
        for pod in filter(waits, bound[""]):
            wanted = requested(pod)
            for offer, free in room:
                if takes(offer, pod) and within(wanted, free):
                    free.subtract(wanted)
                    break
            else:
                made = self._claim(by_weight, claims, pod, wanted)
                if made is None:
                    self.events(pod, "Pod", "FailedScheduling", "no NodePool of Karpenter has a node for the pod")
                else:
                    free = collections.Counter(made.capacity)
                    free.subtract(wanted)
                    room.append((made, free))

    def _claim(self, pools: t.Sequence[Pool], claims: list[Object], pod: Object, wanted: t.Mapping[str, float]) -> Offer | None:
        for pool, offers in pools:
            limits = {name: quantity(value) for name, value in (pool["spec"].get("limits") or {}).items()}
            used = capacity([each for each in claims if each["metadata"]["labels"].get(POOL) == name_of(pool)])
            for offer in offers:
                fits = takes(offer, pod) and within(wanted, offer.capacity)
                after = {name: used[name] + offer.capacity.get(name, 0) for name in limits}
                if fits and within(after, limits) and self.held.get(offer.group, 0) < time.monotonic():
                    claims.append({**self.api.create(CLAIMS, objects.claim(pool, offer, wanted)), "status": {}})
                    return offer
        return None


def define(api: Api) -> None:
    """Create the definitions, as HyperPod does when the autoscaler is enabled; return when they are served."""
    definitions.define(api, DEFINITIONS)


def _same(labels: t.Mapping[str, str], node: Object) -> bool:
    """Whether a node has the labels that a claim requests."""
    return all(node["metadata"]["labels"].get(key) == labels[key] for key in (GROUP, TYPE, ZONE))


def capacity(claims: t.Sequence[Object]) -> collections.Counter[str]:
    total: collections.Counter[str] = collections.Counter()
    for claim in claims:
        total.update(offer_of(claim).capacity)
    return total
