# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Plans the target networks, authorization rules and routes of an endpoint. No I/O."""

from __future__ import annotations

import dataclasses
import ipaddress
import typing as t

from ..._core.plan import KNOWN_AFTER_APPLY, Change
from ..statuses import ASSOCIATED, ASSOCIATION_FAILED, AVAILABLE, WITHOUT_NETWORK
from .model import ASSOCIATE_ORIGIN, Desired, Endpoint, Network, Route, Rule, Settings, State
from .moves import Move, of_endpoint
from .settings import CONNECTIONS

FAILED = "failed"


def route_cuts(after: Settings) -> str:
    """The impact of a change of routes. AWS resets all connections only with a split tunnel, not with a full tunnel."""
    return CONNECTIONS if after.get("split_tunnel", True) else ""


def network_moves(desired: Desired, state: State, found: Endpoint, after: Settings) -> tuple[list[Move], list[Move]]:
    """Two lists of moves of target networks: those before and those after the moves of rules and routes.

    An endpoint has at most one subnet per zone, so the previous subnet is removed before the new one is added. AWS adds a route
    for each new subnet, so a new subnet has at least the impact of a new route.
    """
    wanted = desired.subnets or ()
    there = {each.subnet_id: each for each in found.networks if not each.gone}
    broken = {subnet_id for subnet_id, each in there.items() if each.status == ASSOCIATION_FAILED}
    new = [each for each in wanted if each not in there or each in broken]
    unwanted = [each for subnet_id, each in there.items() if desired.purges_subnets and subnet_id not in wanted]
    zones = {state.subnets[each].zone for each in new if each in state.subnets}
    in_the_way = [each for each in unwanted if _zone(state, each.subnet_id) in zones]
    first = [disassociation(found, there[each], "") for each in new if each in broken]
    first += _removals(found, in_the_way)
    freed = {_zone(state, each.subnet_id) for each in in_the_way}
    for subnet_id in new:
        cuts = CONNECTIONS if _zone(state, subnet_id) in freed else route_cuts(after)
        first.append(_association(found, state, subnet_id, cuts))
    return first, _removals(found, [each for each in unwanted if each not in in_the_way])


def _zone(state: State, subnet_id: str) -> str:
    known = state.subnets.get(subnet_id)
    return known.zone if known else ""


def _association(found: Endpoint, state: State, subnet_id: str, cuts: str) -> Move:
    cidrs = state.vpc.cidrs if state.vpc and state.vpc.cidrs else (KNOWN_AFTER_APPLY,)
    network = Network(KNOWN_AFTER_APPLY, subnet_id, ASSOCIATED)
    routes = tuple(Route(cidr, subnet_id, "Default Route", ASSOCIATE_ORIGIN) for cidr in cidrs)

    def effect(endpoint: Endpoint) -> Endpoint:
        return dataclasses.replace(
            endpoint,
            status=AVAILABLE,
            networks=(*endpoint.networks, network),
            routes=(*endpoint.routes, *routes),
        )

    change = Change("create", f"target network {subnet_id}")
    arguments = {"ClientVpnEndpointId": found.id, "SubnetId": subnet_id}
    return Move("AssociateClientVpnTargetNetwork", arguments, (change,), of_endpoint(effect), cuts)


def _removals(found: Endpoint, networks: t.Collection[Network]) -> list[Move]:
    """Remove the routes of the networks first. Otherwise AWS removes them with the networks, and no change is reported."""
    subnets = [each.subnet_id for each in networks]
    routes = [each for each in found.routes if each.subnet in subnets and deletable(each)]
    return [route_deletion(found, each, CONNECTIONS) for each in routes] + [
        disassociation(found, each, CONNECTIONS) for each in networks
    ]


def disassociation(found: Endpoint, network: Network, cuts: str) -> Move:
    def effect(endpoint: Endpoint) -> Endpoint:
        left = tuple(each for each in endpoint.networks if each.subnet_id != network.subnet_id)
        return dataclasses.replace(
            endpoint,
            status=AVAILABLE if left else WITHOUT_NETWORK,
            networks=left,
            routes=tuple(each for each in endpoint.routes if each.subnet != network.subnet_id),
        )

    change = Change("delete", f"target network {network.subnet_id}", before=network.association_id)
    arguments = {"ClientVpnEndpointId": found.id, "AssociationId": network.association_id}
    return Move("DisassociateClientVpnTargetNetwork", arguments, (change,), of_endpoint(effect), cuts)


def rule_moves(desired: Desired, found: Endpoint) -> tuple[list[Move], list[Move]]:
    """The moves that add or change rules, and the moves that remove rules afterwards."""
    there = {each.key: each for each in found.rules if not each.gone}
    wanted = {each.key: each for each in desired.rules or ()}
    first: list[Move] = []
    for key, rule in wanted.items():
        have = there.get(key)
        if have is None:
            first.append(_authorization(found, rule, Change("create", rule.name, after=rule.description)))
        elif have.status == FAILED:
            first += [revocation(found, have), _authorization(found, rule, Change("create", rule.name))]
        elif rule.description is not None and rule.description != (have.description or ""):
            change = Change("update", rule.name, "description", have.description or "", rule.description)
            first += [revocation(found, have, cuts=CONNECTIONS, silent=True)]
            first += [_authorization(found, rule, change, CONNECTIONS)]
    gone = [each for key, each in there.items() if desired.purge_rules and desired.rules is not None]
    return first, [revocation(found, each) for each in gone if each.key not in wanted]


