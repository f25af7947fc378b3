# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Plans one call for all removals, one for all registrations, and one for each node that leaves a former port. No I/O."""

from __future__ import annotations

import typing as t

from ..._core.plan import KNOWN_AFTER_APPLY, Change, Effect, Plan, Step
from .decision import IN, OUT, Decision, decide
from .model import DRAINING, INITIAL, Desired, State, Target

LEAVE_FORMER_PORT = "DeregisterTargets, once healthy at the port"
"""The operation of a step that first waits until the node is healthy at the desired port."""


def plan(desired: Desired, state: State) -> Plan:
    """Targets are removed first, so that between the two calls no unwanted address gets logins.

    The removals from former ports come last, in one step for each node, so that no node waits for a different node.
    """
    decisions = decide(desired, state)
    leaving = [each for each in decisions if each.decision == OUT and each.serving]
    steps = [_step(desired, state, "DeregisterTargets", leaving)] if leaving else []
    if desired.phase != "deregister":
        steps += _reconciliation(desired, state, decisions)
    return Plan(tuple(steps))


def _reconciliation(desired: Desired, state: State, decisions: t.Sequence[Decision]) -> t.Iterator[Step]:
    wanted = [each for each in decisions if each.decision == IN]
    joining = [each for each in wanted if not each.serving]
    if joining:
        yield _step(desired, state, "RegisterTargets", joining)
    moving = {each.instance_id for each in wanted}
    for each in decisions:
        if each.former and each.instance_id in moving:
            yield _step(desired, state, LEAVE_FORMER_PORT, [each])


def _step(desired: Desired, state: State, operation: str, decisions: t.Sequence[Decision]) -> Step:
    arguments = {
        "TargetGroupArn": state.target_group_arn or KNOWN_AFTER_APPLY,
        "Targets": [{"Id": each.ip, "Port": each.port} for each in decisions],
    }
    action, health = ("create", INITIAL) if operation == "RegisterTargets" else ("delete", DRAINING)
    changes = tuple(_change(desired, action, each) for each in decisions)
    return Step(operation, arguments, changes, _become(health, decisions))


def _change(desired: Desired, action: str, each: Decision) -> Change:
    name = f"target {each.ip}:{each.port} of {desired.resource}"
    if action == "delete":
        reason = f"the login port is {desired.port}" if each.former else each.reason
        return Change(action, name, before=each.health, after=reason)
    return Change(action, name, before=each.health, after=each.instance_id)


def _become(health: str, decisions: t.Sequence[Decision]) -> Effect:
    targets = [Target(each.ip, each.port, health) for each in decisions if each.ip is not None]
    return lambda state: state.with_targets(targets)
