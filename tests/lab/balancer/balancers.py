# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The data path of simulated load balancers: a network namespace for each, a haproxy for each listener.

The namespace has an address in each subnet, as a network load balancer has an interface in each zone. Security groups are
routing rules in it: a blocked client gets no reply, a blocked target is unreachable.

Differences from AWS: an open session ends when a security group blocks its client (AWS tracks connections);
a client of a target group without usable targets is accepted and then disconnected; the client's address, proxy
protocol and stickiness are not supported; cross-zone routing is always on.
"""

from __future__ import annotations

import itertools
import logging
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lab.balancer.haproxy import Haproxy, HaproxyError
from lab.balancer.servers import Servers
from lab.balancer.view import HealthByTarget, ListenerView, LoadBalancerView
from lab.net.network import ip_batch

LOG = logging.getLogger(__name__)
POLL_SECONDS = 0.2
CLOSED_TARGET, OPEN_CLIENT, CLOSED_CLIENT = 500, 1000, 2000  # preferences of routing rules


@dataclass
class _Listener:
    view: ListenerView
    servers: Servers


@dataclass
class _Balancer:
    netns: str
    view: LoadBalancerView | None = None
    addresses: tuple[tuple[str, int], ...] = ()
    rules: set[str] = field(default_factory=set)
    listeners: dict[str, _Listener] = field(default_factory=dict)
    retired: list[Haproxy] = field(default_factory=list)

    def processes(self) -> list[Haproxy]:
        return [listener.servers.haproxy for listener in self.listeners.values()] + self.retired


class Balancers:
    """Thread-safe. ``paths`` has ``state`` and ``rootfs``; ``network`` creates and connects the namespaces."""

    def __init__(self, paths: Any, network: Any) -> None:
        self.folder = Path(paths.state) / "balancers"
        self.image = Path(paths.rootfs)
        self.network = network
        self.lock = threading.RLock()
        self.balancers: dict[str, _Balancer] = {}
        self.numbers = itertools.count(1)
        self.stopped = threading.Event()
        threading.Thread(target=self._poll_forever, name="balancers", daemon=True).start()

    def sync(self, view: LoadBalancerView) -> None:
        """Apply the view; without a change nothing happens. The next call completes a failed one."""
        with self.lock:
            balancer = self.balancers.setdefault(view.arn, _Balancer(f"lb-{view.arn[-8:]}"))
            if balancer.view == view:
                return
            balancer.view = None
            self._place(balancer, view)
            self._filter(balancer, view)
            for arn in set(balancer.listeners) - {listener.arn for listener in view.listeners}:
                balancer.listeners.pop(arn).servers.haproxy.stop()
            for listener in view.listeners:
                self._listen(balancer, listener)
            balancer.view = view

    def remove(self, arn: str) -> None:
        """End all processes of a load balancer and withdraw its name."""
        with self.lock:
            balancer = self.balancers.pop(arn, None)
            if balancer is None:
                return
            for process in balancer.processes():
                process.stop()
            if balancer.view is not None:
                self.network.publish(balancer.view.dns_name, [])
            self.network.detach(balancer.netns)

    def health(self, arn: str, target_group_arn: str) -> HealthByTarget:
        """Health of the targets from the checks; unchecked targets are absent."""
        with self.lock:
            listeners = self.balancers[arn].listeners.values() if arn in self.balancers else ()
            for listener in listeners:
                if listener.view.target_group.arn == target_group_arn:
                    return listener.servers.health()
            return {}

    def close(self) -> None:
        """Remove everything."""
        self.stopped.set()
        for arn in list(self.balancers):
            self.remove(arn)

    def _place(self, balancer: _Balancer, view: LoadBalancerView) -> None:
        if not balancer.addresses:
            self.network.attach(balancer.netns, view.vpc_id, list(view.addresses))
        elif balancer.addresses != view.addresses:
            fresh = [one for one in view.addresses if one not in balancer.addresses]
            gone = [one for one in balancer.addresses if one not in view.addresses]
            ip_batch([f"address add {address}/{prefix} dev eth0" for address, prefix in fresh], balancer.netns)
            ip_batch([f"address delete {address}/{prefix} dev eth0" for address, prefix in gone], balancer.netns)
        if balancer.addresses != view.addresses:
            balancer.addresses = view.addresses
            self.network.publish(view.dns_name, [address for address, _prefix in view.addresses])

    def _filter(self, balancer: _Balancer, view: LoadBalancerView) -> None:
        wanted = routing_rules(view)
        ip_batch([f"rule add {rule}" for rule in sorted(wanted - balancer.rules)], balancer.netns)
        ip_batch([f"rule delete {rule}" for rule in sorted(balancer.rules - wanted)], balancer.netns)
        balancer.rules = wanted

    def _listen(self, balancer: _Balancer, view: ListenerView) -> None:
        old = balancer.listeners.get(view.arn)
        new = old
        if old is None or (old.view.port, old.view.idle_timeout) != (view.port, view.idle_timeout):
            # haproxy cannot change its timeouts: a new process accepts new sessions, the old one ends with its last session.
            new = balancer.listeners[view.arn] = _Listener(view, Servers(self._start(balancer, view)))
        assert new is not None
        new.servers.follow(view.target_group)
        if old is not None and old is not new:
            new.servers.preset({key: health.state for key, health in old.servers.health().items()})
            old.servers.haproxy.retire()
            balancer.retired.append(old.servers.haproxy)
        new.view = view

    def _start(self, balancer: _Balancer, view: ListenerView) -> Haproxy:
        folder = self.folder / f"{balancer.netns}-{view.port}-{next(self.numbers)}"
        return Haproxy(
            folder=folder, image=self.image, netns=balancer.netns, port=view.port, idle_timeout=view.idle_timeout
        )

    def _poll_forever(self) -> None:
        while not self.stopped.wait(POLL_SECONDS):
            with self.lock:
                for balancer in list(self.balancers.values()):
                    self._poll(balancer)

    def _poll(self, balancer: _Balancer) -> None:
        balancer.retired = [process for process in balancer.retired if process.running]
        for arn, listener in list(balancer.listeners.items()):
            try:
                listener.servers.poll()
            except (OSError, HaproxyError, KeyError) as error:
                LOG.warning("%s: %r", arn, error)
                if not listener.servers.haproxy.running:
                    del balancer.listeners[arn]
                    balancer.view = None  # the next sync starts it again


def routing_rules(view: LoadBalancerView) -> set[str]:
    """Traffic that security groups block, as policy rules of the load balancer's namespace."""
    rules = set()
    for listener in view.listeners:
        if listener.clients is not None:
            reply = f"ipproto tcp sport {listener.port}"
            rules.add(f"{reply} pref {CLOSED_CLIENT} blackhole")
            rules |= {f"{reply} to {network} pref {OPEN_CLIENT} lookup main" for network in listener.clients}
        for target in listener.target_group.targets:
            closed = {target.port: target.open, target.probe_port: target.probe_open}
            rules |= {
                f"ipproto tcp dport {port} to {target.ip} pref {CLOSED_TARGET} unreachable"
                for port, is_open in closed.items()
                if not is_open
            }
    return rules
