# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tunnels of simulated Client VPN endpoints: a network namespace with an OpenVPN server for each.

The namespace has an interface in the VPC, with an address for each associated subnet, and one in the lab's internet, with
the address of the endpoint's name. Routes and authorization rules are a packet filter in it; source NAT is AWS's.

Differences from AWS: a client reaches the VPC through an interface chosen by its address, not by its location; a renewed
server certificate ends all tunnels, because OpenVPN reads it only on start; packets are not counted; sessions have no
timeout; clients without a certificate (a directory, SAML) are not supported; addresses pushed as DNS servers do not
reply.
"""

from __future__ import annotations

import ipaddress
import itertools
import queue
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.names import LabError
from lab.net import internet
from lab.net.network import forward, in_namespace, ip_batch
from lab.vpn.configuration import INSIDE, OUTSIDE, packet_filter, server_files
from lab.vpn.connections import Connections
from lab.vpn.openvpn import OpenVpn
from lab.vpn.view import ConnectionView, EndpointView

Event = dict[str, Any]


@dataclass
class _Endpoint:
    netns: str
    connections: Connections
    address: str = ""
    view: EndpointView | None = None
    interfaces: tuple[tuple[str, int], ...] = ()
    rules: str = ""
    process: int = 0
    server: OpenVpn | None = None
    resets: int = 0

    def serves(self, files: Mapping[str, str], resets: int) -> bool:
        """Whether the running process has these files."""
        server = self.server
        return server is not None and server.running and server.files == files and self.resets == resets


class VpnServers:
    """Thread-safe. ``paths`` are those of the lab; ``network`` creates namespaces, connects them to VPCs and publishes names."""

    def __init__(self, paths: Any, network: Any) -> None:
        self.paths = paths
        self.network = network
        self.on_event: Callable[[str, Event], None] = lambda endpoint_id, event: None
        self._lock = threading.RLock()
        self._endpoints: dict[str, _Endpoint] = {}
        self._numbers = itertools.count(1)
        self._events: queue.SimpleQueue[tuple[str, Event]] = queue.SimpleQueue()
        # Callbacks run in a separate thread, because they may wait for a lock whose holder waits for a process here.
        threading.Thread(target=self._deliver, name="vpn-log", daemon=True).start()

    def sync(self, view: EndpointView) -> None:
        """Apply the view; without a change nothing happens. The next call completes a failed one."""
        with self._lock:
            endpoint = self._endpoints.get(view.endpoint_id) or self._new(view.endpoint_id)
            if endpoint.view == view and (endpoint.server is None or endpoint.server.running):
                return
            endpoint.view = None
            self._place(endpoint, view)
            self._filter(endpoint, view)
            self._serve(endpoint, view)
            endpoint.view = view

    def remove(self, endpoint_id: str) -> None:
        """End all tunnels of an endpoint and withdraw its name; unknown endpoints are ignored."""
        with self._lock:
            endpoint = self._endpoints.get(endpoint_id)
            if endpoint is None:
                return
            if endpoint.server is not None:
                endpoint.server.stop()
            if endpoint.view is not None:
                self.network.publish(f"*.{endpoint.view.dns_name}", [])
            self.network.detach(endpoint.netns)
            del self._endpoints[endpoint_id]

    def connections(self, endpoint_id: str) -> list[ConnectionView]:
        """Active connections and those that ended in the last hour, the oldest first."""
        endpoint = self._endpoints.get(endpoint_id)
        return endpoint.connections.views() if endpoint else []

    def terminate(self, endpoint_id: str, connection_ids: list[str]) -> None:
        """End connections and tell their clients to reconnect, which a valid certificate allows."""
        with self._lock:
            endpoint = self._endpoints.get(endpoint_id)
            if endpoint is not None and endpoint.server is not None:
                for number in endpoint.connections.active(endpoint.process, connection_ids):
                    endpoint.server.kill_client(number)

    def close(self) -> None:
        """Remove everything."""
        for endpoint_id in list(self._endpoints):
            self.remove(endpoint_id)

    def _new(self, endpoint_id: str) -> _Endpoint:
        connections = Connections(lambda event: self._events.put((endpoint_id, event)))
        self._endpoints[endpoint_id] = endpoint = _Endpoint(f"vpn-{endpoint_id[-8:]}", connections)
        return endpoint

    def _place(self, endpoint: _Endpoint, view: EndpointView) -> None:
        if not endpoint.address:
            internet.ensure(self.paths)
            address = self._free_address()
            self.network.detach(endpoint.netns)  # leftovers of a failed attempt
            self.network.attach(endpoint.netns, view.vpc_id, list(view.interfaces), INSIDE)
            endpoint.interfaces = view.interfaces
            internet.attach(endpoint.netns, address, OUTSIDE)
            forward(endpoint.netns)
            endpoint.address = address
        fresh = [one for one in view.interfaces if one not in endpoint.interfaces]
        gone = [one for one in endpoint.interfaces if one not in view.interfaces]
        ip_batch([f"address add {address}/{prefix} dev {INSIDE}" for address, prefix in fresh], endpoint.netns)
        ip_batch([f"address delete {address}/{prefix} dev {INSIDE}" for address, prefix in gone], endpoint.netns)
        endpoint.interfaces = view.interfaces
        self.network.publish(f"*.{view.dns_name}", [endpoint.address])

    def _free_address(self) -> str:
        used = {endpoint.address for endpoint in self._endpoints.values()}
        for address in ipaddress.ip_network(internet.SERVERS).hosts():
            if str(address) not in used:
                return str(address)
        raise LabError(f"no address in {internet.SERVERS} is left for another Client VPN endpoint")

    def _filter(self, endpoint: _Endpoint, view: EndpointView) -> None:
        rules = packet_filter(view)
        if endpoint.rules != rules:
            nft = ["chroot", str(self.paths.rootfs), "/usr/sbin/nft", "-f", "-"]
            in_namespace(endpoint.netns, nft, rules)
            endpoint.rules = rules

    def _serve(self, endpoint: _Endpoint, view: EndpointView) -> None:
        files = server_files(view, endpoint.address)
        if endpoint.serves(files, view.resets):
            return
        if endpoint.server is not None:
            endpoint.server.stop()
            endpoint.server = None
        endpoint.resets = view.resets
        if view.client_ca is not None:
            endpoint.server = self._start(endpoint, view, files)

    def _start(self, endpoint: _Endpoint, view: EndpointView, files: Mapping[str, str]) -> OpenVpn:
        endpoint.process = process = next(self._numbers)
        return OpenVpn(
            folder=Path(self.paths.state, "vpn", f"{view.endpoint_id}-{process}"),
            image=Path(self.paths.rootfs),
            netns=endpoint.netns,
            files=files,
            notify=lambda event, number, variables: endpoint.connections.notice(
                view, process, event, number, variables
            ),
        )

    def _deliver(self) -> None:
        while True:
            endpoint_id, event = self._events.get()
            self.on_event(endpoint_id, event)
