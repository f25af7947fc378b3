# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The host keys that login nodes present. If the control node has no route to a login node, other nodes read the host keys."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import login_endpoints
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import fleet

from .. import Variables, view
from .declared import certified
from .node import OWN, login_nodes

WITNESSES = 3
"""Maximum number of nodes that verify the host keys of others."""
SSH_PORT, PEOPLE_PORT = "host_keys_ssh_port", "host_keys_people_port"


@dataclass(frozen=True)
class Endpoints:
    """The endpoints to verify, after the addresses of nodes were read."""

    running: list[str]
    """Instance IDs of login nodes that can be verified."""
    expected: list[dict[str, t.Any]]
    """Endpoints at sshd's port, and at the user port of nodes whose gate is open."""
    via: str


@view
def endpoints(variables: Variables) -> Endpoints:
    listed, by_certificate = plain(variables["__host_keys_addresses"]["nodes"]), certified(variables)
    at_ssh, at_people = (login_endpoints.login_endpoints(listed, variables[port]) for port in (SSH_PORT, PEOPLE_PORT))
    ready = [node.instance_id for node in fleet.of(variables).ready]
    looked_at = [*at_ssh, *(each for each in at_people if each["name"] in ready)]
    return Endpoints(
        running=[each["name"] for each in at_ssh],
        expected=login_endpoints.identified_endpoints(looked_at, _identities(variables)) if by_certificate else looked_at,
        via="keyscan" if by_certificate else "paramiko",
    )


@dataclass(frozen=True)
class Unseen:
    """Endpoints that the control node could not verify."""

    endpoints: list[t.Mapping[str, t.Any]]
    hosts: list[str]
    """Nodes that verify these endpoints. Several are needed, because a node may fail or lie. No node must verify itself."""


@view
def unseen(variables: Variables) -> Unseen:
    found = login_endpoints.unseen_endpoints(endpoints(variables).expected, _seen(variables))
    return Unseen(found, _witnesses(variables)[:WITNESSES] if found else [])


def _witnesses(variables: Variables) -> list[str]:
    """Nodes that can verify others: login nodes whose gate is open, then controller nodes, in case there are few login nodes."""
    nodes, controllers = fleet.of(variables), variables["groups"].get(fleet.CONTROLLERS, ())
    reached = [node.host for node in nodes.reached if node.host in controllers and not node.says("failed")]
    return [*(node.host for node in nodes.ready), *reached]


@dataclass(frozen=True)
class Verdicts:
    verified: list[str]
    """Instance IDs of nodes with an open gate and the expected host keys."""
    differ: Findings
    not_seen: Findings
    """The finding if no verifying node could read host keys."""
    doubtful: Findings
    """Findings about login nodes for which other nodes report contradictory host keys, or whose host keys no node could verify."""


@view
def verdicts(variables: Variables) -> Verdicts:
    looks, nodes = _looks(variables), fleet.of(variables)
    ids = {node.host: node.instance_id for node in nodes.nodes}
    reports = [(ids[each["item"]], _endpoints_of(each)) for each in looks if str(each.get("item")) in ids]
    found = login_endpoints.endpoint_verdicts(_seen(variables), reports)
    ready, not_seen = [node.instance_id for node in nodes.ready], _not_seen(looks)
    unverified = dict.fromkeys(name for name, _port in found.unverified if name in ready and not not_seen)
    return Verdicts(
        verified=[each for each in found.agree if each in ready],
        differ=[one for endpoint in found.differ for one in _differs(variables, *endpoint)],
        not_seen=not_seen,
        doubtful=[
            *(one for each in found.disputed for one in finding("keys-disputed", **_disputed(each))),
            *(one for name in unverified for one in finding("keys-unverified", node=name)),
        ],
    )


@view
def alike(variables: Variables) -> Findings:
    """The finding about nodes that have the same host keys although each should have its own."""
    found = login_endpoints.alike_identities(_identities(variables)) if certified(variables) else []
    return finding("same-host-keys", nodes=found) if found else []


def _seen(variables: Variables) -> list[dict[str, t.Any]]:
    found: list[dict[str, t.Any]] = plain(variables["__host_keys_seen"]["ssh_endpoints"]["endpoints"])
    return found


def _identities(variables: Variables) -> dict[str, t.Mapping[str, t.Any]]:
    """Host keys and certificates of login nodes whose host keys this run has read, keyed by instance ID."""
    found = {node["hyperpod_instance_id"]: node.get(OWN) for node in login_nodes(variables)}
    return {instance_id: plain(identity) for instance_id, identity in found.items() if identity is not None}


def _disputed(dispute: login_endpoints.Dispute) -> dict[str, t.Any]:
    return {"node": dispute.name, "port": dispute.port, "agree": dispute.agree, "differ": dispute.differ}


def _differs(variables: Variables, name: str, port: int) -> Findings:
    return finding(
        "other-host-keys" if port == int(variables[SSH_PORT]) else "other-host-keys-at-port",
        node=name,
        port=variables[PEOPLE_PORT],
        expected="those in its files" if certified(variables) else "the shared host keys",
    )


def _looks(variables: Variables) -> list[t.Mapping[str, t.Any]]:
    """Untrusted results of the verifying nodes."""
    results = variables["__host_keys_seen_from_nodes"].get("results") or []
    return [each for each in results if isinstance(each, t.Mapping)]


def _endpoints_of(look: t.Mapping[str, t.Any]) -> t.Any:
    answer = look.get("ssh_endpoints")
    return plain(answer.get("endpoints")) if isinstance(answer, t.Mapping) else []


def _not_seen(looks: t.Sequence[t.Mapping[str, t.Any]]) -> Findings:
    """The finding if all verifying nodes failed. If one succeeded, the tasks of the other nodes report their own failures."""
    failed = [each for each in looks if each.get("failed", False) or each.get("unreachable", False)]
    if not looks or len(failed) < len(looks):
        return []
    reasons = [f"{each.get('item')}: {each.get('msg', 'no message')}" for each in failed]
    return finding("keys-not-seen", reasons="; ".join(reasons))
