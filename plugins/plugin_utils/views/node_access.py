# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values for the tasks of the role node_access."""

from __future__ import annotations

import os
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node_access.plan import UNRECORDED
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.locked_out import refused
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import fleet

from . import Variables, view

DEFAULT_KEY = "~/.ssh/id_ed25519.pub"
PONG = "pong"


@dataclass(frozen=True)
class Asked:
    """Options of the access to nodes, from variables of the cluster only."""

    state_dir: str
    node_types: dict[str, str]
    include: str
    user: str
    """The operations user, for another check in this run; empty if the run gains no access."""


@view
def asked(variables: Variables) -> Asked:
    gains_none = variables["node_access_known_only"] or variables["ansible_check_mode"]
    return Asked(
        state_dir=os.path.expanduser(variables["hyperpod_state_dir"]),
        node_types=plain(variables.get("hyperpod_node_types", {})),
        include="all" if variables["node_access_scope"] == "all" else "new",
        user="" if gains_none else variables["node_access_operations_user"],
    )


@dataclass(frozen=True)
class Key:
    """The public key of the operations account, as the role run validates it."""

    given: str | None
    """The key itself; None if only a file with the key is declared."""
    file: str


@view
def key(variables: Variables) -> Key:
    path = variables.get("hyperpod_operations_public_key_file", DEFAULT_KEY)
    return Key(
        given=variables.get("run_operations_public_key", variables.get("hyperpod_operations_public_key")),
        file=os.path.expanduser(variables.get("run_operations_public_key_file", path)),
    )


@view
def unreached(variables: Variables) -> list[dict[str, str]]:
    """Login nodes that can't be reached, with ``node``, ``reason`` and, in ``says``, the name of the finding's message."""
    groups, hostvars = variables["groups"], variables["hostvars"]
    login = set(groups.get(fleet.LOGIN_NODES, ())) & set(groups[variables["hyperpod_cluster_group"]])
    ids = {hostvars[host]["hyperpod_instance_id"] for host in login}
    found = variables["hyperpod_run"]["node_access"].items()
    away = {node: each["reason"] for node, each in found if node in ids and each["access"] not in fleet.REACHABLE}
    noted = variables["node_access_unknown_noted"]
    return [{"node": node, **_said_of(reason, noted)} for node, reason in away.items()]


def _said_of(reason: str, noted: bool) -> dict[str, str]:
    if reason != UNRECORDED:
        return {"reason": reason, "says": "not-reached"}
    if noted:
        return {"reason": reason, "says": "not-trusted-yet"}
    return {"reason": f"{reason}. Run login_access to create one.", "says": "not-reached"}


@dataclass(frozen=True)
class Configured:
    due: bool
    """Whether there are nodes to record."""
    instance_ids: list[str]
    """Instance IDs of nodes that this run configured for the first time."""


@view
def configured(variables: Variables) -> Configured:
    run = variables["hyperpod_run"]
    new = {node for node, each in run["node_access"].items() if not each["configured"]}
    found = [node.instance_id for node in fleet.of(variables).configured if node.instance_id in new]
    return Configured(bool(found or run["nodes_behind"]), found)


@dataclass(frozen=True)
class Node:
    """The current host, a node. The node's cluster follows from its groups, never from its variables."""

    cluster_host: str
    included: bool
    """Whether the run can connect to the node, and the node's cluster is ready."""


@view
def node(variables: Variables) -> Node:
    host = fleet.cluster_host(variables["group_names"], variables["groups"])
    run = variables["hostvars"][host].get("hyperpod_run") or {}
    return Node(host, bool(run.get("ready", False) and _access(variables, run) in fleet.REACHABLE))


def _access(variables: Variables, run: t.Mapping[str, t.Any]) -> str:
    own = run.get("node_access", {}).get(variables["hyperpod_instance_id"]) or {}
    return str(own.get("access", ""))


@dataclass(frozen=True)
class Cluster:
    """Data about a node's cluster, for a task of the node that is delegated to the cluster's inventory host."""

    arn: str
    region: str
    profile: str | None
    state_dir: str
    node_types: dict[str, str]
    user: str
    key: str


@view
def cluster(variables: Variables) -> Cluster:
    known = _cluster(variables)
    account = known["hyperpod_run"]["access_account"]
    return Cluster(
        arn=known["hyperpod_cluster_arn"],
        region=known["hyperpod_region"],
        profile=known.get("hyperpod_profile"),
        state_dir=os.path.expanduser(known["hyperpod_state_dir"]),
        node_types=plain(known.get("hyperpod_node_types", {})),
        user=account["user"],
        key=account["key"],
    )


@dataclass(frozen=True)
class LockedOut:
    """Nodes of the cluster that refuse this run's SSH connections."""

    instance_ids: list[str]
    asking: bool
    """Whether the current host's task checks all these nodes: it is the first of them, and the run gains access."""


@view
def locked_out(variables: Variables) -> LockedOut:
    nodes = fleet.of(variables).locked_out
    first = [each.host for each in nodes[:1]] == [variables["inventory_hostname"]]
    return LockedOut([each.instance_id for each in nodes], bool(first and cluster(variables).user))


@view
def ping_locked_out(variables: Variables) -> bool:
    """Whether the node refuses the operations account, or the account may not become root."""
    result = variables["__node_access_ping"]
    if result.get("unreachable", False):
        return refused(result.get("msg"))
    return result.get("ping") != PONG


@view
def relooked(variables: Variables) -> dict[str, t.Any]:
    """The access to all nodes, updated after Systems Manager sessions with the nodes that had refused this run."""
    before = plain(_cluster(variables)["hyperpod_run"]["node_access"])
    return {**before, **plain(variables["__node_access_look"]["nodes"])}


def _cluster(variables: Variables) -> t.Mapping[str, t.Any]:
    found: t.Mapping[str, t.Any] = variables["hostvars"][fleet.cluster_host(variables["group_names"], variables["groups"])]
    return found
