# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The nodes of one cluster, and what the run knows of each. Pure: variables in, names out."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from .state import NAME

CLUSTERS = "hyperpod_clusters"
LOGIN_NODES = "node_type_login"
CONTROLLERS = "node_type_controller"
EKS, SLURM = "orchestrator_eks", "orchestrator_slurm"
PREFIX = "cluster_"

REACHABLE = ("ready", "gained")
"""Access to a node that can be asked."""

Variables = t.Mapping[str, t.Any]


class NoCluster(Exception):
    """A host that is in no group of one cluster."""


@dataclass(frozen=True)
class Node:
    """A node's host in the inventory."""

    host: str
    instance_id: str
    login: bool
    in_play: bool
    """It takes part in the play, and has not failed in it."""
    run: Variables
    """What the run knows of it; see ``state``."""

    def says(self, field: str) -> bool:
        return bool(self.run.get(field, False))


@dataclass(frozen=True)
class Fleet:
    """All nodes of a cluster, in the inventory's order."""

    cluster_host: str
    nodes: tuple[Node, ...]

    @property
    def login_nodes(self) -> tuple[Node, ...]:
        return tuple(node for node in self.nodes if node.login)

    @property
    def reached(self) -> tuple[Node, ...]:
        return self._which_say("reached")

    @property
    def refused(self) -> tuple[Node, ...]:
        """Those that were reached and made no plan, since the declaration does not fit them."""
        return tuple(node for node in self.reached if "dirty" not in node.run)

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
    def with_another_host_key(self) -> tuple[Node, ...]:
        return tuple(node for node in self._which_say("another_host_key") if node.in_play)

    @property
    def unproven(self) -> tuple[Node, ...]:
        """Those whose new host key could not be verified."""
        return self._which_say("unproven")

    def _which_say(self, field: str) -> tuple[Node, ...]:
        return tuple(node for node in self.nodes if node.says(field))


QUESTIONS = ("nodes", *(name for name, member in vars(Fleet).items() if isinstance(member, property)))
"""What can be asked by name."""


def cluster_host(group_names: t.Iterable[str], groups: t.Mapping[str, t.Sequence[str]]) -> str:
    """The only cluster's host in the host's groups ``cluster_KEY``; a person's own group may hold several clusters.

    :raises NoCluster: for a host of no cluster.
    """
    names = list(group_names)
    clusters = set(groups.get(CLUSTERS, ()))
    held = [clusters & set(groups[name]) for name in names if name.startswith(PREFIX)]
    found = {host for hosts in held if len(hosts) == 1 for host in hosts}
    if len(found) != 1:
        raise NoCluster(
            f"The groups {', '.join(names) or '(none)'} name no cluster; a node and its cluster's host are in one "
            f"group {PREFIX}KEY, and the cluster's host is in {CLUSTERS}."
        )
    return str(found.pop())


def of(variables: Variables) -> Fleet:
    """The fleet of the cluster that the current host belongs to; a node's own variables choose nothing.

    :raises NoCluster: for a host of no cluster.
    """
    groups, hostvars = variables["groups"], variables["hostvars"]
    cluster = cluster_host(variables["group_names"], groups)
    login, playing = set(groups.get(LOGIN_NODES, ())), set(variables.get("ansible_play_hosts", ()))
    hosts = [host for host in groups[hostvars[cluster]["hyperpod_cluster_group"]] if host != cluster]
    return Fleet(cluster, tuple(_node(host, hostvars[host], host in login, host in playing) for host in hosts))


def _node(host: str, variables: Variables, login: bool, in_play: bool) -> Node:
    return Node(host, str(variables["hyperpod_instance_id"]), login, in_play, variables.get(NAME, {}))


def can_be_asked(run: Variables, instance_id: str) -> bool:
    """Whether the cluster, of which the run knows ``run``, has access to the node."""
    access = (run.get("node_access") or {}).get(instance_id) or {}
    return access.get("access") in REACHABLE
