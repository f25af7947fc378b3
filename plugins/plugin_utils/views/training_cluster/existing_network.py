# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The VPC and the subnets that the user gives."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.declared import SYSTEM, Group
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.existing_network import (
    Existing,
    Use,
    control_plane_problems,
    existing,
    node_problems,
)
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.observed import GROUP
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.plan import nodes_of
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain

from .. import Variables, view
from .declared import declared, observed, values
from .planned import WITHOUT_EKS, creates_network, types, zone

VPCS, SUBNETS, TABLES, ENDPOINTS = (f"__training_cluster_{name}" for name in ("vpcs", "subnets", "route_tables", "endpoints"))
"""Variables with the results of modules."""


@dataclass(frozen=True)
class GivenNetwork:
    """The network to read."""

    needed: bool
    """Whether the user gives a network."""
    vpc_id: str
    subnets: list[str]


@view
def given_network(variables: Variables) -> GivenNetwork:
    cluster, there = declared(variables), observed(variables).cluster
    network = cluster.network
    needed = not creates_network(variables) and bool(network.node_subnet_id)
    vpc = network.vpc_id or (str(there["details"]["vpc_id"]) if there else "")
    own = {each.subnet for each in cluster.groups if each.subnet}
    return GivenNetwork(needed, vpc, sorted({*network.subnet_ids, network.node_subnet_id, *own} - {""}))


def existing_network(variables: Variables) -> Existing:
    read = {name: plain(variables.get(name) or {}) for name in (VPCS, SUBNETS, TABLES, ENDPOINTS)}
    return existing(
        given_network(variables).vpc_id,
        vpcs=read[VPCS].get("vpcs") or [],
        subnets=read[SUBNETS].get("subnets") or [],
        tables=read[TABLES].get("route_tables") or [],
        endpoints=read[ENDPOINTS].get("vpc_endpoints") or [],
    )


def node_zone(variables: Variables, group: Group) -> str:
    """The zone of the nodes of a group; empty if their subnet does not exist."""
    if creates_network(variables):
        return zone(variables)
    subnet = existing_network(variables).subnets.get(group.subnet or declared(variables).network.node_subnet_id)
    return subnet.zone if subnet else ""


def existing_network_problems(variables: Variables) -> t.Iterator[str]:
    there, network = existing_network(variables), declared(variables).network
    if observed(variables).cluster is None:
        option = "training_cluster_subnet_ids"
        yield from control_plane_problems(there, option, network.subnet_ids, without_eks=WITHOUT_EKS)
        if not there.found:
            return
    yield from node_problems(there, network.node_subnet_id, _uses(variables))


def _uses(variables: Variables) -> list[Use]:
    cluster, before, known = declared(variables), observed(variables), types(variables)
    home = cluster.network.node_subnet_id
    found = [Use("training_cluster_node_subnet_id", home)]
    declared_groups = [str(each["name"]) for each in values(variables)["groups"]]
    for group in cluster.groups:
        there = before.named(GROUP, group.name)
        now, each = nodes_of(there), known[group.instance_type]
        option = "training_cluster_node_subnet_id"
        if group.subnet and group.name != SYSTEM:
            option = f"training_cluster_groups[{declared_groups.index(group.name)}].subnet_id"
        added = 0 if there and not there["ours"] else max(0, group.count(now) - (now or 0))
        several = (each["efa_devices"] or 0) > 1
        found.append(Use(option, group.subnet or home, group.instance_type, each["zones"] or (), added, several))
    return found
