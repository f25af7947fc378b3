# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Let the servers of a haproxy follow the targets of a target group, without a reload."""

from __future__ import annotations

import time
from dataclasses import dataclass

from lab.balancer.haproxy import Haproxy, HaproxyError
from lab.balancer.view import Health, TargetGroupView, TargetView

Key = tuple[str, int]
BACKENDS = ("checked", "open")


@dataclass
class Server:
    """A target with a set of health check settings, because haproxy cannot change those of a running server."""

    name: str
    key: Key
    probing: tuple[int, float, int, int]
    added: float
    state: str = "initial"
    timeout: bool = False
    draining: bool = False
    probe_open: bool = True
    leaving: bool = False


class Servers:
    """A new server starts as down in ``checked`` and closed in ``open``: a target gets no sessions before its checks.

    A draining server keeps its sessions and gets no new ones. A removed target's server stays, hidden, until its last
    session ends.
    """

    def __init__(self, haproxy: Haproxy) -> None:
        self.haproxy = haproxy
        self.servers: dict[str, Server] = {}
        self.group = TargetGroupView(arn="")
        self.count = 0

    def follow(self, group: TargetGroupView) -> None:
        """Apply targets and settings."""
        targets = {target.key: target for target in group.targets}
        known: dict[Key, Server] = {}
        for server in self._present():
            target = targets.get(server.key) if group.arn == self.group.arn else None
            if target is not None and server.probing == _probing(group, target):
                known[server.key] = server
            else:
                if target is not None:
                    self._add(group, target, state=server.state)
                    known[server.key] = self._present()[-1]
                self._leave(server, cut=target is None and self.group.cut_deregistered)
        self.group = group
        for key, target in targets.items():
            if key not in known:
                self._add(group, target)
                known[key] = self._present()[-1]
            server = known[key]
            server.probe_open = target.probe_open
            if server.draining != target.draining:
                server.draining = target.draining
                self._admit(server)

    def preset(self, states: dict[Key, str]) -> None:
        """Start with the health from another process, so that a handover causes no outage."""
        for server in self._present():
            if states.get(server.key, "initial") != "initial":
                server.state = states[server.key]
                self.haproxy.order(f"set server checked/{server.name} health {_haproxy_state(server.state)}")
                self._admit(server)

    def health(self) -> dict[Key, Health]:
        return {
            server.key: Health(server.state, timeout=server.timeout or not server.probe_open)
            for server in self._present()
        }

    def poll(self) -> None:
        """Read the results of health checks, and remove servers whose sessions have ended."""
        statistics = self.haproxy.statistics()
        for server in list(self.servers.values()):
            row = statistics.get(("checked", server.name))
            if row is None:
                continue
            if server.leaving:
                rows = [statistics[(backend, server.name)] for backend in BACKENDS]
                if all(row["scur"] == "0" for row in rows):
                    self._forget(server)
                continue
            self._judge(server, row["status"], row["check_status"].lstrip("* "))

    def _judge(self, server: Server, status: str, check: str) -> None:
        if check == "INI":
            return  # not checked yet: the result of its predecessor is used
        _port, interval, _rise, fall = server.probing
        if status.startswith(("UP", "DRAIN")):
            state = "healthy"
        elif server.state != "initial" or time.monotonic() - server.added > fall * interval:
            state = "unhealthy"
        else:
            return
        server.timeout = check == "L4TOUT"
        if state == server.state:
            return
        was, server.state = server.state, state
        self._admit(server)
        if was == "healthy" and self.group.cut_unhealthy:
            self._cut(server.key)

    def _present(self) -> list[Server]:
        return [server for server in self.servers.values() if not server.leaving]

    def _add(self, group: TargetGroupView, target: TargetView, state: str = "initial") -> None:
        self.count += 1
        name = f"{target.ip}_{target.port}_{self.count}"
        port, interval, rise, fall = probing = _probing(group, target)
        address = f"{target.ip}:{target.port}"
        milliseconds = max(1, round(interval * 1000))
        self.haproxy.order(
            f"add server checked/{name} {address} check port {port} inter {milliseconds} fall {fall} rise {rise}",
            f"add server open/{name} {address}",
            # A server that leaves maintenance would be up; its health can be set to down only after maintenance.
            f"set server checked/{name} state drain",
            f"set server checked/{name} health {_haproxy_state(state)}",
            f"enable health checked/{name}",
        )
        server = Server(name, target.key, probing, time.monotonic(), state, draining=target.draining)
        self.servers[name] = server
        self._admit(server)

    def _admit(self, server: Server) -> None:
        """Set which backends may send new sessions to the server."""
        checked = "drain" if server.draining else "ready"
        unchecked = "drain" if server.draining or server.state == "initial" else "ready"
        self.haproxy.order(
            f"set server checked/{server.name} state {checked}", f"set server open/{server.name} state {unchecked}"
        )

    def _leave(self, server: Server, *, cut: bool) -> None:
        server.leaving = True
        self.haproxy.order(
            f"disable health checked/{server.name}",
            f"set server checked/{server.name} state drain",
            f"set server open/{server.name} state drain",
        )
        if cut:
            self._cut(server.key)

    def _cut(self, key: Key) -> None:
        for server in self.servers.values():
            if server.key == key:
                self.haproxy.order(*(f"shutdown sessions server {backend}/{server.name}" for backend in BACKENDS))

    def _forget(self, server: Server) -> None:
        for backend in BACKENDS:
            try:
                self.haproxy.order(f"set server {backend}/{server.name} state maint")
                self.haproxy.order(f"del server {backend}/{server.name}")
            except HaproxyError:
                return  # a session is still being closed; the next poll retries
        del self.servers[server.name]


def _probing(group: TargetGroupView, target: TargetView) -> tuple[int, float, int, int]:
    return (target.probe_port, group.interval, group.rise, group.fall)


def _haproxy_state(state: str) -> str:
    return "up" if state == "healthy" else "down"
