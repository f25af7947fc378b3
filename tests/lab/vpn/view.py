# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API says about a Client VPN endpoint, for the process that carries its tunnels, and what that tells back."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass


@dataclass(frozen=True)
class EndpointView:
    """An endpoint with at least one associated subnet."""

    endpoint_id: str
    dns_name: str
    """Without the ``*.`` in front: every label below it means the endpoint."""
    vpc_id: str
    server_certificate: str
    """PEM, like the three that follow."""
    server_key: str
    server_chain: str
    """Empty when the certificate was imported without one."""
    client_ca: str | None
    """Certificates that clients' certificates are judged by; None where the endpoint asks for no certificate."""
    client_cidr: str
    transport: str
    """``udp`` or ``tcp``."""
    port: int
    split_tunnel: bool
    dns_servers: tuple[str, ...]
    interfaces: tuple[tuple[str, int], ...]
    """Address and prefix length of each interface, one an associated subnet."""
    routes: tuple[str, ...]
    """Active routes, pushed to clients where the tunnel is split."""
    allowed: tuple[str, ...]
    """Networks of the active authorization rules."""
    crl: str | None
    resets: int
    """Grows when AWS ends all connections: an imported CRL, and changed routes or DNS servers of a split tunnel."""


@dataclass(frozen=True)
class ConnectionView:
    """A client's connection, as DescribeClientVpnConnections shows it."""

    connection_id: str
    common_name: str
    client_ip: str
    established: str
    """ISO 8601 in UTC, as is ``ended``."""
    ended: str | None
    status: t.Literal["active", "terminated"]
    ingress_bytes: int
    egress_bytes: int


class Tunnels(t.Protocol):
    """Who carries the tunnels: OpenVPN in the lab, memory in tests of the API alone."""

    on_event: t.Callable[[str, dict[str, t.Any]], None]
    """Set by the API's side; to be called with the endpoint's id and a line of its connection log."""

    def sync(self, view: EndpointView) -> None:
        """Follow the view; called again and again, also without any change."""

    def remove(self, endpoint_id: str) -> None:
        """End all connections and forget the endpoint; one that is unknown is fine."""

    def connections(self, endpoint_id: str) -> list[ConnectionView]:
        """Active connections and those that ended in the last hour, the oldest first."""

    def terminate(self, endpoint_id: str, connection_ids: list[str]) -> None:
        """End connections; their clients may connect anew."""
