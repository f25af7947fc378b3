# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Whether security groups allow the traffic of Lustre. No I/O.

Source: the FSx for Lustre guide, "File system access control with Amazon VPC". The file servers connect to each other and to the
clients at TCP ports 988 and 1018 to 1023. With EFA, FSx requires all traffic within the groups, in both directions.
"""

from __future__ import annotations

import ipaddress
import typing as t
from dataclasses import dataclass

Answer = t.Mapping[str, t.Any]
PORTS = ((988, 988), (1018, 1023))
"""First and last port of each range."""
ALL_PROTOCOLS = "-1"
TCP = ("tcp", "6", ALL_PROTOCOLS)


@dataclass(frozen=True)
class Rule:
    """A rule of a security group."""

    id: str
    egress: bool
    protocol: str
    first: int
    last: int
    """First and last port; -1 for all."""
    group: str = ""
    """The security group that the rule allows; empty if the rule allows something else."""
    network: str = ""
    """The network that the rule allows, in CIDR notation."""
    prefix_list: str = ""

    @classmethod
    def from_api(cls, answer: Answer) -> Rule:
        return cls(
            id=answer["SecurityGroupRuleId"],
            egress=bool(answer.get("IsEgress")),
            protocol=str(answer.get("IpProtocol", "")),
            first=answer.get("FromPort", -1),
            last=answer.get("ToPort", -1),
            group=(answer.get("ReferencedGroupInfo") or {}).get("GroupId", ""),
            network=answer.get("CidrIpv4") or answer.get("CidrIpv6") or "",
            prefix_list=answer.get("PrefixListId", ""),
        )

    def has_port(self, port: int) -> bool:
        if self.protocol not in TCP:
            return False
        return self.protocol == ALL_PROTOCOLS or self.first == -1 or self.first <= port <= self.last


@dataclass(frozen=True)
class Peer:
    """The other side of the traffic: the file servers themselves, or clients."""

    label: str
    groups: tuple[str, ...]
    """A rule for one of these groups is sufficient."""
    networks: tuple[str, ...] = ()
    """A rule whose network contains all of these networks is sufficient."""

    def is_in(self, rule: Rule) -> bool:
        return rule.group in self.groups or bool(self.networks and all(_contains(rule.network, each) for each in self.networks))


@dataclass(frozen=True)
class Access:
    """What the groups do not allow.

    ``unknown`` has rules for prefix lists. They may allow the missing traffic, but their networks are not read.
    """

    missing: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def access(rules: t.Sequence[Rule], *, itself: Peer, clients: t.Sequence[Peer], efa: bool) -> Access:
    """What the rules of the file system's security groups do not allow.

    :param efa: whether FSx needs all traffic, for which it accepts only rules that refer to the groups.
    """
    missing: list[str] = []
    unknown: list[str] = []
    for peer, egress in _needs(itself, clients, efa=efa):
        mine = [rule for rule in rules if rule.egress is egress]
        certain = [rule for rule in mine if peer.is_in(rule)]
        possible = [rule for rule in mine if rule.prefix_list]
        if efa:
            lacks = not any(rule.protocol == ALL_PROTOCOLS and rule.group in peer.groups for rule in mine)
            words = "all traffic" if lacks else ""
        else:
            words = _missing_ports(certain)
        if words and not efa and not _missing_ports([*certain, *possible]):
            unknown += [rule.id for rule in possible]
        elif words:
            missing.append(f"{'egress' if egress else 'ingress'} {words} {'to' if egress else 'from'} {peer.label}")
    return Access(tuple(missing), tuple(dict.fromkeys(unknown)))


def _needs(itself: Peer, clients: t.Sequence[Peer], *, efa: bool) -> t.Iterator[tuple[Peer, bool]]:
    """Each peer with a direction: whether the traffic leaves the file system."""
    yield itself, False
    yield itself, True
    for peer in clients:
        yield peer, False
        if efa:
            yield peer, True


def _missing_ports(rules: t.Sequence[Rule]) -> str:
    """The port ranges that the rules do not allow completely; empty if they allow all."""
    lacking = [
        f"{first}-{last}" if first != last else str(first)
        for first, last in PORTS
        if not all(any(rule.has_port(port) for rule in rules) for port in range(first, last + 1))
    ]
    return f"TCP {' and '.join(lacking)}" if lacking else ""


def _contains(outer: str, inner: str) -> bool:
    if not outer or not inner:
        return False
    one, other = ipaddress.ip_network(outer, strict=False), ipaddress.ip_network(inner, strict=False)
    if isinstance(one, ipaddress.IPv4Network) and isinstance(other, ipaddress.IPv4Network):
        return other.subnet_of(one)
    return False
