# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Plans the change from the observed to the desired endpoint. No I/O."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import typing as t

from ..._aws.tags import api_tags
from ..._core.plan import KNOWN_AFTER_APPLY, Change, Effect, Plan
from ..connections.model import Connection
from ..statuses import ACTIVE, ASSOCIATION_FAILED, WITHOUT_NETWORK
from . import parts, preflight
from .model import ASSOCIATE_ORIGIN, Desired, Endpoint, Route, Rule, Settings, State, own_tags
from .moves import Deferred, EndpointPlan, Move, harms, of_endpoint, sorted_out, together
from .settings import PROFILES, SETTINGS, creation, defaults, different, modification

Part = t.TypeVar("Part", Rule, Route)


def plan(desired: Desired, state: State) -> EndpointPlan:
    """:raises Refused: for settings that AWS would refuse, and for a change that AWS does not support."""
    return _plan_present(desired, state) if desired.present else _plan_absent(state)


def _plan_present(desired: Desired, state: State) -> EndpointPlan:
    found = state.endpoint
    if found is None:
        preflight.check_creation(desired, state)
        preflight.check(desired, state, None)
        return _planned(desired, state, _blank(desired), (_creation(desired, state),))
    broken = preflight.immutable_differences(desired, found)
    if not broken:
        preflight.check(desired, state, found)
        return _planned(desired, state, found, ())
    if not desired.recreate:
        preflight.refuse_immutable(desired, found)
    if not desired.disruptive:
        return _recreation_kept_back(desired, state, found, broken)
    wanted = _carried_over(desired, found)
    preflight.check(wanted, state, found)
    moves = (*_removal_moves(state, found), _creation(wanted, state), *_revocation_list(wanted, state))
    return _planned(wanted, state, _blank(wanted), moves)


def _plan_absent(state: State) -> EndpointPlan:
    """Remove the endpoint and its parts in the order that AWS requires. A state contains only an endpoint with our tags."""
    if state.endpoint is None:
        return EndpointPlan()
    moves = _removal_moves(state, state.endpoint)
    return EndpointPlan(steps=together(moves), notes=_notes(moves, state))


def _removal_moves(state: State, found: Endpoint) -> tuple[Move, ...]:
    """The moves that remove the endpoint. AWS removes its authorization rules together with it."""
    moves = [_termination(found, each) for each in state.connections if each.active]
    moves += [parts.route_deletion(found, each, "") for each in found.routes if parts.deletable(each)]
    moves += [parts.disassociation(found, each, "") for each in found.networks if not each.gone]
    change = Change("delete", f"client VPN endpoint of {found.vpc_id}", before=found.id)
    return (*moves, Move("DeleteClientVpnEndpoint", {"ClientVpnEndpointId": found.id}, (change,), _gone, PROFILES))


def _gone(state: State) -> State:
    return dataclasses.replace(state, endpoint=None, connections=())


def _planned(desired: Desired, state: State, start: Endpoint, before: tuple[Move, ...]) -> EndpointPlan:
    """The moves ``before``, which lead to ``start``, followed by the moves from ``start`` to the desired endpoint."""
    planned = [*_tag_moves(desired, start), *_setting_moves(desired, start)]
    planned += _part_moves(desired, state, start)
    in_use = state if state.endpoint is start else dataclasses.replace(state, connections=())
    now, deferred = sorted_out(planned, desired, in_use)
    moves = (*before, *now)
    notes = (*_notes(moves, state), *parts.unreachable(desired, Plan(moves).after(state)))
    return EndpointPlan(steps=together(moves), notes=notes, deferred=deferred)


def _part_moves(desired: Desired, state: State, start: Endpoint) -> list[Move]:
    split = start.settings.get("split_tunnel", True)
    after = {"split_tunnel": split or desired.settings.get("split_tunnel", False)}
    networks, networks_last = parts.network_moves(desired, state, start, after)
    kept_back: set[str] = set()
    if not desired.disruptive:
        later = [move.arguments for move in networks if harms(move.cuts, state)]
        kept_back = {arguments["SubnetId"] for arguments in later if "SubnetId" in arguments}
    rules, rules_last = parts.rule_moves(desired, start)
    routes, routes_last = parts.route_moves(desired, start, after, kept_back)
    return [*networks, *rules, *routes, *routes_last, *rules_last, *networks_last]


