# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Login nodes as targets: the desired targets, the registered targets, and the nodes of the cluster."""

from __future__ import annotations

import dataclasses
import typing as t
from dataclasses import dataclass, field

DRAINING = "draining"
HEALTHY = "healthy"
INITIAL = "initial"
"""Registration or the first health checks are in progress, which can take minutes."""
NEVER_HEALTHY = ("unused",)
"""No load balancer checks this target, or the load balancer does not serve its zone. Waiting has no effect."""
UNHEALTHY = ("unhealthy", "unhealthy.draining", "unavailable")
SICK_SECONDS = 120.0
"""Seconds to wait for unhealthy targets. The target of a node whose gate was just opened becomes healthy within this time."""


@dataclass(frozen=True)
class Desired:
    """The module's options. ``target_group`` is a name or an ARN."""

    target_group: str
    present: bool = True
    cluster_arn: str | None = None
    group: str | None = None
    node_types: t.Mapping[str, str] = field(default_factory=dict)
    verified: frozenset[str] = frozenset()
    drained: frozenset[str] = frozenset()
    failed: frozenset[str] = frozenset()
    """Nodes that failed in this run."""
    port: int = 22
    minimum_healthy: int = 1
    phase: str = "reconcile"

    @property
    def resource(self) -> str:
        return f"target group {self.target_group.rpartition('targetgroup/')[2].partition('/')[0]}"

    @property
    def waits(self) -> bool:
        """Whether to wait until registered targets are healthy."""
        return self.present and self.phase == "reconcile"


@dataclass(frozen=True)
class LoginNode:
    """A node of the login group. ``ip`` is None if the API returned no address."""

    instance_id: str
    ip: str | None
    status: str


@dataclass(frozen=True)
class Target:
    """A registered target, or a deregistered target that is still draining."""

    ip: str
    port: int
    health: str
    reason: str = ""

    @property
    def active(self) -> bool:
        return self.health != DRAINING


@dataclass(frozen=True)
class State:
    """The nodes and the targets. ``complete``: whether ``nodes`` lists all login nodes, so that no other address is one of theirs.

    ``health_check_port`` is AWS's value: a number or ``traffic-port``.
    """

    target_group_arn: str | None
    registered: tuple[Target, ...] = ()
    nodes: tuple[LoginNode, ...] = ()
    complete: bool = True
    health_check_port: str | None = None

    def with_targets(self, targets: t.Iterable[Target]) -> State:
        """A copy with these targets, which replace targets with the same address and port."""
        registered = {(target.ip, target.port): target for target in (*self.registered, *targets)}
        return dataclasses.replace(self, registered=tuple(registered.values()))