def _authorization(found: Endpoint, rule: Rule, change: Change, cuts: str = "") -> Move:
    arguments: dict[str, t.Any] = {"ClientVpnEndpointId": found.id, "TargetNetworkCidr": rule.cidr}
    arguments.update({"AccessGroupId": rule.group} if rule.group else {"AuthorizeAllGroups": True})
    if rule.description:
        arguments["Description"] = rule.description

    def effect(endpoint: Endpoint) -> Endpoint:
        return dataclasses.replace(endpoint, rules=(*endpoint.rules, rule))

    return Move("AuthorizeClientVpnIngress", arguments, (change,), of_endpoint(effect), cuts)


def revocation(found: Endpoint, rule: Rule, *, cuts: str = "", silent: bool = False) -> Move:
    """Remove a rule. ``silent``: a different step reports the change."""
    arguments: dict[str, t.Any] = {"ClientVpnEndpointId": found.id, "TargetNetworkCidr": rule.cidr}
    arguments.update({"AccessGroupId": rule.group} if rule.group else {"RevokeAllGroups": True})

    def effect(endpoint: Endpoint) -> Endpoint:
        return dataclasses.replace(endpoint, rules=tuple(each for each in endpoint.rules if each.key != rule.key))

    changes = () if silent else (Change("delete", rule.name),)
    return Move("RevokeClientVpnIngress", arguments, changes, of_endpoint(effect), cuts)


def route_moves(
    desired: Desired, found: Endpoint, after: Settings, kept_back: t.Container[str]
) -> tuple[list[Move], list[Move]]:
    """The moves that add or change routes, and those that delete routes afterwards.

    ``kept_back``: subnets whose association is deferred.
    """
    there = {each.key: each for each in found.routes if not each.gone}
    wanted = {each.key: each for each in desired.routes or ()}
    first: list[Move] = []
    for key, route in wanted.items():
        have = there.get(key)
        cuts = CONNECTIONS if route.subnet in kept_back else route_cuts(after)
        if have is None:
            first.append(_route_creation(found, route, Change("create", route.name, after=route.description), cuts))
        elif have.status == FAILED:
            first.append(route_deletion(found, have, cuts))
            first.append(_route_creation(found, route, Change("create", route.name), cuts))
        elif deletable(have) and route.description not in (None, have.description or ""):
            change = Change("update", route.name, "description", have.description or "", route.description)
            first.append(route_deletion(found, have, CONNECTIONS, silent=True))
            first.append(_route_creation(found, route, change, CONNECTIONS))
    gone = [each for each in there.values() if desired.purge_routes and desired.routes is not None and deletable(each)]
    leaving = _leaving(desired, found)
    last = [each for each in gone if each.key not in wanted and each.subnet not in leaving]
    return first, [route_deletion(found, each, route_cuts(after)) for each in last]


def _leaving(desired: Desired, found: Endpoint) -> set[str]:
    """Subnets that are removed together with their routes."""
    return {each for each in found.subnets if desired.purges_subnets and each not in (desired.subnets or ())}


def unreachable(desired: Desired, state: State) -> tuple[str, ...]:
    """Notes about networks of the VPC without a route. AWS adds routes only for networks that exist when a subnet is associated.

    With a split tunnel, a new route disconnects all users, so runs do not add such routes automatically.
    """
    found, cidrs = state.endpoint, state.vpc.cidrs if state.vpc else ()
    if found is None:
        return ()
    allowed = [ipaddress.ip_network(rule.cidr) for rule in found.rules if not rule.gone]
    notes = []
    for cidr in cidrs:
        network = ipaddress.ip_network(cidr)
        ways = {each.subnet for each in found.routes if not each.gone and _covers(each.cidr, network)}
        missing = [subnet for subnet in found.subnets if subnet not in ways]
        if missing and any(network.overlaps(each) for each in allowed):
            notes.append(
                f"{desired.resource}: there is no route to {cidr} through {', '.join(missing)}, so users may be unable to reach "
                "this network. When a subnet is associated, AWS adds routes only for the networks that the VPC has at that time. "
                "Add the route or associate the subnet again. Both can disconnect users."
            )
    return tuple(notes)


def _covers(cidr: str, network: ipaddress.IPv4Network | ipaddress.IPv6Network) -> bool:
    try:
        return network.subnet_of(t.cast(t.Any, ipaddress.ip_network(cidr)))
    except (ValueError, TypeError):  # known after apply, or a different IP version
        return False


def deletable(route: Route) -> bool:
    return route.origin != ASSOCIATE_ORIGIN and not route.gone


def _route_creation(found: Endpoint, route: Route, change: Change, cuts: str) -> Move:
    arguments = {
        "ClientVpnEndpointId": found.id,
        "DestinationCidrBlock": route.cidr,
        "TargetVpcSubnetId": route.subnet,
    }
    if route.description:
        arguments["Description"] = route.description

    def effect(endpoint: Endpoint) -> Endpoint:
        return dataclasses.replace(endpoint, routes=(*endpoint.routes, route))

    return Move("CreateClientVpnRoute", arguments, (change,), of_endpoint(effect), cuts)


def route_deletion(found: Endpoint, route: Route, cuts: str, *, silent: bool = False) -> Move:
    arguments = {
        "ClientVpnEndpointId": found.id,
        "DestinationCidrBlock": route.cidr,
        "TargetVpcSubnetId": route.subnet,
    }

    def effect(endpoint: Endpoint) -> Endpoint:
        return dataclasses.replace(endpoint, routes=tuple(each for each in endpoint.routes if each.key != route.key))

    changes = () if silent else (Change("delete", route.name),)
    return Move("DeleteClientVpnRoute", arguments, changes, of_endpoint(effect), cuts)
