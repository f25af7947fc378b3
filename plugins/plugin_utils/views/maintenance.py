# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values for the tasks of the role maintenance: nodes to replace, and groups to update."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import node_limit
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import fleet
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run.returning import unconfigured
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.selected_nodes import replaces, selected

from . import Variables, view


@dataclass(frozen=True)
class Chosen:
    """The selected nodes. The refusals cover all clusters of the play or the rollout, and the other fields cover this cluster."""

    refusals: Findings
    hosts: list[str]
    """Hosts of the selected nodes."""
    instance_ids: list[str]
    work_ids: list[str]
    """Instance IDs of the selected nodes that are not login nodes."""
    groups: list[str]
    """Instance groups of the selected nodes."""
    controllers: list[str]
    """Hosts of selected controller nodes. While these are updated, no job may run on any node of the cluster."""
    node_types: dict[str, str]
    """The node types that are declared for the cluster's instance groups."""


@view
def chosen(variables: Variables) -> Chosen:
    hostvars, groups = variables["hostvars"], variables["groups"]
    meant = selected(variables)
    here = [host for host in meant.hosts if host in groups[variables["hyperpod_cluster_group"]]]
    return Chosen(
        refusals=meant.refusals,
        hosts=here,
        instance_ids=_ids(hostvars, here),
        work_ids=_ids(hostvars, [host for host in here if not _is_login(variables, host)]),
        groups=sorted({str(hostvars[host]["hyperpod_instance_group"]) for host in here}),
        controllers=[host for host in meant.controllers if host in here],
        node_types=_node_types(variables),
    )


@dataclass(frozen=True)
class Slurm:
    """Requests to Slurm about the selected nodes, on the host of a controller node."""

    addresses: list[str]
    resumed: list[str]
    """Addresses of selected nodes that take jobs again."""
    reached: bool
    cluster_host: str
    purpose: str
    """The prefix of the drain reason in Slurm. It ensures that a run resumes only nodes that a run of the same kind drained."""
    saves: bool
    """Whether Slurm's state must be saved, because a controller node gets new software."""
    stays: bool
    """Whether the nodes are already up to date, so they are not drained."""


@view
def slurm(variables: Variables) -> Slurm:
    host = fleet.cluster_host(variables["group_names"], variables["groups"])
    run = variables["hostvars"][host]["hyperpod_run"]
    controllers = variables["groups"].get(fleet.CONTROLLERS, ())
    return Slurm(
        addresses=plain(run["maintained_addresses"]),
        resumed=plain(run.get("resumed_addresses", [])),
        reached=fleet.can_be_asked(run, variables["hyperpod_instance_id"]),
        cluster_host=host,
        purpose="replacement: " if replaces(variables) else "new software: ",
        saves=not replaces(variables) and any(each in controllers for each in run.get("chosen_nodes", ())),
        stays=run.get("up_to_date", False),
    )


@view
def addresses(variables: Variables) -> list[str]:
    """Addresses of the nodes to drain in Slurm, from ``__maintenance_nodes``: the selected nodes, or all nodes if a controller node
    is selected. Login nodes are omitted, because they run no jobs.
    """
    meant, login = chosen(variables), {node.instance_id for node in fleet.of(variables).login_nodes}
    rows = [row for row in plain(variables["__maintenance_nodes"]["nodes"]) if row["ip"] and row["instance_id"] not in login]
    return [row["ip"] for row in rows if meant.controllers or row["instance_id"] in meant.instance_ids]


@dataclass(frozen=True)
class Returning:
    """Nodes that may take jobs again, on a cluster's inventory host, after login access was configured."""

    addresses: list[str]
    held: Findings
    """Findings about nodes that must not take jobs yet."""


@view
def returning(variables: Variables) -> Returning:
    """The result, from ``__maintenance_nodes``.

    A replaced node usually keeps its address. If its address has changed, Slurm may still use the previous address. Therefore an
    address that no node has counts as configured if all nodes of these groups are configured.
    """
    run, nodes = variables["hyperpod_run"], fleet.of(variables)
    stay = set(unconfigured(nodes, run, check_mode=variables["ansible_check_mode"]))
    configured = {node.instance_id for node in nodes.nodes} - stay
    rows = plain(variables["__maintenance_nodes"]["nodes"])
    at = {row["ip"]: row["instance_id"] for row in rows if row["ip"]}
    every = all(row["ip"] and row["instance_id"] in configured for row in rows)
    addresses = plain(run["maintained_addresses"])
    well = [each for each in addresses if (at[each] in configured if each in at else every)]
    held = [at.get(each, each) for each in addresses if each not in well]
    return Returning(well, finding("maintenance-held", nodes=held) if held else [])


