# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The possible nodes of NodePools, and whether a Pod fits on them. No I/O.

If a property of a node is unknown, such as the capacity of a new instance type, it counts as suitable for every Pod.
"""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from .._core.expected_devices import expected
from .._kubernetes.nodes.labels import GROUP, NODE_POOL, TYPE, ZONE
from .._kubernetes.quantity import amount
from .labels import matches
from .meta import Object
from .model import ARCH, Inside, NodePool
from .outside import Group, Outside
from .pods import Pod

HYPERPOD_LABELS = "sagemaker.amazonaws.com/"
"""The prefix of labels that HyperPod sets on running nodes."""
OF_POOLS = (TYPE, ZONE, ARCH)
"""The keys that a NodePool's requirements may name on HyperPod."""
HIDING = ("NoSchedule", "NoExecute")
Amounts = t.Mapping[str, float]


@dataclass(frozen=True)
class Offer:
    """A possible node of a NodePool."""

    pool: NodePool
    group: str
    spot: bool
    labels: t.Mapping[str, str]
    unknown: frozenset[str]
    """The labels whose values are unknown."""
    capacity: Amounts | None

    def meets(self, expressions: t.Iterable[Object]) -> bool:
        known = [each for each in expressions if not self._unknown(each["key"])]
        return matches(self.labels, known)

    def has_room(self, name: str, value: float) -> bool:
        return self.capacity is None or fits({name: value}, self.capacity)

    def _unknown(self, key: str) -> bool:
        return key in self.unknown or (key.startswith(HYPERPOD_LABELS) and key not in self.labels)


def fits(wanted: Amounts, room: Amounts) -> bool:
    """Whether the amounts fit. A resource with ``/`` in its name, such as GPUs, exists only if ``room`` lists it."""
    return all(value <= room.get(name, 0.0 if "/" in name else value) for name, value in wanted.items())


def capacities(inside: Inside) -> dict[str, Amounts]:
    """Capacities of ready nodes, keyed by instance type. Other nodes still lack resources that plugins add, such as GPUs."""
    claims = {each.instance_type: each.capacity for each in inside.claims if each.status.holds("Initialized")}
    nodes = {each.meta.labels[TYPE]: each.allocatable for each in inside.nodes.values() if each.ready and TYPE in each.meta.labels}
    return {**{name: of for name, of in claims.items() if of}, **nodes}


def accelerators(instance_type: str) -> Amounts:
    """The accelerators of an instance type, even if no node has the type yet; empty if they are unknown."""
    known = expected(instance_type)
    counts = {"nvidia.com/gpu": known.gpus, "vpc.amazonaws.com/efa": known.efa, "aws.amazon.com/neuron": known.neuron}
    return {name: float(count) for name, count in counts.items() if count}


def offers(pool: NodePool, inside: Inside, outside: Outside, capacity: t.Mapping[str, Amounts]) -> list[Offer]:
    """The possible nodes that the pool's requirements allow. A group that does not exist counts as a group of any type."""
    node_class = inside.node_class(pool.node_class)
    groups = node_class.groups if node_class and node_class.groups else ("",)
    made = [offer for name in groups for offer in _of_group(pool, name, outside.groups.get(name), capacity)]
    required = [each for each in pool.requirements if each["key"] in OF_POOLS]
    return [each for each in made if each.meets(required)]


def _of_group(pool: NodePool, name: str, group: Group | None, capacity: t.Mapping[str, Amounts]) -> t.Iterator[Offer]:
    spot = group is not None and group.spot
    for instance_type in group.types if group else ("",):
        for zone in (group.zones if group else ()) or ("",):
            labels = {
                **pool.labels,
                NODE_POOL: pool.meta.name,
                GROUP: name,
                TYPE: instance_type,
                ZONE: zone,
                ARCH: "amd64",
                "kubernetes.io/os": "linux",
                "karpenter.sh/capacity-type": "spot" if spot else "on-demand",
            }
            unknown = frozenset(key for key, value in labels.items() if not value)
            yield Offer(pool, name, spot, labels, unknown, capacity.get(instance_type))


def untolerated(pod: Pod, pool: NodePool) -> Object | None:
    """The first taint of the pool's nodes that the Pod does not tolerate."""
    hiding = [taint for taint in pool.taints if taint.get("effect") in HIDING]
    return next((taint for taint in hiding if not any(_tolerates(each, taint) for each in pod.tolerations)), None)


def _tolerates(toleration: Object, taint: Object) -> bool:
    if toleration.get("key") not in (None, "", taint["key"]) or toleration.get("effect") not in (None, "", taint["effect"]):
        return False
    return toleration.get("operator") == "Exists" or (toleration.get("value") or "") == (taint.get("value") or "")


@dataclass(frozen=True)
class Requirement:
    """One requirement of a Pod for its node."""

    text: str
    granted: t.Callable[[Offer], bool]


def requirements_of(pod: Pod) -> list[Requirement]:
    found = [_label(key, value) for key, value in pod.node_selector.items()]
    if pod.node_terms:
        text = f"labels for its node affinity ({_terms(pod.node_terms)})"
        found.append(Requirement(text, lambda offer: _affine(offer, pod.node_terms)))
    return [*found, *(_resource(name, value) for name, value in pod.requests.items())]


def _label(key: str, value: str) -> Requirement:
    expression = {"key": key, "operator": "In", "values": [value]}
    return Requirement(f"{key}={value}", lambda offer: offer.meets([expression]))


def _resource(name: str, value: float) -> Requirement:
    return Requirement(amount(name, value), lambda offer: offer.has_room(name, value))


def _affine(offer: Offer, terms: t.Sequence[Object]) -> bool:
    """A term with ``matchFields`` names an existing node, so new nodes never match."""
    return any(not each.get("matchFields") and offer.meets(each.get("matchExpressions") or ()) for each in terms)


def _terms(terms: t.Sequence[Object]) -> str:
    each = [(*(term.get("matchExpressions") or ()), *(term.get("matchFields") or ())) for term in terms]
    return " or ".join(" and ".join(_expression(part) for part in parts) for parts in each)


def _expression(part: Object) -> str:
    return " ".join(filter(None, (part["key"], part["operator"], ", ".join(map(str, part.get("values") or ())))))
