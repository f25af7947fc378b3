# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clusters and nodes of the run."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible.module_utils.parsing.convert_bool import boolean
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import fleet

from .. import Variables, view


@view
def unchanged(variables: Variables) -> str:
    """The end of a host pattern that excludes unchanged clusters and their nodes.

    A cluster is unchanged if it has no changes since the last full look (a run of reconcile that checks everything), or if that
    full look has handled the event of the run. Plays use the pattern in ``hosts``, where no variables of a host are known yet.
    """
    hostvars = variables.get("hostvars", {})
    clusters = (hostvars[host] for host in variables["groups"].get(fleet.CLUSTERS, ()) if host in hostvars)
    left = [each for each in clusters if _is(each, "hyperpod_look", "quiet") or _is(each, "hyperpod_event", "handled")]
    return "".join(f":!{each['hyperpod_cluster_group']}" for each in left)


def _is(variables: t.Mapping[str, t.Any], registered: str, name: str) -> bool:
    result = variables.get(registered)
    return isinstance(result, t.Mapping) and bool(result.get(name, False))


@dataclass(frozen=True)
class Node:
    """Properties of the current host that its groups determine."""

    cluster_host: str
    is_login: bool


@view
def node(variables: Variables) -> Node:
    groups = variables["groups"]
    return Node(
        cluster_host=fleet.cluster_host(variables["group_names"], groups),
        is_login=variables["inventory_hostname"] in groups.get(fleet.LOGIN_NODES, ()),
    )


@view
def out_due(variables: Variables) -> bool:
    """Whether the current host, a login node that failed and still answers, must take no logins until a run has verified it.

    If no other login node is in service, the node keeps taking logins, because a doubtful node is better than none.
    """
    cluster = variables["hostvars"][node(variables).cluster_host].get("hyperpod_run") or {}
    failed = cluster.get("failed_login_nodes", ())
    serving = (cluster.get("login_service") or {}).get("in_service")
    relieved = serving is None or bool(set(serving) - set(failed))
    answers = bool((variables.get("hyperpod_run") or {}).get("reached", False))
    return answers and relieved and bool(cluster.get("writing", False)) and variables["hyperpod_instance_id"] in failed


@dataclass(frozen=True)
class Drain:
    """The nodes that ``drain_nodes`` or ``undrain_nodes`` names; empty if neither is set."""

    chosen: list[str]
    instance_ids: list[str]


@view
def drain(variables: Variables) -> Drain:
    chosen = list((variables.get("hyperpod_run") or {}).get("chosen_nodes", ()))
    return Drain(chosen, [variables["hostvars"][host]["hyperpod_instance_id"] for host in chosen])


@dataclass(frozen=True)
class Maintained:
    """Login nodes that are replaced or updated, on their cluster's inventory host; empty if the nodes are up to date.

    Login nodes that must stay in service until the next run are omitted.
    """

    login_ids: list[str]
    undrained: list[str]
    """Hosts of login nodes that were updated, and that can accept logins again."""


@view
def maintained(variables: Variables) -> Maintained:
    run = variables.get("hyperpod_run") or {}
    going = _going(variables, run)
    back = [host for host in going if run.get("maintained", False) and _emptied(variables["hostvars"][host])]
    return Maintained(list(going.values()), back)


def _emptied(node: t.Mapping[str, t.Any]) -> bool:
    return bool((node.get("hyperpod_run") or {}).get("emptied", False))


def _going(variables: Variables, run: t.Mapping[str, t.Any]) -> dict[str, str]:
    """Instance IDs of the login nodes to replace or update, keyed by host."""
    login = set(variables["groups"].get(fleet.LOGIN_NODES, ()))
    chosen = () if run.get("up_to_date", False) else run.get("chosen_nodes", ())
    ids = {host: str(variables["hostvars"][host]["hyperpod_instance_id"]) for host in chosen if host in login}
    return {host: iid for host, iid in ids.items() if iid not in run.get("needed_nodes", ())}


@view
def turn_group(variables: Variables) -> str:
    """The group of the current node in plays that replace or update nodes.

    The group is ``hyperpod_draining`` for a selected login node, and ``hyperpod_slurm`` for the first controller node. Other nodes
    have none.
    """
    groups, host = variables["groups"], variables["inventory_hostname"]
    own = fleet.cluster_host(variables["group_names"], groups)
    run = variables["hostvars"][own].get("hyperpod_run") or {}
    if not run.get("ready", False):
        return ""
    members = set(groups[variables["hostvars"][own]["hyperpod_cluster_group"]])
    controllers = [each for each in groups.get(fleet.CONTROLLERS, ()) if each in members]
    if host in controllers[:1]:
        return "hyperpod_slurm"
    return "hyperpod_draining" if host in _going(variables, run) else ""


@view
def vpn_reporting(variables: Variables) -> bool:
    """Whether the current host writes the report on all clusters. A report needs at least one cluster with a Client VPN."""
    hosts = variables["ansible_play_hosts"]
    first = variables["inventory_hostname"] == hosts[0]
    return first and any("vpn_access" in (variables["hostvars"][host].get("hyperpod_run") or {}) for host in hosts)


HOOKS = ("accelerator_health_slurm_check", "accelerator_health_prolog")
"""The variables that make Slurm run accelerator health checks. They are off by default."""


@view
def hooks_wanted(variables: Variables) -> bool:
    """Whether Slurm must run health checks on the current host, a node, and this run may change the node."""
    own = variables["hostvars"][fleet.cluster_host(variables["group_names"], variables["groups"])]
    asks = any(boolean(variables.get(name, False), strict=False) for name in HOOKS)
    changes = bool(variables["ansible_check_mode"] or (own.get("hyperpod_run") or {}).get("writing", False))
    return asks and changes and bool((variables.get("hyperpod_run") or {}).get("reached", False))


@dataclass(frozen=True)
class Repairs:
    """The repairs of a cluster, on the cluster's inventory host or on the host of one of its nodes."""

    planned: bool
    """Whether nodes of the cluster will be repaired."""
    made: bool
    """Whether AWS has repaired nodes of the cluster."""


@view
def repairs(variables: Variables) -> Repairs:
    groups, host = variables["groups"], variables["inventory_hostname"]
    own = host if host in groups[fleet.CLUSTERS] else fleet.cluster_host(variables["group_names"], groups)
    run = variables["hostvars"][own].get("hyperpod_run") or {}
    return Repairs(bool(run.get("repairs")), bool(run.get("repaired")))
