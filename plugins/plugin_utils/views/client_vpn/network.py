# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The VPC, subnets and security groups of the Client VPN."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.names import security_group_name
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import client_vpn, login_group
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared.limits import overlapping
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding

from .. import Variables, view
from .endpoint import endpoint

Rule = list[t.Any]
"""A security group and a port."""
CLUSTER = "mlfleet.hyperpod/cluster"
"""The tag on the security group of a cluster's load balancer."""


@dataclass(frozen=True)
class LoginNodes:
    """The network of the login nodes, from AWS's description of the cluster."""

    refusals: Findings
    """Why the cluster can have no Client VPN."""
    candidates: list[str]
    """Subnets that may be associated with the endpoint."""
    subnets: list[str]
    """The candidates, and the subnets of the login nodes."""
    rules: list[Rule]
    """Rules for the ports of nodes that users reach directly."""


@view
def login_nodes(variables: Variables) -> LoginNodes:
    cluster = variables["hyperpod_run"]["cluster"]
    group = login_group.of(cluster)
    candidates = list(variables["client_vpn_subnets"] or group.subnets)
    return LoginNodes(
        refusals=login_group.refusals(
            variables["hyperpod_cluster_key"],
            cluster,
            without_vpc="vpn-without-vpc",
            without_login_nodes="vpn-without-login-nodes",
        ),
        candidates=candidates,
        subnets=list(dict.fromkeys([*candidates, *group.subnets])),
        rules=[[each, port] for each in group.security_groups for port in variables["client_vpn_node_ports"]],
    )


@dataclass(frozen=True)
class Subnets:
    """The subnets in ``login_nodes``, after they were read."""

    vpc_id: str
    outside: Findings
    """Refusals of subnets in several VPCs."""
    refusals: Findings
    """Refusals of subnets that do not exist."""


@view
def subnets(variables: Variables) -> Subnets:
    read = variables["__client_vpn_login_subnets_read"]["subnets"]
    missing = [each for each in login_nodes(variables).candidates if each not in _ids(read)]
    vpcs = list(dict.fromkeys(each["vpc_id"] for each in read))
    return Subnets(
        vpc_id=vpcs[0] if vpcs else "",
        outside=[] if len(vpcs) == 1 else finding("vpn-subnets-of-several-vpcs", subnets=variables["client_vpn_subnets"]),
        refusals=finding("vpn-subnets-missing", missing=missing) if missing else [],
    )


@dataclass(frozen=True)
class Names:
    """Names of resources that each VPC has only once, with the tags that identify the resources."""

    identity: dict[str, str]
    tags: dict[str, str]
    security_group: str
    security_group_tags: dict[str, str]
    log_group: str
    balancer_group: str
    """The security group of the cluster's load balancer."""


@view
def names(variables: Variables) -> Names:
    vpc_id = variables["hyperpod_run"]["vpn_vpc"]
    identity = {"mlfleet.hyperpod/component": "client_vpn", "mlfleet.hyperpod/client-vpn": vpc_id}
    tags = {**plain(variables["client_vpn_tags"]), **identity}
    security_group = f"mlfleet-client-vpn-{vpc_id}"
    return Names(
        identity=identity,
        tags=tags,
        security_group=security_group,
        security_group_tags={**tags, "Name": security_group},
        log_group=client_vpn.log_group(vpc_id),
        balancer_group=security_group_name(variables["hyperpod_cluster_key"], variables["hyperpod_cluster_arn"]),
    )


@dataclass(frozen=True)
class Addresses:
    """Settings that depend on the VPC's address ranges."""

    refusals: Findings
    dns_servers: list[str]
    authorization_rules: list[dict[str, t.Any]]


@view
def addresses(variables: Variables) -> Addresses:
    blocks = [each["cidr_block"] for each in variables["__client_vpn_vpcs"]["vpcs"][0]["cidr_block_association_set"]]
    client_cidr, vpc_id = variables["client_vpn_client_cidr"], variables["hyperpod_run"]["vpn_vpc"]
    taken = overlapping(client_cidr, blocks)
    found = client_vpn.settings_of(blocks, variables["client_vpn_dns_servers"], variables["client_vpn_allowed_cidrs"])
    return Addresses(
        refusals=finding("vpn-range-taken", cidr=client_cidr, taken=taken, vpc=vpc_id) if taken else [],
        dns_servers=found["dns_servers"],
        authorization_rules=[*found["rules"], *plain(variables["client_vpn_authorization_rules"])],
    )


@dataclass(frozen=True)
class Associations:
    unread: list[str]
    """Associated subnets that were not read yet, because other clusters have associated them."""
    chosen: list[str]
    """Subnets to associate. An Availability Zone keeps its association; in other zones, the first candidate is associated."""


@view
def associations(variables: Variables) -> Associations:
    mine = variables["__client_vpn_login_subnets_read"]["subnets"]
    others = (variables.get("__client_vpn_subnets_associated") or {}).get("subnets") or []
    candidates, associated = login_nodes(variables).candidates, endpoint(variables).associated
    taken = {each["availability_zone"] for each in (*mine, *others) if each["id"] in associated}
    free = login_group.one_a_zone([each for each in mine if each["id"] in candidates], taken)
    kept = [each for each in dict.fromkeys(candidates) if each in associated]
    return Associations(
        unread=[each for each in associated if each not in _ids(mine)],
        chosen=[*kept, *(each["id"] for each in free)],
    )


@dataclass(frozen=True)
class Admitting:
    """The rules that refer to the security group of the Client VPN."""

    exists: bool
    """Whether the security group of the Client VPN exists."""
    groups: list[str]
    """Security groups with rules that refer to the security group of the Client VPN."""
    others: list[str]
    """ARNs of clusters outside this run whose load balancers admit that security group."""
    rules: list[Rule]
    """The rules that this cluster needs."""


@view
def admitting(variables: Variables) -> Admitting:
    groups = (variables.get("__client_vpn_admitting") or {}).get("security_groups") or []
    tagged = [each["tags"][CLUSTER] for each in groups if CLUSTER in each["tags"]]
    running = {variables["hostvars"][host]["hyperpod_cluster_arn"] for host in variables["ansible_play_hosts"]}
    balancers = (variables.get("__client_vpn_balancer_groups") or {}).get("security_groups") or []
    port = variables.get("login_balancer_port", 22)
    return Admitting(
        exists=bool((variables.get("__client_vpn_groups_found") or {}).get("security_groups")),
        groups=[each["group_id"] for each in groups],
        others=[arn for arn in dict.fromkeys(tagged) if arn not in running],
        rules=[*([each["group_id"], port] for each in balancers), *login_nodes(variables).rules],
    )


def _ids(read: t.Iterable[t.Mapping[str, t.Any]]) -> set[str]:
    return {each["id"] for each in read}
