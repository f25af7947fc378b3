# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Data of a Client VPN endpoint exchanged between the API and the process with its tunnels."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass


@dataclass(frozen=True)
class EndpointView:
    """An endpoint with at least one associated subnet."""

    endpoint_id: str
    dns_name: str
    """Without the leading ``*.``: every label below it resolves to the endpoint."""
    vpc_id: str
    server_certificate: str
    """PEM, as are the next three."""
    server_key: str
    server_chain: str
    """Empty if the certificate was imported without one."""
    client_ca: str | None
    """Certificates that verify those of clients; None if the endpoint uses no client certificates."""
    client_cidr: str
    transport: str
    """``udp`` or ``tcp``."""
    port: int
    split_tunnel: bool
    dns_servers: tuple[str, ...]
    interfaces: tuple[tuple[str, int], ...]
    """Address and prefix length of each interface, one for each associated subnet."""
    routes: tuple[str, ...]
    """Active routes, pushed to clients if the tunnel is split."""
    allowed: tuple[str, ...]
    """Networks of the active authorization rules."""
    crl: str | None
    resets: int
    """Increases when AWS ends all connections: for an imported CRL, and changed routes or DNS servers of a split tunnel."""


@dataclass(frozen=True)
class ConnectionView:
    """A client's connection in DescribeClientVpnConnections."""

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
    """The tunnels: OpenVPN in the lab, memory in tests of the API only."""

    on_event: t.Callable[[str, dict[str, t.Any]], None]
    """Set by the API; called with the endpoint's ID and a line of its connection log."""

    def sync(self, view: EndpointView) -> None:
        """Apply the view; called repeatedly, even without a change."""

    def remove(self, endpoint_id: str) -> None:
        """End all connections and remove the endpoint; unknown endpoints are ignored."""

    def connections(self, endpoint_id: str) -> list[ConnectionView]:
        """Active connections and those that ended in the last hour, the oldest first."""

    def terminate(self, endpoint_id: str, connection_ids: list[str]) -> None:
        """End connections; their clients may reconnect."""
