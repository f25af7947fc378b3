# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The network that the role creates, and the network that the cluster uses."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, replace

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster import network as parts
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.observed import (
    ELASTIC_IP,
    ENDPOINT,
    INTERNET_GATEWAY,
    NAT_GATEWAY,
    ROUTE_TABLE,
    SUBNET,
    VPC,
)
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain

from .. import Variables, view
from .declared import declared, names, observed, this
from .planned import second_zone, zone

COMPONENT = "mlfleet.hyperpod/component"
ANYWHERE = "0.0.0.0/0"
MADE = "__training_cluster_made_{}"
"""The variable with the result of the task that creates resources of this kind, or one result for each item of its loop."""
IDS = {
    VPC: ("vpc", "id"),
    SUBNET: ("subnet", "id"),
    INTERNET_GATEWAY: ("gateway_id",),
    NAT_GATEWAY: ("nat_gateway_id",),
    ROUTE_TABLE: ("route_table", "id"),
}
"""The keys that lead to the ID in this result."""


ONCE = {"retries": {"mode": "standard", "total_max_attempts": 1}}
Part = dict[str, t.Any]
"""A resource to create: its ID, name and tags, and further values. The ID is empty if it does not exist yet."""


@dataclass(frozen=True)
class Created:
    """The network to create."""

    needed: bool
    """In check mode, not if a part is missing, because the modules cannot predict IDs. The plan lists the missing parts."""
    vpc: Part
    subnets: list[Part]
    internet_gateway: Part
    elastic_ip: Part
    nat_gateway: Part
    route_tables: list[Part]
    endpoint: Part
    once: Part
    """Settings of the SDK for calls without a token. The SDK must not repeat them after a lost response, because each call creates
    another resource. The modules repeat throttled calls."""


@view
def created(variables: Variables) -> Created:
    network, called = declared(variables).network, names(variables)
    needed = network.created and not observed(variables).foreign
    zones = {"zone": zone(variables), "second_zone": second_zone(variables)} if needed else {}
    planned = parts.subnets(network.vpc_cidr, **zones) if needed else ()
    tables = _tables(variables) if needed else []
    made = Created(
        needed=needed,
        vpc={**_part(variables, VPC, called.cluster), "cidr": network.vpc_cidr},
        subnets=[{**_part(variables, SUBNET, called.part(each.part)), "cidr": each.cidr, "zone": each.zone} for each in planned],
        internet_gateway=_part(variables, INTERNET_GATEWAY, called.cluster),
        elastic_ip=_part(variables, ELASTIC_IP, called.cluster),
        nat_gateway={
            **_part(variables, NAT_GATEWAY, called.cluster),
            "subnet": _id(variables, SUBNET, called.part(parts.PUBLIC)),
        },
        route_tables=tables,
        endpoint={**_part(variables, ENDPOINT, called.part("s3")), "route_tables": [each["id"] for each in tables]},
        once=ONCE,
    )
    known = [*made.subnets, *made.route_tables, made.vpc, made.internet_gateway, made.elastic_ip, made.nat_gateway, made.endpoint]
    complete = all(each["id"] for each in known)
    return replace(made, needed=needed and (complete or not variables["ansible_check_mode"]))


def _part(variables: Variables, kind: str, name: str) -> Part:
    tags = {"Name": name, **this(variables).tags, COMPONENT: kind}
    return {"id": _id(variables, kind, name), "name": name, "tags": tags}


def _tables(variables: Variables) -> list[Part]:
    """One table for the public subnet, and one for the others. Gateways that do not exist yet have empty IDs."""
    called = names(variables)
    gateways = {parts.PUBLIC: INTERNET_GATEWAY, parts.NODES: NAT_GATEWAY}
    members = {parts.PUBLIC: (parts.PUBLIC,), parts.NODES: (parts.NODES, parts.CONTROL_PLANE)}
    return [
        {
            **_part(variables, ROUTE_TABLE, called.part(part)),
            "routes": [{"dest": ANYWHERE, "gateway_id": _id(variables, gateway, called.cluster)}],
            "subnets": [_id(variables, SUBNET, called.part(each)) for each in members[part]],
        }
        for part, gateway in gateways.items()
    ]


@dataclass(frozen=True)
class Place:
    """The network of the cluster and its nodes. IDs are empty if they are not known yet."""

    vpc_id: str
    subnets: list[str]
    """Subnets of the control plane."""
    nodes: str
    """The subnet of the nodes."""


@view
def place(variables: Variables) -> Place:
    network, cluster, called = declared(variables).network, observed(variables).cluster, names(variables)
    if network.created and (cluster is None or cluster["ours"]):
        ids = [_id(variables, SUBNET, called.part(each)) for each in (parts.NODES, parts.CONTROL_PLANE)]
        return Place(_id(variables, VPC, called.cluster), ids, ids[0])
    if network.created and cluster is not None:
        return Place(cluster["details"]["vpc_id"], [], network.node_subnet_id)
    return Place(network.vpc_id, list(network.subnet_ids), network.node_subnet_id)


def _id(variables: Variables, kind: str, name: str) -> str:
    """The ID of a resource that an earlier run or this run created; empty if it does not exist yet."""
    there = observed(variables).named(kind, name)
    if there and there["ours"]:
        return str(there["id"])
    made = plain(variables.get(MADE.format(kind)) or {})
    path = IDS.get(kind, ())
    for each in made.get("results", [made]):
        if path and path[0] in each and ("item" not in each or each["item"]["name"] == name):
            return str(each[path[0]][path[1]] if len(path) > 1 else each[path[0]])
    return ""
