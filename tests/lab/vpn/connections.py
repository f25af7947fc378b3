# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Active and ended connections of an endpoint, from events of its OpenVPN processes. Thread-safe."""

from __future__ import annotations

import datetime
import secrets
import threading
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from lab.vpn.view import ConnectionView, EndpointView

KEPT = datetime.timedelta(hours=1)  # how long DescribeClientVpnConnections shows ended ones


@dataclass
class _Client:
    process: int
    number: str  # of the process
    connection: ConnectionView
    variables: Mapping[str, str]


class Connections:
    """Connections of an endpoint. ``report`` gets the lines of the connection log and must not block."""

    def __init__(self, report: Callable[[dict[str, Any]], None]) -> None:
        self._report = report
        self._lock = threading.Lock()
        self._clients: list[_Client] = []

    def notice(
        self, view: EndpointView, process: int, event: str, number: str, variables: Mapping[str, str]
    ) -> None:
        """Handle an event of a process that serves ``view`` (lab/vpn/openvpn.py)."""
        with self._lock:
            if event == "ESTABLISHED":
                self._begin(view, process, number, variables)
                return
            for client in self._clients:
                if (client.process, client.number, client.connection.ended) == (process, number, None):
                    self._follow(view, client, event, variables)

    def views(self) -> list[ConnectionView]:
        """Active connections and those that ended in the last hour, the oldest first."""
        begin = (_now() - KEPT).isoformat()
        with self._lock:
            self._clients = [each for each in self._clients if (each.connection.ended or begin) >= begin]
            return [client.connection for client in self._clients]

    def active(self, process: int, connection_ids: Collection[str]) -> list[str]:
        """Client numbers of the process for the active ones of these connections."""
        with self._lock:
            return [
                client.number
                for client in self._clients
                if client.process == process
                and client.connection.status == "active"
                and client.connection.connection_id in connection_ids
            ]

    def _begin(self, view: EndpointView, process: int, number: str, variables: Mapping[str, str]) -> None:
        now = _now()
        connection = ConnectionView(
            connection_id=f"cvpn-connection-{secrets.token_hex(9)[:17]}",
            common_name=variables.get("common_name", ""),
            client_ip=variables.get("ifconfig_pool_remote_ip", ""),
            established=now.isoformat(),
            ended=None,
            status="active",
            ingress_bytes=0,
            egress_bytes=0,
        )
        client = _Client(process, number, connection, variables)
        self._clients.append(client)
        self._report(_log_line("connection-attempt", view, connection, variables, now=now))

    def _follow(self, view: EndpointView, client: _Client, event: str, variables: Mapping[str, str]) -> None:
        received = variables.get("bytes_received", client.connection.ingress_bytes)
        sent = variables.get("bytes_sent", client.connection.egress_bytes)
        changes: dict[str, Any] = {"ingress_bytes": int(received), "egress_bytes": int(sent)}
        now = _now()
        if event == "DISCONNECT":
            changes |= {"ended": now.isoformat(), "status": "terminated"}
        client.connection = replace(client.connection, **changes)
        if event == "DISCONNECT":
            self._report(_log_line("connection-reset", view, client.connection, client.variables, now=now))


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)


def _log_line(
    kind: str, view: EndpointView, connection: ConnectionView, client: Mapping[str, str], *, now: datetime.datetime
) -> dict[str, str]:
    """A line of the connection log; ``kind`` is connection-attempt or connection-reset.

    AWS writes a line when a client has connected and one when it has disconnected, but none for a refused certificate.
    """
    attempt = kind == "connection-attempt"
    return {
        "connection-log-type": kind,
        "connection-attempt-status": "successful" if attempt else "NA",
        "connection-reset-status": "NA",
        "connection-attempt-failure-reason": "NA",
        "connection-id": connection.connection_id,
        "client-vpn-endpoint-id": view.endpoint_id,
        "transport-protocol": view.transport,
        "connection-start-time": _log_time(connection.established),
        "connection-last-update-time": f"{now:%Y-%m-%d %H:%M:%S}",
        "client-ip": connection.client_ip,
        "common-name": connection.common_name,
        "device-type": client.get("IV_PLAT", "unknown"),
        "device-ip": client.get("trusted_ip", "NA"),
        "port": client.get("trusted_port", "NA"),
        "ingress-bytes": str(connection.ingress_bytes),
        "egress-bytes": str(connection.egress_bytes),
        "ingress-packets": "0",
        "egress-packets": "0",
        "connection-end-time": _log_time(connection.ended) if connection.ended else "NA",
        "username": "N/A",
    }


def _log_time(moment: str) -> str:
    """ISO 8601 in the format of the connection log."""
    return f"{datetime.datetime.fromisoformat(moment):%Y-%m-%d %H:%M:%S}"
