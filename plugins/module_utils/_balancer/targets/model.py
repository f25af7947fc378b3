# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Login nodes as targets: what is wanted, what is registered, what the cluster says about its nodes."""

from __future__ import annotations

import re
import typing as t
from dataclasses import dataclass, field

from ..._core.arn import ClusterArn
from ..._core.failure import refuse_option
from .. import model

DRAINING = "draining"
HEALTHY = "healthy"
INITIAL = "initial"
"""AWS is at work on the registration, or on the first health checks. That can take minutes."""
NEVER_HEALTHY = ("unused",)
"""No load balancer asks this target, or none in its zone: waiting changes nothing."""
UNHEALTHY = ("unhealthy", "unhealthy.draining", "unavailable")
SICK_SECONDS = 120.0
"""For how long a wait goes on for targets that are unhealthy: a gate that has just opened is seen within it."""

_INSTANCE_ID = re.compile(r"^i-([0-9a-f]{8}|[0-9a-f]{17})$")


@dataclass(frozen=True)
class Desired:
    """What the module's options ask for. ``target_group`` is a name or an ARN."""

    target_group: str
    cluster_arn: str | None = None
    group: str | None = None
    node_types: t.Mapping[str, str] = field(default_factory=dict)
    verified: frozenset[str] = frozenset()
    drained: frozenset[str] = frozenset()
    port: int = 22
    minimum_healthy: int = 1
    phase: str = "reconcile"

    @property
    def resource(self) -> str:
        return f"target group {self.target_group.rpartition('targetgroup/')[2].partition('/')[0]}"

    @classmethod
    def from_params(cls, params: t.Mapping[str, t.Any]) -> Desired:
        """:raises Refused: for the first option that is wrong in itself."""
        if params["cluster_arn"] is not None:
            ClusterArn.parse(params["cluster_arn"])
        if not params["target_group"].startswith("arn:"):
            model.check_name("target_group", params["target_group"])
        if params["minimum_healthy"] < 0:
            refuse_option("minimum_healthy", params["minimum_healthy"], "allowed is 0 or more")
        return cls(
            target_group=params["target_group"],
            cluster_arn=params["cluster_arn"],
            group=params["group"],
            node_types=params["node_types"] or {},
            verified=_instance_ids("verified", params["verified"]),
            drained=_instance_ids("drained", params["drained"]),
            port=22 if params["port"] is None else model.check_port("port", params["port"]),
            minimum_healthy=params["minimum_healthy"],
            phase=params["phase"],
        )


@dataclass(frozen=True)
class LoginNode:
    """A node of the login group. ``ip`` is None where the API gave none."""

    instance_id: str
    ip: str | None
    status: str


@dataclass(frozen=True)
class Target:
    """A registered target; also one that is still draining."""

    ip: str
    port: int
    health: str
    reason: str = ""

    @property
    def active(self) -> bool:
        return self.health != DRAINING


@dataclass(frozen=True)
class State:
    """``complete`` is whether a missing address proves that no login node has it.

    ``health_check_port`` is AWS's word: a number, or ``traffic-port``.
    """

    target_group_arn: str | None
    registered: tuple[Target, ...] = ()
    nodes: tuple[LoginNode, ...] = ()
    complete: bool = True
    health_check_port: str | None = None


def _instance_ids(option: str, given: t.Sequence[str]) -> frozenset[str]:
    for value in given:
        if not _INSTANCE_ID.match(value):
            refuse_option(option, value, "it must look like i-0123456789abcdef0")
    return frozenset(given)
