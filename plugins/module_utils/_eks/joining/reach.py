# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Whether security groups and routes let the nodes reach the API server and the registry. No I/O."""

from __future__ import annotations

import ipaddress
import typing as t

from .model import Cluster, Endpoint, Observation, Route, Rule, SecurityGroup, Subnet, Template, Unread
from .verdict import Cause, Finding, Unknown

API, KUBELET = 443, 10250
"""Ports of the API server and of the kubelets."""
ANYWHERE = "0.0.0.0/0"
WITHOUT_INTERNET = ("ec2", "ecr.api", "ecr.dkr", "s3")
"""Services that nodes need (EKS user guide, page private-clusters)."""
Networks = t.Optional[t.Sequence[str]]
"""None if they are unknown."""


def rules(seen: Observation) -> t.Iterator[Finding]:
    """Checks the rules of the groups of the nodes and of the control plane."""
    cluster, template, known = seen.cluster, seen.template, seen.security_groups
    if isinstance(cluster, Unread) or isinstance(template, Unread):
        return
    if isinstance(known, Unread):
        yield Unknown(str(known))
        return
    of_nodes = template.security_groups or cluster.security_groups[:1]
    nodes = Side(of_nodes, known, _networks(seen, seen.node_subnets))
    plane = Side(cluster.security_groups, known, _networks(seen, cluster.subnets))
    if cluster.private:
        yield from _way(nodes, plane, API, "the nodes cannot reach the API server")
    else:
        problem = "the nodes cannot reach the public API server"
        yield from _open(nodes, "egress", API, frozenset(), [ANYWHERE], problem, "any network")
    yield from _way(plane, nodes, KUBELET, "the control plane cannot reach the kubelets")


def routes(seen: Observation) -> t.Iterator[Finding]:
    """Checks the default route of each subnet of the nodes."""
    if isinstance(seen.routes, Unread):
        yield Unknown(str(seen.routes))
        return
    for subnet, route in seen.routes.items():
        if not route.target:
            yield from _isolated(seen, subnet, route)
        elif not route.usable:
            yield Cause(
                f"the default route of {subnet} leads to {route.target}, which does not exist (blackhole in {route.table})",
                "replace the route by one to a NAT gateway",
            )
        elif route.target.startswith("igw-"):
            yield from _public(seen, subnet, route)
        elif not route.target.startswith("nat-"):
            yield Unknown(f"the default route of {subnet} leads to {route.target}, behind which nothing was checked")
    yield from _public_endpoint(seen)


class Side:
    """One end of a connection: the security groups of its interfaces, and the networks of its subnets."""

    def __init__(self, ids: t.Sequence[str], known: t.Mapping[str, SecurityGroup], networks: Networks) -> None:
        self.ids = tuple(ids)
        self.groups = [known[each] for each in ids if each in known]
        self.networks = networks

    def __str__(self) -> str:
        return " and ".join(self.ids)


def _networks(seen: Observation, subnets: t.Sequence[str]) -> Networks:
    known = seen.subnets
    if isinstance(known, Unread):
        return None
    return [known[each].cidr for each in subnets if each in known]


def _way(source: Side, target: Side, port: int, problem: str) -> t.Iterator[Finding]:
    """What blocks connections from ``source`` to the port of ``target``."""
    yield from _open(source, "egress", port, frozenset(target.ids), target.networks, problem, str(target))
    yield from _open(target, "ingress", port, frozenset(source.ids), source.networks, problem, str(source))


def _open(
    side: Side, direction: str, port: int, peers: frozenset[str], networks: Networks, problem: str, other: str
) -> t.Iterator[Finding]:
    there = [rule for group in side.groups for rule in getattr(group, direction) if rule.covers(port)]
    allowed = _admits(there, peers, networks)
    word = "to" if direction == "egress" else "from"
    if allowed is False:
        evidence = f"no {direction} rule of {side} allows TCP {port} {word} {other}"
        yield Cause(f"{problem} ({evidence})", "add the rule, or the cluster security group to the launch template")
    elif allowed is None:
        yield Unknown(f"whether the {direction} rules of {side} allow TCP {port} {word} {other}, which was not resolved")


def _admits(there: t.Sequence[Rule], peers: frozenset[str], networks: Networks) -> bool | None:
    """Whether the rules admit the peers; None if prefix lists or unknown networks leave it open."""
    if any(peers & set(rule.groups) for rule in there):
        return True
    offered = [each for rule in there for each in rule.networks]
    if ANYWHERE in offered:
        return True
    if networks and all(any(_within(each, other) for other in offered) for each in networks):
        return True
    unresolved = any(rule.prefix_lists for rule in there) or (networks is None and offered)
    return None if unresolved else False


def _within(network: str, other: str) -> bool:
    inner, outer = ipaddress.ip_network(network, strict=False), ipaddress.ip_network(other, strict=False)
    return inner.version == outer.version and t.cast(t.Any, inner).subnet_of(outer)


def _isolated(seen: Observation, subnet: str, route: Route) -> t.Iterator[Finding]:
    """A subnet without default route needs a private API server and VPC endpoints."""
    where = f"subnet {subnet} has no default route (route table {route.table or 'unknown'})"
    way = "add a default route to a NAT gateway"
    if isinstance(seen.cluster, Cluster) and not seen.cluster.private:
        yield Cause(f"{where}, and the API server has no private endpoint", f"{way}, or enable the private endpoint")
        return
    if isinstance(seen.endpoints, Unread):
        yield Unknown(f"{where}, and VPC endpoints that may replace it: {seen.endpoints}")
        return
    missing = [each for each in WITHOUT_INTERNET if not _served(each, route, seen.endpoints)]
    if missing:
        yield Cause(f"{where} and no VPC endpoint for {', '.join(missing)}", f"{way}, or the endpoints")


def _served(service: str, route: Route, endpoints: t.Iterable[Endpoint]) -> bool:
    return any(each.service == service and (each.tables is None or route.table in each.tables) for each in endpoints)


def _public(seen: Observation, subnet: str, route: Route) -> t.Iterator[Finding]:
    """Behind an internet gateway, only instances with a public address have a connection."""
    given = seen.template.public_address if isinstance(seen.template, Template) else None
    known = seen.subnets if not isinstance(seen.subnets, Unread) else {}
    addresses = given if given is not None else known.get(subnet, Subnet(subnet, "")).public_addresses
    if subnet not in known and given is None:
        yield Unknown(f"whether nodes in {subnet}, whose default route leads to {route.target}, get public addresses")
    elif not addresses:
        yield Cause(
            f"the default route of {subnet} leads to internet gateway {route.target}, but the nodes get no public address",
            "use a subnet with a route to a NAT gateway",
        )


def _public_endpoint(seen: Observation) -> t.Iterator[Finding]:
    cluster = seen.cluster
    if isinstance(cluster, Cluster) and not cluster.private and ANYWHERE not in cluster.public_cidrs:
        allowed = ", ".join(cluster.public_cidrs) or "no network"
        yield Unknown(f"whether the nodes' public addresses are in {allowed}, because the API server has only a public endpoint")
