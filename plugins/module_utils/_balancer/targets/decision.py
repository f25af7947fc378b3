# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Decides for each address and port whether it must be a target. No I/O.

The address of a node that no longer exists may soon belong to a different machine. So targets of nodes that certainly do not
exist are removed, and uncertain targets stay. A node that serves logins at a former port stays a target at this port until it
is healthy at the desired port.
"""

from __future__ import annotations

import dataclasses
import typing as t
from dataclasses import dataclass

from ..._hyperpod.statuses import FAILED_NODE, LEAVING, NO_NODE, PENDING, RUNNING
from .model import DRAINING, HEALTHY, NEVER_HEALTHY, UNHEALTHY, Desired, LoginNode, State, Target

MAY_LACK_ADDRESS = (PENDING, FAILED_NODE, LEAVING, NO_NODE)
"""Statuses of nodes that may have no address. If a node with any other status has no address, the list of addresses is incomplete,
because every target may belong to that node.
"""
GOES = (LEAVING, NO_NODE)
FAILED = "this run could not verify the node"

IN, HOLD, OUT = "in", "hold", "out"


@dataclass(frozen=True)
class Decision:
    """The decision about one address and port."""

    ip: str | None
    port: int
    decision: str
    reason: str
    instance_id: str | None = None
    health: str | None = None
    """None if the address is not registered."""
    withheld: bool = False
    """Whether the target stays only because the list of nodes is incomplete or because of ``minimum_healthy``."""
    health_reason: str = ""
    """AWS's reason for the state of the target."""
    former: bool = False
    """Whether this target is at a former port that its node still needs."""

    @property
    def serving(self) -> bool:
        return self.health is not None and self.health != DRAINING

    def to_result(self) -> dict[str, t.Any]:
        names = ("ip", "port", "instance_id", "decision", "reason", "health")
        return {name: getattr(self, name) for name in names}

    @property
    def subject(self) -> str:
        return " ".join(part for part in (self.ip, f"({self.instance_id})" if self.instance_id else "") if part)


def decide(desired: Desired, state: State) -> tuple[Decision, ...]:
    """One decision for each registered target and for each node of the login group."""
    if not desired.present:
        return tuple(_unwanted(target) for target in state.registered)
    owners = _owners(desired, state.nodes)
    targets = {(target.ip, target.port): target for target in state.registered}
    decisions = [_of_node(desired, node, targets.get((ip, desired.port))) for ip, node in owners.items()]
    decisions += [_without_address(desired, node) for node in state.nodes if node.ip is None]
    decisions += [
        _of_stranger(target, complete=is_complete(state)) for target in state.registered if target.ip not in owners
    ]
    decisions += [
        _at_another_port(desired, target, owners[target.ip], targets.get((target.ip, desired.port)))
        for target in state.registered
        if target.ip in owners and target.port != desired.port
    ]
    return _protected(desired, sorted(decisions, key=lambda each: (each.ip or "~", each.port)))


def is_complete(state: State) -> bool:
    return state.complete and all(node.ip or node.status in MAY_LACK_ADDRESS for node in state.nodes)


def all_unhealthy(state: State) -> bool:
    """Whether the load balancer fails open: if no target is healthy, it sends connections to all targets."""
    active = [target for target in state.registered if target.active]
    return bool(active) and all(target.health in UNHEALTHY for target in active)


def all_verified(desired: Desired, state: State) -> bool:
    """Whether every serving target is a verified node at the desired port, so the desired health check works for all."""
    return all(each.decision == IN for each in decide(desired, state) if each.serving)


def _owners(desired: Desired, nodes: tuple[LoginNode, ...]) -> dict[str, LoginNode]:
    """The node at each address. During a replacement, two nodes may have the same address; the running node counts."""

    def rank(node: LoginNode) -> tuple[bool, bool, bool]:
        return (node.status == RUNNING, node.status not in GOES, node.instance_id not in desired.verified)

    return {node.ip: node for node in sorted(nodes, key=rank) if node.ip is not None}


def _of_node(desired: Desired, node: LoginNode, target: Target | None) -> Decision:
    if node.instance_id in desired.drained:
        decision, reason = OUT, "the node is drained"
    elif node.status in GOES:
        decision, reason = OUT, f"the node is {node.status}"
    elif node.status != RUNNING:
        decision, reason = HOLD, f"the node is {node.status or 'in an unknown state'}"
    elif node.instance_id in desired.failed:
        decision, reason = OUT, FAILED
    elif node.instance_id in desired.verified:
        decision, reason = IN, "running and verified"
    else:
        decision, reason = HOLD, "the node is not verified yet"
    if target is None:
        return Decision(node.ip, desired.port, decision, reason, node.instance_id)
    health, health_reason = target.health, target.reason
    return Decision(node.ip, desired.port, decision, reason, node.instance_id, health, health_reason=health_reason)


def _unwanted(target: Target) -> Decision:
    return Decision(target.ip, target.port, OUT, "state is absent", health=target.health)


def _without_address(desired: Desired, node: LoginNode) -> Decision:
    return Decision(None, desired.port, HOLD, f"the node is {node.status} and has no address", node.instance_id)


def _of_stranger(target: Target, *, complete: bool) -> Decision:
    """A target that belongs to no known login node."""
    if complete:
        return Decision(target.ip, target.port, OUT, "no login node has this address", None, target.health)
    reason = "no login node has this address, but the list of nodes is incomplete"
    return Decision(target.ip, target.port, HOLD, reason, None, target.health, withheld=target.active)


def _at_another_port(desired: Desired, target: Target, node: LoginNode, wanted: Target | None) -> Decision:
    """A target of a login node at a former login port."""
    instance_id, health = node.instance_id, target.health
    if instance_id in desired.drained:
        return Decision(target.ip, target.port, OUT, "the node is drained", instance_id, health)
    if node.status in GOES:
        return Decision(target.ip, target.port, OUT, f"the node is {node.status}", instance_id, health)
    if node.status == RUNNING and node.instance_id in desired.failed:
        return Decision(target.ip, target.port, OUT, FAILED, instance_id, health)
    if not target.active or (wanted is not None and wanted.health in (HEALTHY, *NEVER_HEALTHY)):
        reason = f"the login port is {desired.port}"
        return Decision(target.ip, target.port, OUT, reason, instance_id, health)
    reason = f"the target stays until the node is healthy at port {desired.port}"
    return Decision(target.ip, target.port, HOLD, reason, instance_id, health, former=True)


def _protected(desired: Desired, decisions: list[Decision]) -> tuple[Decision, ...]:
    """Keep so many healthy targets that ``minimum_healthy`` existing nodes have one. Targets without a node are not kept."""
    healthy: dict[str, list[Decision]] = {}
    for each in decisions:
        if each.instance_id is not None and each.health == HEALTHY:
            healthy.setdefault(each.instance_id, []).append(each)
    remaining, kept = len(healthy), set()
    for instance_id, its in healthy.items():
        if any(each.decision != OUT for each in its):
            continue
        if remaining - 1 < desired.minimum_healthy:
            kept.add(instance_id)
        else:
            remaining -= 1
    return tuple(
        dataclasses.replace(
            each,
            decision=HOLD,
            reason=f"{each.reason}, but minimum_healthy is {desired.minimum_healthy}",
            withheld=True,
        )
        if each.instance_id in kept and each.decision == OUT and each.health == HEALTHY
        else each
        for each in decisions
    )