def _creation(desired: Desired, state: State) -> Move:
    settings = creation(desired.settings, desired.vpc_id)
    tags = api_tags(desired.tags or own_tags(desired.vpc_id))
    arguments = {
        **settings,
        "TagSpecifications": [{"ResourceType": "client-vpn-endpoint", "Tags": tags}],
    }
    generation = state.generation + (state.endpoint.id if state.endpoint else "")
    text = json.dumps([generation, arguments], sort_keys=True)
    arguments["ClientToken"] = hashlib.sha256(text.encode()).hexdigest()
    change = Change("create", desired.resource, after=_plain({**desired.settings}))
    return Move("CreateClientVpnEndpoint", arguments, (change,), lambda now: _made(desired, now))


def _made(desired: Desired, state: State) -> State:
    return dataclasses.replace(state, endpoint=_blank(desired))


def _blank(desired: Desired) -> Endpoint:
    """A new endpoint without subnets, rules and routes."""
    return Endpoint(
        id=KNOWN_AFTER_APPLY,
        status=WITHOUT_NETWORK,
        dns_name=KNOWN_AFTER_APPLY,
        vpc_id=desired.vpc_id,
        created=KNOWN_AFTER_APPLY,
        settings={**defaults(), **desired.settings},
        tags=dict(desired.tags or own_tags(desired.vpc_id)),
    )


def _carried_over(desired: Desired, found: Endpoint) -> Desired:
    """The desired endpoint. Settings that the options omit come from the existing endpoint."""
    subnets = desired.subnets or ()
    if not desired.purges_subnets:
        subnets = tuple(dict.fromkeys((*found.subnets, *subnets)))
    old_rules = () if desired.purge_rules and desired.rules is not None else found.rules
    rules = _merged(old_rules, desired.rules or ())
    old_routes = () if desired.purge_routes and desired.routes is not None else found.routes
    kept = [each for each in old_routes if each.origin != ASSOCIATE_ORIGIN and each.subnet in subnets]
    routes = _merged(kept, desired.routes or ())
    tags = {key: value for key, value in found.tags.items() if not key.startswith("aws:")}
    return dataclasses.replace(
        desired,
        settings={**found.settings, **desired.settings},
        tags=desired.tags if desired.tags and desired.purge_tags else {**tags, **(desired.tags or {})},
        subnets=subnets,
        rules=rules,
        routes=routes,
    )


def _merged(old: t.Iterable[Part], new: t.Iterable[Part]) -> tuple[Part, ...]:
    """The existing and the new parts. A new part without a description keeps its existing description."""
    merged = {each.key: each for each in old}
    for each in new:
        have = merged.get(each.key)
        silent = each.description is None and have is not None
        merged[each.key] = dataclasses.replace(each, description=have.description) if silent and have else each
    return tuple(dataclasses.replace(each, status=ACTIVE) for each in merged.values())


def _recreation_kept_back(desired: Desired, state: State, found: Endpoint, broken: t.Sequence[str]) -> EndpointPlan:
    left = {option: value for option, value in desired.settings.items() if option not in broken}
    rest = plan(dataclasses.replace(desired, settings=left), state)
    changes = [
        Change("update", desired.resource, option, _plain(found.settings)[option], _plain(desired.settings)[option])
        for option in broken
    ]
    kept = tuple(Deferred(change, state.connected, profiles=True) for change in changes)
    return dataclasses.replace(rest, deferred=(*kept, *rest.deferred))


def _revocation_list(desired: Desired, state: State) -> tuple[Move, ...]:
    """Import the CRL before users can connect to the new endpoint."""
    if not state.revocation_list:
        return ()
    arguments = {"ClientVpnEndpointId": KNOWN_AFTER_APPLY, "CertificateRevocationList": state.revocation_list}
    change = Change("create", f"revocation list of {desired.resource}")
    return (Move("ImportClientVpnClientCertificateRevocationList", arguments, (change,)),)


