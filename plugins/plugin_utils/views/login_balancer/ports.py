# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ports, and the rules that admit the load balancer at these ports."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import balancer_ports
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding

from .. import Variables, view
from .adopted import adopted
from .declared import names
from .network import login_nodes, own_group


@dataclass(frozen=True)
class Ports:
    """Ports in use before this run changes the targets, from ``__login_targets_read``."""

    passed: list[int]
    """Ports that security groups must admit."""
    moving: bool
    default: int | None
    """The port of a new target group. None if the target group exists, because AWS can't change its port."""


@view
def ports(variables: Variables) -> Ports:
    read, recorded = plain(variables["__login_targets_read"]), plain(variables["login_balancer_adopted"])
    people, gate = _declared(variables)
    kept = {} if variables["login_balancer_purge"] else recorded
    return Ports(
        passed=balancer_ports.ports_passed(read, (people, gate), kept),
        moving=balancer_ports.is_moving(read, people, gate),
        default=None if _exists(variables) else people,
    )


@dataclass(frozen=True)
class Rules:
    """The rules of the nodes' security groups, without None values."""

    wanted: list[dict[str, t.Any]]
    unused: list[dict[str, t.Any]]
    """Rules for ports that the load balancer no longer uses."""
    needed: Findings
    """The finding about rules that the owners of the security groups must add."""


@view
def rules(variables: Variables) -> Rules:
    groups, found = login_nodes(variables).security_groups, adopted(variables)
    group_name = names(variables).security_group
    peers = [_peer(cidr=each) for each in _ranges(variables)] or [_peer(source_group_name=group_name)]
    source = (own_group(variables) or f"the new group {group_name}") if found.takes_groups else _ranges(variables)
    used = balancer_ports.ports_passed(plain(variables["__login_targets_read"]), _declared(variables))
    return Rules(
        wanted=[{"group_id": group, "port": port, **peer} for group in groups for port in _admitted(variables) for peer in peers],
        unused=_unused(variables.get("__login_balancer_rules"), used),
        needed=finding("node-rules-needed", ports=ports(variables).passed, peers=source, groups=groups),
    )


@dataclass(frozen=True)
class Removal:
    """Rules to remove, without None values. They admit ``peers``, which are security groups or CIDR ranges."""

    current: list[dict[str, t.Any]]
    previous: list[dict[str, t.Any]]
    """Rules for other ports, from the result of the removal of the current rules."""


@view
def removal(variables: Variables) -> Removal:
    groups, port = login_nodes(variables).security_groups, int(variables["login_balancer_people_port"])
    return Removal(
        current=[_rule(group, port, peer) for group in groups for peer in variables["peers"]],
        previous=_unused(variables.get("__login_balancer_rules_gone"), []),
    )


@view
def rules_of_others(variables: Variables) -> Findings:
    """The refusal if rules of others do not admit the load balancer at a new port.

    Without the refusal, logins would fail while targets move, because the health check still uses the previous port.
    """
    theirs = plain(variables["__login_balancer_made"]["network_load_balancer"]["security_groups"])
    addresses = [each["private_ip_address"] for each in variables["__login_balancer_interfaces"]["network_interfaces"]]
    read = plain(variables["__login_balancer_node_groups_read"]["security_groups"])
    shut = balancer_ports.shut_ports(read, _declared(variables), of_balancer=theirs, addresses=addresses)
    if not shut:
        return []
    groups, used = login_nodes(variables).security_groups, variables["__login_targets_read"]["ports"]
    return finding("node-rules-missing", ports=shut, groups=groups, peers=theirs or addresses, now=list(used) or "no port")


@view
def health_check(variables: Variables) -> dict[str, t.Any] | None:
    """The target group's health check before targets are registered. None for an adopted target group, which keeps its own.

    The port of an existing health check changes only after the readiness gates answer at the new port.
    """
    port = {} if _exists(variables) else {"port": variables["login_balancer_gate_port"]}
    return None if variables["login_balancer_adopted"] else {**port, **balancer_ports.HEALTH_CHECK}


def _declared(variables: Variables) -> list[int]:
    return [int(variables[f"login_balancer_{kind}_port"]) for kind in ("people", "gate")]


def _admitted(variables: Variables) -> list[int]:
    """The ports that the rules admit. If the run removes undeclared security groups of an adopted load balancer, the rules also
    admit the ports in use, until the targets have moved.
    """
    moves = variables["login_balancer_adopted"] and variables["login_balancer_purge"]
    return ports(variables).passed if moves else _declared(variables)


def _exists(variables: Variables) -> bool:
    return bool(variables["__login_targets_read"].get("target_group_arn"))


def _ranges(variables: Variables) -> list[str]:
    """The CIDR ranges of the subnets of a load balancer that can't have security groups, for rules that admit it."""
    if adopted(variables).takes_groups:
        return []
    return [each["cidr_block"] for each in variables["__login_balancer_chosen_subnets"]]


def _peer(**given: str) -> dict[str, t.Any]:
    return {"source_group_name": None, "cidr": None, **given}


def _rule(group: str, port: int, peer: str) -> dict[str, t.Any]:
    is_group = peer.startswith("sg-")
    options = {"source_group_id": peer if is_group else None, "cidr": None if is_group else peer}
    return {"group_id": group, "port": port, "peer": peer, **options}


def _unused(removed: t.Mapping[str, t.Any] | None, kept: t.Iterable[int]) -> list[dict[str, t.Any]]:
    found = balancer_ports.unused_rules(plain((removed or {}).get("results") or []), kept)
    return [_rule(each["group_id"], each["port"], each["peer"]) for each in found]