@dataclass(frozen=True)
class Emptied:
    """Whether nodes may be replaced or updated, on their cluster's inventory host."""

    work: bool
    """Whether nodes other than login nodes run no jobs."""
    whole: bool
    """Whether, in addition, no selected login node has sessions."""
    pending: Findings
    left: Findings
    """Findings about login nodes that stay in service until the next run."""


@view
def emptied(variables: Variables) -> Emptied:
    run = variables["hyperpod_run"]
    hostvars, needed = variables["hostvars"], list(run.get("needed_nodes", ()))
    login = [host for host in chosen(variables).hosts if _is_login(variables, host)]
    goes = [host for host in login if hostvars[host]["hyperpod_instance_id"] not in needed]
    occupied = [host for host in goes if not (hostvars[host].get("hyperpod_run") or {}).get("emptied", False)]
    work = bool(run.get("jobs_ended", False))
    says = "maintenance-waits" if "jobs_ended" in run else "maintenance-unasked"
    waiting = finding(says, what=", ".join(chosen(variables).groups))
    left = finding("maintenance-next", nodes=needed, again=",".join(needed)) if needed else []
    return Emptied(work, work and not occupied, [] if work and not occupied else waiting, left)


@dataclass(frozen=True)
class Node:
    """The current host, a node."""

    cluster_host: str
    node_types: dict[str, str]


@view
def node(variables: Variables) -> Node:
    host = fleet.cluster_host(variables["group_names"], variables["groups"])
    return Node(host, _node_types(variables["hostvars"][host]))


@dataclass(frozen=True)
class SlurmState:
    """Slurm's state on the disks of controller nodes, which must survive an update."""

    folder: str
    """The folder for the state of this cluster, on the shared file system."""
    unsaved: list[str]
    """Controller nodes that did not confirm that the state is saved, from ``__maintenance_saved``."""
    unseen: str
    """Why this controller node could not check for a saved state, from ``__maintenance_restored``; empty if it could."""


@view
def slurm_state(variables: Variables) -> SlurmState:
    groups, host = variables["groups"], variables["inventory_hostname"]
    own = host if host in groups[fleet.CLUSTERS] else fleet.cluster_host(variables["group_names"], groups)
    cluster_id = str(variables["hostvars"][own]["hyperpod_cluster_arn"]).rpartition("/")[2]
    saved = (variables.get("__maintenance_saved") or {}).get("results", [])
    unsaved = [str(each["item"]) for each in saved if "slurm_state" not in each]
    return SlurmState(f"{variables['maintenance_slurm_state_folder']}/{cluster_id}", unsaved, _unseen(variables))


def _unseen(variables: Variables) -> str:
    """The reason that the node returned. A node may return anything, so data with a wrong type is ignored."""
    restored = (variables.get("__maintenance_restored") or {}).get("slurm_state")
    return str(restored.get("unseen", "")) if isinstance(restored, t.Mapping) else ""


@dataclass(frozen=True)
class Software:
    """The options of ``cluster_software``, and its result from ``__maintenance_software``."""

    groups: list[dict[str, str]]
    changes: bool
    """Whether a group gets different software."""
    behind: Findings
    """Findings about nodes that AWS did not update."""


@view
def software(variables: Variables) -> Software:
    version = str(variables["maintenance_version"])
    groups = [{"name": name, **({"image_release_version": version} if version else {})} for name in chosen(variables).groups]
    result = plain(variables.get("__maintenance_software") or {})
    behind = [node for group in result.get("groups", []) for node in group["nodes_behind"]]
    return Software(groups, bool(result.get("changes", [])), finding("maintenance-left-out", nodes=behind) if behind else [])


@dataclass(frozen=True)
class Eviction:
    """Whether HyperPod may evict Pods from the nodes of an EKS cluster, from ``__maintenance_permissions``."""

    allowed: bool
    cluster: str


@view
def eviction(variables: Variables) -> Eviction:
    found = variables.get("__maintenance_permissions") or {}
    arn = str(variables["hyperpod_run"]["cluster"]["eks_cluster_arn"])
    return Eviction(bool(found.get("allowed", False)), arn.rpartition("/")[2])


def _node_types(cluster: Variables) -> dict[str, str]:
    return plain(cluster.get("hyperpod_node_types") or {})


def _is_login(variables: Variables, host: str) -> bool:
    return host in variables["groups"].get(fleet.LOGIN_NODES, ())


def _ids(hostvars: t.Any, hosts: t.Sequence[str]) -> list[str]:
    return [str(hostvars[host]["hyperpod_instance_id"]) for host in hosts]


@view
def longest(variables: Variables) -> int:
    """The time limit in seconds of the task that waits for jobs to end."""
    return node_limit.with_wait(variables["maintenance_timeout"])


@view
def longest_replacement(variables: Variables) -> int:
    """The time limit in seconds of the task that waits for a replaced node."""
    return node_limit.with_wait(variables["maintenance_wait_timeout"])