def _setting_moves(desired: Desired, found: Endpoint) -> list[Move]:
    """One call for the changes without impact, and one call for each kind of impact."""
    moves = []
    differing = [each for each in different(found.settings, desired.settings) if not each.immutable]
    for cuts in sorted({each.cuts for each in differing}):
        chosen = [each for each in differing if each.cuts == cuts]
        arguments = {"ClientVpnEndpointId": found.id, **modification(desired.settings, chosen, desired.vpc_id)}
        have, want = _plain(found.settings), _plain(desired.settings)
        changes = tuple(
            Change("update", desired.resource, each.option, have.get(each.option), want[each.option]) for each in chosen
        )
        effect = _with_settings({each.option: desired.settings[each.option] for each in chosen})
        moves.append(Move("ModifyClientVpnEndpoint", arguments, changes, effect, cuts))
    return moves + _group_moves(desired, found)


def _with_settings(values: Settings) -> Effect:
    return of_endpoint(lambda endpoint: dataclasses.replace(endpoint, settings={**endpoint.settings, **values}))


def _group_moves(desired: Desired, found: Endpoint) -> list[Move]:
    """Apply security groups to the interfaces immediately. ModifyClientVpnEndpoint changes them only hours later."""
    want = desired.settings.get("security_groups")
    there = [each for each in found.networks if not each.gone and each.status != ASSOCIATION_FAILED]
    if want is None or all(each.security_groups == want for each in there):
        return []
    arguments = {"ClientVpnEndpointId": found.id, "VpcId": desired.vpc_id, "SecurityGroupIds": list(want)}
    have = sorted({group for each in there for group in each.security_groups})
    change = Change("update", f"target networks of {desired.vpc_id}", "security_groups", have, list(want))

    def effect(endpoint: Endpoint) -> Endpoint:
        return dataclasses.replace(
            endpoint, networks=tuple(dataclasses.replace(each, security_groups=want) for each in endpoint.networks)
        )

    return [Move("ApplySecurityGroupsToClientVpnTargetNetwork", arguments, (change,), of_endpoint(effect))]


def _tag_moves(desired: Desired, found: Endpoint) -> list[Move]:
    want = desired.tags
    if want is None:
        return []
    added = {key: value for key, value in want.items() if found.tags.get(key) != value}
    removed = [
        key for key in sorted(found.tags) if desired.purge_tags and key not in want and not key.startswith("aws:")
    ]
    after = {**{key: value for key, value in found.tags.items() if key not in removed}, **want}
    effect = of_endpoint(lambda endpoint: dataclasses.replace(endpoint, tags=after))
    moves = []
    for operation, tags, changed in (
        ("CreateTags", api_tags(added), sorted(added)),
        ("DeleteTags", [{"Key": key} for key in removed], removed),
    ):
        if tags:
            changes = tuple(
                Change("update", desired.resource, f"tags.{key}", found.tags.get(key), added.get(key))
                for key in changed
            )
            moves.append(Move(operation, {"Resources": [found.id], "Tags": tags}, changes, effect))
    return moves


def _termination(found: Endpoint, connection: Connection) -> Move:
    """End a connection. The step has no effect on the state, because the deletion of the endpoint empties the connections."""
    change = Change("delete", f"connection of {connection.person}", before=connection.id)
    arguments = {"ClientVpnEndpointId": found.id, "ConnectionId": connection.id}
    return Move("TerminateClientVpnConnections", arguments, (change,))


def _notes(moves: t.Iterable[Move], state: State) -> tuple[str, ...]:
    """Notes about the people that the changes disconnect, and about profiles that become useless."""
    cuts = {move.cuts for move in moves if harms(move.cuts, state)}
    if not cuts or state.endpoint is None:
        return ()
    notes = []
    if state.connected:
        notes.append(f"client VPN endpoint of {state.endpoint.vpc_id}: the change disconnects {', '.join(state.connected)}.")
    if PROFILES in cuts:
        notes.append(f"client VPN endpoint of {state.endpoint.vpc_id}: the change makes all its profiles useless.")
    return tuple(notes)


def _plain(settings: Settings) -> dict[str, t.Any]:
    return {
        each.option: list(value) if isinstance(value := settings[each.option], tuple) else value
        for each in SETTINGS
        if each.option in settings
    }
