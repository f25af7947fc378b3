# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Traffic that security groups allow, as a pure function of their rules.

AWS: an interface sends or receives traffic that one of its groups allows; a rule names addresses or another group, and a
group stands for its interfaces. A network load balancer that was created without a group is not filtered, and its
health checks obey only the outbound rules of its groups.
Only IPv4 and TCP are checked; groups are stateful, so replies always pass.
"""

from __future__ import annotations

import ipaddress
import typing as t
from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    """A permission: a protocol, a range of ports, and its peers."""

    protocol: str
    """``tcp``, ``udp``, ``icmp``, a number, or ``-1`` for everything."""
    first: int | None = None
    last: int | None = None
    cidr: str | None = None
    group: str | None = None

    def covers(self, port: int) -> bool:
        """True if protocol and ports include a TCP connection to the port."""
        if self.protocol == "-1":
            return True
        if self.protocol not in ("tcp", "6"):
            return False
        return self.first is not None and self.last is not None and self.first <= port <= self.last

    def means(self, peer: Endpoint, address: str) -> bool:
        """True if the rule names the address or a group of the peer."""
        if self.group is not None:
            return self.group in {group.id for group in peer.groups or ()}
        if self.cidr is None:
            return False
        return ipaddress.ip_address(address) in ipaddress.ip_network(self.cidr, strict=False)


@dataclass(frozen=True)
class Group:
    """A security group with its rules."""

    id: str
    ingress: tuple[Rule, ...] = ()
    egress: tuple[Rule, ...] = ()


@dataclass(frozen=True)
class Endpoint:
    """A side of a connection: a node's interface, or a load balancer with all its addresses."""

    addresses: tuple[str, ...]
    groups: tuple[Group, ...] | None = None
    """None if this side is not filtered (a load balancer created without groups, an address without an interface)."""

    def receives(self, peer: Endpoint, port: int) -> bool:
        return self.groups is None or _allow((rule for each in self.groups for rule in each.ingress), peer, port)

    def sends(self, peer: Endpoint, port: int) -> bool:
        return self.groups is None or _allow((rule for each in self.groups for rule in each.egress), peer, port)


def _allow(rules: t.Iterable[Rule], peer: Endpoint, port: int) -> bool:
    """True if the rules together name every address of the peer."""
    about = [rule for rule in rules if rule.covers(port)]
    return all(any(rule.means(peer, address) for rule in about) for address in peer.addresses)


def passes(source: Endpoint, destination: Endpoint, port: int) -> bool:
    """True if the source may open a TCP connection to the port of the destination."""
    return source.sends(destination, port) and destination.receives(source, port)


def client_networks(
    balancer: Endpoint, port: int, members: t.Callable[[str], t.Iterable[str]]
) -> tuple[str, ...] | None:
    """Networks whose clients may connect to a listener; None if all may.

    ``members`` returns the addresses of the interfaces in a group, because a group can be a source.
    """
    if balancer.groups is None:
        return None
    networks: set[str] = set()
    for rule in (rule for group in balancer.groups for rule in group.ingress if rule.covers(port)):
        if rule.group is not None:
            networks.update(f"{address}/32" for address in members(rule.group))
        elif rule.cidr is not None and ":" not in rule.cidr:
            networks.add(str(ipaddress.ip_network(rule.cidr, strict=False)))
    return tuple(sorted(networks))
