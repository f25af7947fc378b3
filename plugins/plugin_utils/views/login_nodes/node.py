# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The current host, a node. The node's cluster and type follow from its groups, never from its variables."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import drained
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import fleet

from .. import Variables, view

SSHD = 22
"""The port of sshd itself, which is open whatever the state of the readiness gate."""


@dataclass(frozen=True)
class Node:
    cluster_host: str
    is_login: bool
    certified: bool
    """Whether login nodes have host certificates: the run state of the cluster then has a CA."""
    planning: bool
    """Whether the tasks only predict changes."""


@view
def node(variables: Variables) -> Node:
    groups = variables["groups"]
    return Node(
        cluster_host=fleet.cluster_host(variables["group_names"], groups),
        is_login=variables["inventory_hostname"] in groups.get(fleet.LOGIN_NODES, ()),
        certified="host_ca" in of_cluster(variables),
        planning=bool(variables.get("login_nodes_planning", False)),
    )


@view
def drain_record(variables: Variables) -> dict[str, t.Any]:
    """The drain record of the node; empty if the node accepts logins."""
    found = (of_cluster(variables).get("records") or {}).get("drained") or {}
    return plain(found.get(variables.get("hyperpod_instance_id", ""), {}))


@dataclass(frozen=True)
class Identity:
    """The host keys that the node presents."""

    host_keys: list[str]
    certificates: dict[str, str]
    valid_certificates: list[str]
    foreseen: bool


@view
def identity(variables: Variables) -> Identity:
    """The host keys of the node. A node whose host keys this run does not manage presents the shared host keys."""
    own = plain(variables["hyperpod_run"].get("identity"))
    if own is None:
        return Identity(plain(of_cluster(variables)["host_keys"]), {}, [], foreseen=False)
    return Identity(own["host_keys"], own["certificates"], own["valid_certificates"], own["foreseen"])


@dataclass(frozen=True)
class Sshd:
    host_key_types: list[str]
    next_host_key_types: list[str]
    refusal: str
    """The message to users whose login is refused; empty while logins are accepted."""
    operations_key: str
    """The public key of the operations account; empty if the run does not manage this account."""


@view
def sshd(variables: Variables) -> Sshd:
    run = of_cluster(variables)
    types = list(run["host_key_types"])
    following = [each for each in run["next_host_key_types"] if each in types]
    refusal = drained.refusal_message(plain(variables["login_nodes_drained"]), variables["hyperpod_instance_id"])
    return Sshd(types, following, refusal, fleet.operations_key(run, variables["login_nodes_operations_user"]))


@dataclass(frozen=True)
class Gate:
    """The readiness gate."""

    state: str
    former_ports: list[int]
    former_people_ports: list[int]
    """The ports for users that the load balancer uses now."""
    users_foreseen: bool


@view
def gate(variables: Variables) -> Gate:
    ports = of_cluster(variables).get("balancer_ports") or {}
    always_open = (int(variables["login_nodes_ssh_port"]), SSHD)
    targets = dict.fromkeys(int(each) for each in ports.get("targets") or ())
    state = "closed" if variables["login_nodes_drained"] else "open"
    return Gate(
        state=variables.get("login_nodes_gate_state", state),
        former_ports=[ports["health"]] if "health" in ports else [],
        former_people_ports=[each for each in targets if each not in always_open],
        users_foreseen=users_changed(variables) and not node(variables).planning,
    )


def of_cluster(variables: Variables) -> t.Mapping[str, t.Any]:
    """The run state of the node's cluster."""
    host = fleet.cluster_host(variables["group_names"], variables["groups"])
    found: t.Mapping[str, t.Any] = variables["hostvars"][host].get("hyperpod_run") or {}
    return found


def users_changed(variables: Variables) -> bool:
    accounts = (variables.get("hyperpod_run") or {}).get("accounts") or {}
    return bool(accounts.get("changed"))
