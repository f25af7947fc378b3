# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tunnels in memory, for tests of the API only: tests connect clients."""

from __future__ import annotations

import dataclasses
import ipaddress
import threading
import typing as t

from cryptography import x509
from lab.vpn.view import ConnectionView, EndpointView

from .state import new_id, now


class MemoryTunnels:
    """Connections as records; revocation lists and resets have the same effect as in the lab."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.views: dict[str, EndpointView] = {}
        self.found: dict[str, list[ConnectionView]] = {}
        self.on_event: t.Callable[[str, dict[str, t.Any]], None] = lambda endpoint_id, event: None

    def connect(self, endpoint_id: str, common_name: str, serial: str = "0") -> ConnectionView | None:
        """Connect a client with this name and certificate (serial in hex); None if the revocation list refuses it.

        :raises KeyError: for an endpoint that accepts no clients.
        """
        with self.lock:
            view = self.views[endpoint_id]
            revoked = x509.load_pem_x509_crl(view.crl.encode()) if view.crl else None
            if revoked and revoked.get_revoked_certificate_by_serial_number(int(serial, 16)):
                self._report(endpoint_id, common_name, "failed")
                return None
            connections = self.found.setdefault(endpoint_id, [])
            address = str(ipaddress.ip_network(view.client_cidr)[2 + len(connections)])
            made = ConnectionView(new_id("connection"), common_name, address, now(), None, "active", 0, 0)
            connections.append(made)
            self._report(endpoint_id, common_name, "successful")
            return made

    def sync(self, view: EndpointView) -> None:
        with self.lock:
            before = self.views.get(view.endpoint_id)
            self.views[view.endpoint_id] = view
            if before is not None and before.resets != view.resets:
                self._end(view.endpoint_id, lambda one: True)

    def remove(self, endpoint_id: str) -> None:
        with self.lock:
            self.views.pop(endpoint_id, None)
            self._end(endpoint_id, lambda one: True)

    def connections(self, endpoint_id: str) -> list[ConnectionView]:
        with self.lock:
            return list(self.found.get(endpoint_id, []))

    def terminate(self, endpoint_id: str, connection_ids: list[str]) -> None:
        with self.lock:
            self._end(endpoint_id, lambda one: one.connection_id in connection_ids)

    def _end(self, endpoint_id: str, chosen: t.Callable[[ConnectionView], bool]) -> None:
        connections = self.found.get(endpoint_id, [])
        for number, one in enumerate(connections):
            if one.status == "active" and chosen(one):
                connections[number] = dataclasses.replace(one, status="terminated", ended=now())

    def _report(self, endpoint_id: str, common_name: str, how: str) -> None:
        line = {"connection-attempt-status": how, "common-name": common_name, "client-vpn-endpoint-id": endpoint_id}
        self.on_event(endpoint_id, line)
