# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Plans the listeners of a load balancer. Listeners are matched by port. No I/O."""

from __future__ import annotations

import dataclasses
import typing as t

from ..._core.failure import refuse_option
from ..._core.plan import KNOWN_AFTER_APPLY, Change, Step
from .model import DEFAULT_IDLE_TIMEOUT, Desired, DesiredListener, Listener, LoadBalancer

TargetGroups = t.Mapping[str, t.Optional[str]]


def listener_steps(desired: Desired, target_groups: TargetGroups, found: LoadBalancer) -> t.Iterator[Step]:
    """The steps from the existing to the desired listeners."""
    for wanted in desired.listeners or ():
        target = target_groups.get(wanted.target_group) or KNOWN_AFTER_APPLY
        have = found.listener(wanted.port)
        if have is None:
            yield from _creation(desired, found, wanted, target)
        else:
            yield from _update(desired, wanted, have, target)
    if desired.listeners is not None and desired.purge_listeners:
        ports = {wanted.port for wanted in desired.listeners}
        yield from (deletion(desired, listener) for listener in found.listeners if listener.port not in ports)


def deletion(desired: Desired, listener: Listener) -> Step:
    change = Change("delete", _resource(desired, listener.port), before=listener.to_result())
    return Step(
        "DeleteListener",
        {"ListenerArn": listener.arn},
        (change,),
        lambda state: state.with_listener(listener.port, None),
    )


def refuse_missing_target_groups(desired: Desired, target_groups: TargetGroups) -> None:
    """Refuse a listener whose target group does not exist. In check mode this is not called.

    :raises Refused: with the port and the target group.
    """
    for wanted in desired.listeners or ():
        if target_groups.get(wanted.target_group) is None:
            why = f"port {wanted.port} forwards to this target group, which does not exist"
            refuse_option("listeners", wanted.target_group, "target groups that exist", why)


def _creation(desired: Desired, found: LoadBalancer, wanted: DesiredListener, target: str) -> t.Iterator[Step]:
    timeout = wanted.idle_timeout or DEFAULT_IDLE_TIMEOUT
    created = Listener(KNOWN_AFTER_APPLY, wanted.port, "TCP", target, DEFAULT_IDLE_TIMEOUT)
    summary = {"protocol": "TCP", "target_group": wanted.target_group, "tcp_idle_timeout": timeout}
    arguments = {
        "LoadBalancerArn": found.arn,
        "Protocol": "TCP",
        "Port": wanted.port,
        "DefaultActions": _forward(target),
    }
    changes = (Change("create", _resource(desired, wanted.port), after=summary),)
    yield Step("CreateListener", arguments, changes, lambda state: state.with_listener(wanted.port, created))
    if timeout != DEFAULT_IDLE_TIMEOUT:
        yield _timeout_step(desired, created, timeout)


def _update(desired: Desired, wanted: DesiredListener, have: Listener, target: str) -> t.Iterator[Step]:
    forwarding = dataclasses.replace(have, protocol="TCP", target_group_arn=target)
    changes = tuple(
        Change("update", _resource(desired, have.port), name, getattr(have, name), getattr(forwarding, name))
        for name in ("protocol", "target_group_arn")
        if getattr(have, name) != getattr(forwarding, name)
    )
    if changes:
        arguments = {"ListenerArn": have.arn, "Protocol": "TCP", "DefaultActions": _forward(target)}
        yield Step("ModifyListener", arguments, changes, lambda state: state.with_listener(have.port, forwarding))
    if wanted.idle_timeout is not None and wanted.idle_timeout != have.idle_timeout:
        yield _timeout_step(desired, forwarding, wanted.idle_timeout)


def _timeout_step(desired: Desired, listener: Listener, timeout: int) -> Step:
    change = Change("update", _resource(desired, listener.port), "tcp_idle_timeout", listener.idle_timeout, timeout)
    attribute = {"Key": "tcp.idle_timeout.seconds", "Value": str(timeout)}
    after = dataclasses.replace(listener, idle_timeout=timeout)
    return Step(
        "ModifyListenerAttributes",
        {"ListenerArn": listener.arn, "Attributes": [attribute]},
        (change,),
        lambda state: state.with_listener(listener.port, after),
    )


def _forward(target_group_arn: str) -> list[dict[str, str]]:
    return [{"Type": "forward", "TargetGroupArn": target_group_arn}]


def _resource(desired: Desired, port: int) -> str:
    return f"listener {desired.name}:{port}"
