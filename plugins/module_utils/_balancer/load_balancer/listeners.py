# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Listeners of a load balancer, matched by port: pure, no I/O."""

from __future__ import annotations

import dataclasses
import typing as t

from ..._core.failure import Refused
from ..._core.plan import KNOWN_AFTER_APPLY, Change, Step
from .model import DEFAULT_IDLE_TIMEOUT, Desired, Listener, LoadBalancer, WantedListener

TargetGroups = t.Mapping[str, t.Optional[str]]


def listener_plan(
    desired: Desired, target_groups: TargetGroups, found: LoadBalancer
) -> tuple[tuple[Listener, ...], tuple[Step, ...]]:
    """The listeners as they will be, and the steps that lead there."""
    if desired.listeners is None:
        return found.listeners, ()
    after: list[Listener] = []
    steps: list[Step] = []
    for wanted in desired.listeners:
        target = target_groups.get(wanted.target_group) or KNOWN_AFTER_APPLY
        have = found.listener(wanted.port)
        listener, needed = (
            _create(desired, found, wanted, target) if have is None else _update(desired, wanted, have, target)
        )
        after.append(listener)
        steps.extend(needed)
    ports = {wanted.port for wanted in desired.listeners}
    for listener in found.listeners:
        if listener.port in ports:
            continue
        if not desired.purge_listeners:
            after.append(listener)
            continue
        change = Change("delete", _resource(desired, listener.port), before=listener.to_result())
        steps.append(Step("DeleteListener", {"ListenerArn": listener.arn}, (change,)))
    return tuple(sorted(after, key=lambda listener: listener.port)), tuple(steps)


def refuse_missing_target_groups(desired: Desired, target_groups: TargetGroups) -> None:
    """Outside check mode a listener's target group must be there.

    :raises Refused: naming the port and the reference.
    """
    for wanted in desired.listeners or ():
        if target_groups.get(wanted.target_group) is None:
            raise Refused(f"listeners: port {wanted.port} forwards to {wanted.target_group}, which does not exist.")


def _create(
    desired: Desired, found: LoadBalancer, wanted: WantedListener, target: str
) -> tuple[Listener, tuple[Step, ...]]:
    timeout = wanted.idle_timeout or DEFAULT_IDLE_TIMEOUT
    listener = Listener(KNOWN_AFTER_APPLY, wanted.port, "TCP", target, timeout)
    summary = {"protocol": "TCP", "target_group": wanted.target_group, "tcp_idle_timeout": timeout}
    arguments = {
        "LoadBalancerArn": found.arn,
        "Protocol": "TCP",
        "Port": wanted.port,
        "DefaultActions": _forward(target),
    }
    steps = [Step("CreateListener", arguments, (Change("create", _resource(desired, wanted.port), after=summary),))]
    if timeout != DEFAULT_IDLE_TIMEOUT:
        steps.append(_timeout_step(desired, KNOWN_AFTER_APPLY, wanted, DEFAULT_IDLE_TIMEOUT))
    return listener, tuple(steps)


def _update(desired: Desired, wanted: WantedListener, have: Listener, target: str) -> tuple[Listener, tuple[Step, ...]]:
    steps = []
    changes = []
    if have.protocol != "TCP":
        changes.append(Change("update", _resource(desired, have.port), "protocol", have.protocol, "TCP"))
    if have.target_group_arn != target:
        changes.append(
            Change("update", _resource(desired, have.port), "target_group_arn", have.target_group_arn, target)
        )
    if changes:
        arguments = {"ListenerArn": have.arn, "Protocol": "TCP", "DefaultActions": _forward(target)}
        steps.append(Step("ModifyListener", arguments, tuple(changes)))
    if wanted.idle_timeout is not None and wanted.idle_timeout != have.idle_timeout:
        steps.append(_timeout_step(desired, have.arn, wanted, have.idle_timeout))
    timeout = have.idle_timeout if wanted.idle_timeout is None else wanted.idle_timeout
    after = dataclasses.replace(have, protocol="TCP", target_group_arn=target, idle_timeout=timeout)
    return after, tuple(steps)


def _timeout_step(desired: Desired, arn: str, wanted: WantedListener, before: int | None) -> Step:
    change = Change("update", _resource(desired, wanted.port), "tcp_idle_timeout", before, wanted.idle_timeout)
    attribute = {"Key": "tcp.idle_timeout.seconds", "Value": str(wanted.idle_timeout)}
    return Step("ModifyListenerAttributes", {"ListenerArn": arn, "Attributes": [attribute]}, (change,))


def _forward(target_group_arn: str) -> list[dict[str, str]]:
    return [{"Type": "forward", "TargetGroupArn": target_group_arn}]


def _resource(desired: Desired, port: int) -> str:
    return f"listener {desired.name}:{port}"
