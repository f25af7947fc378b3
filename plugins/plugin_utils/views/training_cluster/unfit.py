# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Refusals of clusters that AWS cannot build, before anything is created."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import not_allowed
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.text import printable
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster import group_removal
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.caller import advised, is_among
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.declared import SYSTEM
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.observed import ENTRY, FARGATE
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, refused

from .. import Variables, view
from .declared import VERSIONS, caller, declared, observed, values
from .existing_network import existing_network_problems, given_network
from .planned import SUPPORTED, creates_network, support, types, zone, zones


@view
def unfit(variables: Variables) -> Findings:
    """Refusals that depend on values read from AWS. They are reported before anything is created."""
    return refused(list(_problems(variables)))


def _problems(variables: Variables) -> t.Iterator[str]:
    cluster, before, known = declared(variables), observed(variables), types(variables)
    for group in cluster.groups:
        if not known[group.instance_type]["known"]:
            option = "training_cluster_system" if group.name == SYSTEM else "training_cluster_groups"
            yield not_allowed(option, group.instance_type, "an instance type of the Region", "EC2 does not have this type here")
    yield from _unmanaged(variables)
    yield from group_removal.refusals(cluster.removed_groups, before)
    if before.foreign and (cluster.groups or cluster.file_system) and not cluster.network.node_subnet_id:
        why = f"EKS cluster {printable(cluster.name)} was not created by this role, so the subnet of new nodes must be given"
        yield f"training_cluster_node_subnet_id: missing; {why}."
    yield from _caller_problems(variables)
    yield from _version_problems(variables)
    if creates_network(variables):
        yield from _network_problems(variables)
    if given_network(variables).needed:
        yield from existing_network_problems(variables)


def _version_problems(variables: Variables) -> t.Iterator[str]:
    """The refusal of a version that EKS does not offer for a new cluster or an upgrade."""
    there, wanted = observed(variables).cluster, str(values(variables)["version"])
    if not wanted or support(variables) in SUPPORTED or (there and there["details"]["version"] == wanted):
        return
    offered = [each["version"] for each in plain(variables[VERSIONS])["eks_versions"] if each["status"] in SUPPORTED]
    yield not_allowed("training_cluster_version", wanted, ", ".join(sorted(offered)), "EKS does not offer this version")


def _caller_problems(variables: Variables) -> t.Iterator[str]:
    """The refusal of a run that gives its caller no access, or takes the access away."""
    cluster, before, me = declared(variables), observed(variables), caller(variables)
    if is_among(me, cluster.admins):
        return
    why = ""
    if not before.cluster:
        why = "this is the caller, who otherwise has no access to the new cluster"
    elif is_among(me, [each["id"] for each in before.ours(ENTRY)]):
        why = "this is the caller, who would lose the access that an earlier run created"
    if why:
        yield f"training_cluster_admins: missing; add {printable(advised(me))}, because {why}."


def _unmanaged(variables: Variables) -> t.Iterator[str]:
    """Refusals of clusters whose nodes EKS manages itself."""
    name, before = declared(variables).name, observed(variables)
    if before.cluster and before.cluster["details"]["auto_mode"]:
        yield not_allowed("training_cluster_name", name, "a cluster without EKS Auto Mode", "EKS manages its nodes itself")
    if before.of(FARGATE):
        yield not_allowed("training_cluster_name", name, "a cluster without Fargate profiles", "its Pods can run on Fargate")


def _network_problems(variables: Variables) -> t.Iterator[str]:
    network, option = declared(variables).network, "training_cluster_zone"
    if network.node_subnet_id:
        why = "the run creates the network"
        allowed = "no value without training_cluster_vpc_id"
        yield not_allowed("training_cluster_node_subnet_id", network.node_subnet_id, allowed, why)
    if not observed(variables).cluster and not values(variables)["public_access_cidrs"]:
        why = "the control node could not reach the API server in a network that the run creates"
        yield f"training_cluster_public_access_cidrs: missing; without a public endpoint, {why}."
    offered = {name: each["zones"] or [] for name, each in types(variables).items()}
    if not (declared(variables).groups or zone(variables)):
        yield f"{option}: missing; without node groups, no instance type determines the zone of the nodes."
        return
    chosen, why = zone(variables), "EC2 does not offer all instance types of the groups there"
    if any(chosen not in each for each in offered.values()) or not chosen:
        yield not_allowed(option, chosen, "a zone that offers all instance types of the groups", why)
    elif chosen not in zones(variables):
        yield not_allowed(option, chosen, ", ".join(zones(variables)))
