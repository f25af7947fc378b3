# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Builds the steps of a proof and their times from repeated reads."""

from __future__ import annotations

import time
import typing as t
from dataclasses import dataclass, field

from ..._core.times import iso_now
from ..model import Node, NodeClaim
from ..pods import Pod
from .model import Moment

POD_CREATED, POD_CREATED_AGAIN, POD_RUNNING, POD_DELETED = "pod created", "pod created again", "pod running", "pod deleted"
LEFTOVER_DELETED = "pod of an earlier run deleted"
CLAIM_MADE, CLAIM_LAUNCHED, CLAIM_ENDING, CLAIM_GONE = "NodeClaim made", "NodeClaim launched", "node being ended", "NodeClaim gone"
NODE_REGISTERED, NODE_READY = "node registered", "node ready"
NODE_GONE, INSTANCE_GONE = "node gone from Kubernetes", "node gone from HyperPod"
PREFIX = "hyperpod-"
"""HyperPod's prefix of Node names, before the instance ID."""
TOO_LONG = "DeadlineExceeded"
"""The reason of a Pod that exceeded its deadline."""


@dataclass(frozen=True)
class Smoke:
    """The Pod of the proof."""

    pod: Pod
    reason: str = ""
    """Why the Pod ended, if it did not end by itself."""
    message: str = ""

    @property
    def ran(self) -> bool:
        return self.pod.phase in ("Running", "Succeeded") and not self.pod.meta.leaving

    @property
    def lost(self) -> bool:
        """Whether the Pod was removed from its node, or was never admitted there."""
        return self.pod.phase == "Failed" and self.reason not in ("", TOO_LONG)

    @property
    def trouble(self) -> str:
        """Why the Pod does not run, as reported by its node."""
        ended = self.message or self.reason or "its container ended with an error"
        return ended if self.pod.phase == "Failed" else self.pod.trouble


@dataclass(frozen=True)
class Seen:
    """The objects that one read found."""

    smoke: Smoke | None = None
    claims: tuple[NodeClaim, ...] = ()
    """The pool's NodeClaims of the type, or without a type yet."""
    others: frozenset[str] = frozenset()
    """Names of the pool's other NodeClaims."""
    nodes: t.Mapping[str, Node] = field(default_factory=dict)
    """Current and earlier nodes of the NodeClaims, keyed by name."""
    instances: t.Mapping[str, str] = field(default_factory=dict)
    """Statuses of HyperPod's nodes in the groups, keyed by instance ID."""

    @property
    def running(self) -> bool:
        return self.smoke is not None and self.smoke.ran

    @property
    def node(self) -> str:
        """The Pod's node."""
        return self.smoke.pod.node if self.smoke else ""


def instance_of(node: str) -> str:
    """The instance ID in the name of a Node."""
    return node[len(PREFIX) :] if node.startswith(PREFIX) else node


def steps(seen: Seen) -> t.Iterator[tuple[str, str]]:
    """The steps that one read shows, in the order in which they happen, each with the name of its object."""
    for claim in seen.claims:
        name = claim.meta.name
        yield CLAIM_MADE, name
        if claim.status.holds("Launched"):
            yield CLAIM_LAUNCHED, name
        if claim.node and claim.status.holds("Registered"):
            yield NODE_REGISTERED, claim.node
        if claim.node in seen.nodes and seen.nodes[claim.node].ready:
            yield NODE_READY, claim.node
    if seen.smoke is not None and seen.smoke.ran:
        yield POD_RUNNING, seen.smoke.pod.node
    for claim in seen.claims:
        if claim.meta.leaving:
            yield CLAIM_ENDING, claim.meta.name


@dataclass
class Tracked:
    """The objects that at least one read has shown."""

    claims: dict[str, NodeClaim] = field(default_factory=dict)
    nodes: set[str] = field(default_factory=set)
    instances: set[str] = field(default_factory=set)

    def learn(self, seen: Seen) -> None:
        for claim in seen.claims:
            self.claims[claim.meta.name] = claim
        names = {claim.node for claim in self.claims.values() if claim.node}
        self.nodes |= names & seen.nodes.keys()
        self.instances |= set(map(instance_of, names)) & seen.instances.keys()

    def gone(self, seen: Seen) -> t.Iterator[tuple[str, str]]:
        there = {claim.meta.name for claim in seen.claims} | seen.others
        yield from ((INSTANCE_GONE, name) for name in sorted(self.instances - seen.instances.keys()))
        yield from ((NODE_GONE, name) for name in sorted(self.nodes - seen.nodes.keys()))
        yield from ((CLAIM_GONE, name) for name in self.claims if name not in there)

    def left(self, seen: Seen) -> list[str]:
        """The descriptions of the tracked objects that still exist."""
        claims = [f"NodeClaim {claim.meta.name}" for claim in seen.claims]
        nodes = [f"Node {name}" for name in sorted(self.nodes & seen.nodes.keys())]
        instances = [f"{name} {seen.instances[name]} in HyperPod" for name in sorted(self.instances & seen.instances.keys())]
        return [*claims, *nodes, *instances]


class Timeline:
    """Records each step once, with the time of the first read that showed it."""

    def __init__(self, *, now: t.Callable[[], float] = time.monotonic, date: t.Callable[[], str] = iso_now) -> None:
        self.now = now
        self.date = date
        self.began: float | None = None
        self.moments: list[Moment] = []
        self.tracked = Tracked()

    def record(self, step: str, name: str) -> None:
        now = self.now()
        self.began = now if self.began is None else self.began
        self.moments.append(Moment(step, name, self.date(), now - self.began))

    def see(self, seen: Seen) -> None:
        self.tracked.learn(seen)
        recorded = {(each.step, each.name) for each in self.moments}
        for step, name in (*steps(seen), *self.tracked.gone(seen)):
            if (step, name) not in recorded:
                self.record(step, name)

    def last(self, step: str) -> Moment | None:
        return next((each for each in reversed(self.moments) if each.step == step), None)

    @property
    def described(self) -> str:
        return "; ".join(map(str, self.moments)) or "nothing"

    def to_result(self) -> list[dict[str, t.Any]]:
        return [each.to_result() for each in self.moments]
