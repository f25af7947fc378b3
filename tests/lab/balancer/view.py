# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a balancer is told and what it tells: plain values between the simulated API and the data path."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass


@dataclass(frozen=True)
class TargetView:
    """A target as the data path sees it. ``open`` and ``probe_open``: the security groups let the balancer through."""

    ip: str
    port: int
    probe_port: int
    draining: bool = False
    open: bool = True
    probe_open: bool = True

    @property
    def key(self) -> tuple[str, int]:
        return (self.ip, self.port)


@dataclass(frozen=True)
class TargetGroupView:
    """Targets and how they are probed. Seconds are those of the lab, already scaled."""

    arn: str
    targets: tuple[TargetView, ...] = ()
    interval: float = 0.5
    rise: int = 2
    fall: int = 2
    cut_unhealthy: bool = True
    """Sessions end when their target turns unhealthy."""
    cut_deregistered: bool = False
    """Sessions end when the deregistration delay is over."""


@dataclass(frozen=True)
class ListenerView:
    """A listener; ``clients`` are the networks that the security groups let in, None for everybody."""

    arn: str
    port: int
    target_group: TargetGroupView
    idle_timeout: float = 350
    clients: tuple[str, ...] | None = None


@dataclass(frozen=True)
class LoadBalancerView:
    """A load balancer with one (address, prefix length) a subnet."""

    arn: str
    name: str
    dns_name: str
    vpc_id: str
    addresses: tuple[tuple[str, int], ...]
    listeners: tuple[ListenerView, ...] = ()


@dataclass(frozen=True)
class Health:
    """``initial``, ``healthy`` or ``unhealthy``; ``timeout`` tells silence from a refused connection."""

    state: str
    timeout: bool = False


HealthByTarget = t.Mapping[tuple[str, int], Health]


class DataPath(t.Protocol):
    """What carries the traffic: haproxy in the lab, memory in tests of the API alone."""

    def sync(self, view: LoadBalancerView) -> None:
        """Follow the view; called again and again, also without any change."""

    def remove(self, arn: str) -> None:
        """Forget a load balancer."""

    def health(self, arn: str, target_group_arn: str) -> HealthByTarget:
        """Health of the targets of a group, as this load balancer sees them."""
