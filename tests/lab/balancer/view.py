# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Input and output of a load balancer's data path: plain values exchanged with the simulated API."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass


@dataclass(frozen=True)
class TargetView:
    """A target for the data path. ``open`` and ``probe_open``: the security groups allow the load balancer."""

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
    """Targets and their health checks. Seconds are scaled to those of the lab."""

    arn: str
    targets: tuple[TargetView, ...] = ()
    interval: float = 0.5
    rise: int = 2
    fall: int = 2
    cut_unhealthy: bool = True
    """Whether sessions end when their target becomes unhealthy."""
    cut_deregistered: bool = False
    """Whether sessions end after the deregistration delay."""


@dataclass(frozen=True)
class ListenerView:
    """A listener; ``clients`` are the networks that the security groups allow, None for all."""

    arn: str
    port: int
    target_group: TargetGroupView
    idle_timeout: float = 350
    clients: tuple[str, ...] | None = None


@dataclass(frozen=True)
class LoadBalancerView:
    """A load balancer with an (address, prefix length) for each subnet."""

    arn: str
    name: str
    dns_name: str
    vpc_id: str
    addresses: tuple[tuple[str, int], ...]
    listeners: tuple[ListenerView, ...] = ()


@dataclass(frozen=True)
class Health:
    """``initial``, ``healthy`` or ``unhealthy``; ``timeout``: no reply, unlike a refused connection."""

    state: str
    timeout: bool = False


HealthByTarget = t.Mapping[tuple[str, int], Health]


class DataPath(t.Protocol):
    """The data path: haproxy in the lab, memory in tests of the API only."""

    def sync(self, view: LoadBalancerView) -> None:
        """Apply the view; called repeatedly, even without a change."""

    def remove(self, arn: str) -> None:
        """Remove a load balancer."""

    def health(self, arn: str, target_group_arn: str) -> HealthByTarget:
        """Health of the targets of a group for this load balancer."""
