# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""A proof: the request, the state before the proof, and the steps of the proof."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

from ..._core.text import printable
from ..model import Inside, NodeClaim, NodePool
from ..outside import Outside
from ..pods import Pod

PROOF = "mlfleet.hyperpod/proof"
"""The label of the Pod. Its value is the pool's name."""
QUEUED = "kueue.x-k8s.io/managed-namespace"
"""The label of a namespace whose Pods must be in a queue, if Kueue selects namespaces by this label."""


@dataclass(frozen=True)
class Desired:
    cluster_arn: str
    node_pool: str
    instance_type: str = ""
    """Empty for the cheapest possible type."""
    namespace: str = "default"
    image: str = "registry.k8s.io/pause:3.10"
    up_seconds: int = 1200
    down_seconds: int = 900
    interval: int = 10

    @property
    def pod_name(self) -> str:
        """The name is always the same for a pool, so that a later run finds the Pod of an earlier run."""
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
    """The hourly price of one node."""

    price: float | None = None
    """None if the price is unknown. An unknown price is not zero."""
    currency: str = "USD"
    source: str = "unknown"

    @property
    def described(self) -> str:
        return "an unknown price" if self.price is None else f"about {self.price:.2f} {self.currency} an hour"

    def to_result(self) -> dict[str, t.Any]:
        return {"per_hour": self.price, "currency": self.currency, "source": self.source, "told": self.described}


@dataclass(frozen=True)
class Candidate:
    """A possible instance type of the pool."""

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
    """The name of the step's Pod, NodeClaim or node."""
    at: str
    seconds: float
    """Seconds since the proof began."""

    def __str__(self) -> str:
        return f"{self.step} ({printable(self.name)}) after {self.seconds:.0f} s"

    def to_result(self) -> dict[str, t.Any]:
        return {"step": self.step, "name": printable(self.name), "at": self.at, "seconds": round(self.seconds, 1)}


@dataclass(frozen=True)
class Proof:
    """The result of a proof. In check mode, only ``choice`` is set, the type of the planned node."""

    choice: Candidate
    group: str = ""
    """The instance group of the node."""
    proven: bool = False
    timeline: tuple[Moment, ...] = ()
    seconds_up: float | None = None
    seconds_down: float | None = None


@dataclass(frozen=True)
class State:
    outside: Outside
    inside: Inside = field(default_factory=Inside)
    candidates: tuple[Candidate, ...] = ()
    """Possible instance types of the pool, in the order of preference."""
    namespace: t.Mapping[str, str] | None = field(default_factory=dict)
    """Labels of the Pod's namespace; None if it does not exist."""
    denied: str = ""
    """Why the API server would deny the creation or deletion of the Pod; empty if it would not."""
    notes: tuple[str, ...] = ()
    proof: Proof | None = None

    def pool(self, desired: Desired) -> NodePool:
        found = self.inside.pool(desired.node_pool)
        if found is None:
            raise KeyError(desired.node_pool)
        return found

    def leftovers(self, desired: Desired) -> tuple[Pod, ...]:
        """Pods of earlier proofs of this pool, in any namespace."""
        return tuple(pod for pod in self.inside.pods if pod.meta.managed and pod.meta.labels.get(PROOF) == desired.node_pool)

    def claims(self, desired: Desired, instance_type: str) -> tuple[NodeClaim, ...]:
        """The pool's NodeClaims of the type or without a type, because Karpenter sets the type only when it requests the node."""
        of_pool = (each for each in self.inside.claims if each.pool == desired.node_pool)
        return tuple(each for each in of_pool if each.instance_type in ("", instance_type))
