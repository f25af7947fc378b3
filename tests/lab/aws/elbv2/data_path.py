# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Views of the simulated API's state for the data path."""

from __future__ import annotations

import typing as t

from lab.balancer.view import ListenerView, LoadBalancerView, TargetGroupView, TargetView
from lab.net import security
from lab.net.security import Endpoint

from . import attributes, interfaces
from .resources import Listener, LoadBalancer, Target, TargetGroup


def load_balancer(backend: t.Any, balancer: LoadBalancer, settings: dict[str, t.Any]) -> LoadBalancerView:
    """The view of a load balancer; the caller must hold the backend's lock."""
    addresses = tuple(zone.address for zone in balancer.zones)
    groups = interfaces.groups_of(backend.ec2, balancer.security_groups) if balancer.security_groups else None
    itself = Endpoint(addresses, groups)
    return LoadBalancerView(
        arn=balancer.arn,
        name=balancer.name,
        dns_name=balancer.dns_name,
        vpc_id=balancer.vpc_id,
        addresses=tuple((zone.address, zone.prefix_length) for zone in balancer.zones),
        listeners=tuple(
            _listener(backend, balancer, itself, listener, settings) for listener in balancer.listeners.values()
        ),
    )


def _listener(
    backend: t.Any, balancer: LoadBalancer, itself: Endpoint, listener: Listener, settings: dict[str, t.Any]
) -> ListenerView:
    clients = security.client_networks(
        itself, listener.port, lambda group: interfaces.members(backend.ec2, balancer.vpc_id, group)
    )
    return ListenerView(
        arn=listener.arn,
        port=listener.port,
        target_group=_group(backend, balancer, itself, backend.group(listener.target_group_arn), settings),
        idle_timeout=int(listener.attributes["tcp.idle_timeout.seconds"]) * settings["idle_timeout_scale"],
        clients=clients,
    )


def _group(
    backend: t.Any, balancer: LoadBalancer, itself: Endpoint, group: TargetGroup, settings: dict[str, t.Any]
) -> TargetGroupView:
    zones = {"all", *(zone.name for zone in balancer.zones)}
    return TargetGroupView(
        arn=group.arn,
        targets=tuple(
            _target(backend, itself, group, target)
            for target in group.targets.values()
            if target.zone in zones and not target.registering
        ),
        interval=group.health["HealthCheckIntervalSeconds"] * settings["health_check_scale"],
        rise=group.health["HealthyThresholdCount"],
        fall=group.health["UnhealthyThresholdCount"],
        cut_unhealthy=group.attributes[attributes.UNHEALTHY_TERMINATION] == "true",
        cut_deregistered=group.attributes["deregistration_delay.connection_termination.enabled"] == "true",
    )


def _target(backend: t.Any, itself: Endpoint, group: TargetGroup, target: Target) -> TargetView:
    there = interfaces.target_endpoint(backend.ec2, group.vpc_id, target.ip)
    probe_port = group.health_port(target.port)
    return TargetView(
        ip=target.ip,
        port=target.port,
        probe_port=probe_port,
        draining=target.draining and not target.routed,
        open=security.passes(itself, there, target.port),
        probe_open=security.passes(itself, there, probe_port),
    )
