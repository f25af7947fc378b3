# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""A proof: what is asked for, what is there before, and what has happened."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

from ..._core.text import printable
from ..model import Inside, NodeClaim, NodePool
from ..outside import Outside
from ..pods import Pod

PROOF = "mlfleet.hyperpod/proof"
"""Label of the pod; its value is the pool's name."""
QUEUED = "kueue.x-k8s.io/managed-namespace"
"""Label of a namespace whose pods must be in a queue, where Kueue goes by it."""


@dataclass(frozen=True)
class Desired:
    cluster_arn: str
    node_pool: str
    instance_type: str = ""
    """Empty for the cheapest that the pool can have."""
    namespace: str = "default"
    image: str = "registry.k8s.io/pause:3.10"
    up_seconds: int = 1200
    down_seconds: int = 900
    interval: int = 10

    @property
    def pod_name(self) -> str:
        """Always the same for a pool, so that a later run finds what an earlier one left."""
        return f"hyperpod-proof-{self.node_pool}"

    @property
    def pod(self) -> str:
        return f"{self.namespace}/{self.pod_name}"

    @property
    def pods_path(self) -> str:
        return f"/api/v1/namespaces/{self.namespace}/pods"

    @property
    def pod_path(self) -> str:
        return f"{self.pods_path}/{self.pod_name}"


@dataclass(frozen=True)
class Cost:
    """Of one node an hour."""

    price: float | None = None
    """None where nobody knows it, which is not the same as nothing."""
    currency: str = "USD"
    source: str = "unknown"

    @property
    def described(self) -> str:
        return "an unknown price" if self.price is None else f"about {self.price:.2f} {self.currency} an hour"

    def to_result(self) -> dict[str, t.Any]:
        return {"per_hour": self.price, "currency": self.currency, "source": self.source, "told": self.described}


@dataclass(frozen=True)
class Candidate:
    """An instance type that the pool can have."""

    instance_type: str
    groups: tuple[str, ...]
    cost: Cost = Cost()

    def to_result(self) -> dict[str, t.Any]:
        return {"instance_type": self.instance_type, "instance_groups": list(self.groups), "price_per_hour": self.cost.price}


@dataclass(frozen=True)
class Moment:
    """A step of a proof."""

    step: str
    name: str
    """Of what it is about."""
    at: str
    seconds: float
    """Since the proof began."""

    def __str__(self) -> str:
        return f"{self.step} ({printable(self.name)}) after {self.seconds:.0f} s"

    def to_result(self) -> dict[str, t.Any]:
        return {"step": self.step, "name": printable(self.name), "at": self.at, "seconds": round(self.seconds, 1)}


@dataclass(frozen=True)
class Proof:
    """What a run has shown; in check mode what it would be about."""

    choice: Candidate
    group: str = ""
    """That had the node."""
    proven: bool = False
    timeline: tuple[Moment, ...] = ()
    seconds_up: float | None = None
    seconds_down: float | None = None


@dataclass(frozen=True)
class State:
    outside: Outside
    inside: Inside = field(default_factory=Inside)
    candidates: tuple[Candidate, ...] = ()
    """Instance types that the pool can have, in the order in which one is chosen."""
    namespace: t.Mapping[str, str] | None = field(default_factory=dict)
    """Labels of the pod's namespace; None where it does not exist."""
    denied: str = ""
    """Why the API server would not let the caller create the pod, or delete it; empty where it would."""
    notes: tuple[str, ...] = ()
    proof: Proof | None = None

    def pool(self, desired: Desired) -> NodePool:
        found = self.inside.pool(desired.node_pool)
        if found is None:
            raise KeyError(desired.node_pool)
        return found

    def leftovers(self, desired: Desired) -> tuple[Pod, ...]:
        """Pods of earlier proofs of this pool, in whatever namespace."""
        return tuple(pod for pod in self.inside.pods if pod.meta.ours and pod.meta.labels.get(PROOF) == desired.node_pool)

    def claims(self, desired: Desired, instance_type: str) -> tuple[NodeClaim, ...]:
        """Of the pool, and of the type, as far as that is known: Karpenter chooses it when it asks for the node."""
        of_pool = (each for each in self.inside.claims if each.pool == desired.node_pool)
        return tuple(each for each in of_pool if each.instance_type in ("", instance_type))
