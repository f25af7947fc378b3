# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The nodes of one cluster, each with its run state. No I/O: variables in, names out."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

from .state import NAME

CLUSTERS = "hyperpod_clusters"
LOGIN_NODES = "node_type_login"
CONTROLLERS = "node_type_controller"
EKS, SLURM = "orchestrator_eks", "orchestrator_slurm"
PREFIX = "cluster_"

REACHABLE = ("ready", "gained")
"""Values of ``access`` for a node that the run can connect to."""
FORESEEN = "would_gain"
"""The value of ``access`` in check mode for a node that no run has reached so far."""
RUNNING = "Running"
"""The status of a node that HyperPod is not creating, changing or deleting."""

Variables = t.Mapping[str, t.Any]


class NoCluster(Exception):
    """The host is in no group of a single cluster."""


@dataclass(frozen=True)
class Node:
    """A node of the cluster and its host in the inventory."""

    host: str
    instance_id: str
    login: bool
    in_play: bool
    """Whether the host is in the play and has not failed in the play."""
    run: Variables
    """The run state of the host; see ``state``."""
    access: Variables = field(default_factory=dict)
    """The node's entry in ``node_access`` of the run state; empty for a node outside the scope of the run."""

    def says(self, field: str) -> bool:
        return bool(self.run.get(field, False))

    @property
    def failed(self) -> bool:
        """Whether the node is Running and in the scope of the run, but a task failed on it or it was not reached."""
        if self.access.get("status") != RUNNING or self.access.get("access") == FORESEEN:
            return False
        return self.says("failed") or not self.says("reached")


@dataclass(frozen=True)
class Fleet:
    """All nodes of a cluster, in the order of the inventory."""

    cluster_host: str
    nodes: tuple[Node, ...]

    @property
    def login_nodes(self) -> tuple[Node, ...]:
        return tuple(node for node in self.nodes if node.login)

    @property
    def reached(self) -> tuple[Node, ...]:
        return self._which_say("reached")

    @property
    def failed(self) -> tuple[Node, ...]:
        """Nodes that were unreachable or where a task failed."""
        return tuple(node for node in self.nodes if node.failed)

    @property
    def conflicting(self) -> tuple[Node, ...]:
        """Nodes that conflict with the declared users and groups."""
        return self._which_say("conflict")

    @property
    def dirty(self) -> tuple[Node, ...]:
        return self._which_say("dirty")

    @property
    def configured(self) -> tuple[Node, ...]:
        return self._which_say("configured")

    @property
    def users_seen(self) -> tuple[Node, ...]:
        return self._which_say("users_seen")

    @property
    def ready(self) -> tuple[Node, ...]:
        return self._which_say("ready")

    @property
    def locked_out(self) -> tuple[Node, ...]:
        """Nodes of the play that refuse this run's SSH connections. They are checked through Systems Manager."""
        return tuple(node for node in self._which_say("locked_out") if node.in_play)

    def _which_say(self, field: str) -> tuple[Node, ...]:
        return tuple(node for node in self.nodes if node.says(field))


QUESTIONS = ("nodes", *(name for name, member in vars(Fleet).items() if isinstance(member, property)))
"""Names of fields that the lookup ``fleet`` can return."""


def cluster_host(group_names: t.Iterable[str], groups: t.Mapping[str, t.Sequence[str]]) -> str:
    """The inventory host that represents the cluster of a host with these groups (``cluster_KEY``). Groups of several clusters are
    ignored.

    :raises NoCluster: if the host belongs to no cluster or to several.
    """
    names = list(group_names)
    clusters = set(groups.get(CLUSTERS, ()))
    held = [clusters & set(groups[name]) for name in names if name.startswith(PREFIX)]
    found = {host for hosts in held if len(hosts) == 1 for host in hosts}
    if len(found) != 1:
        raise NoCluster(
            f"The groups {', '.join(names) or '(none)'} name no cluster. A node and its cluster's inventory host must be in the "
            f"same group {PREFIX}KEY, and the cluster's inventory host must be in {CLUSTERS}."
        )
    return str(found.pop())


def of(variables: Variables) -> Fleet:
    """The fleet of the current host's cluster. The cluster follows from groups, never from the variables of a node.

    :raises NoCluster: if the host belongs to no cluster or to several.
    """
    groups, hostvars = variables["groups"], variables["hostvars"]
    cluster = cluster_host(variables["group_names"], groups)
    login, playing = set(groups.get(LOGIN_NODES, ())), set(variables.get("ansible_play_hosts", ()))
    hosts = [host for host in groups[hostvars[cluster]["hyperpod_cluster_group"]] if host != cluster]
    access = (hostvars[cluster].get(NAME) or {}).get("node_access") or {}
    return Fleet(cluster, tuple(_node(host, hostvars[host], host in login, host in playing, access) for host in hosts))


def _node(host: str, variables: Variables, login: bool, in_play: bool, access: Variables) -> Node:
    instance_id = str(variables["hyperpod_instance_id"])
    return Node(host, instance_id, login, in_play, variables.get(NAME, {}), access.get(instance_id) or {})


def can_be_asked(run: Variables, instance_id: str) -> bool:
    """Whether the run can connect to the node. ``run``: the run state of the node's cluster."""
    access = (run.get("node_access") or {}).get(instance_id) or {}
    return access.get("access") in REACHABLE


def operations_key(run: Variables, user: str) -> str:
    """The public key for connections as ``user``. Empty if the run connects as a different user, or to no node."""
    account = run.get("access_account") or {}
    return str(account.get("key") or "") if account.get("user") in ("", user) else ""
