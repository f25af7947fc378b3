# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The VPC, subnets and security groups of the load balancer."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import KNOWN_AFTER_APPLY
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import admission as who_may_connect, login_group
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding

from .. import Variables, view
from .adopted import adopted


@dataclass(frozen=True)
class LoginNodes:
    """The network of the login nodes, from AWS's description of the cluster."""

    refusals: Findings
    """Why the cluster can have no load balancer."""
    group: str
    security_groups: list[str]
    candidates: list[str]
    """Subnets that the load balancer may have. An adopted load balancer keeps its own subnets."""


@view
def login_nodes(variables: Variables) -> LoginNodes:
    cluster = variables["hyperpod_run"]["cluster"]
    group = login_group.of(cluster)
    wanted = variables["login_balancer_subnets"] or group.subnets
    return LoginNodes(
        refusals=login_group.refusals(
            variables["hyperpod_cluster_key"],
            cluster,
            without_vpc="balancer-without-vpc",
            without_login_nodes="balancer-without-login-nodes",
        ),
        group=group.name,
        security_groups=group.security_groups,
        candidates=list(dict.fromkeys([*adopted(variables).subnets, *wanted])),
    )


@dataclass(frozen=True)
class Subnets:
    """The candidate subnets, after they were read."""

    refusals: Findings
    vpc_ids: list[str]
    chosen: list[dict[str, t.Any]]
    """One subnet for each Availability Zone."""


@view
def subnets(variables: Variables) -> Subnets:
    read = plain(variables["__login_balancer_subnets_read"]["subnets"])
    candidates, own = login_nodes(variables).candidates, adopted(variables).subnets
    vpcs = list(dict.fromkeys(each["vpc_id"] for each in read))
    missing = [each for each in candidates if each not in {found["id"] for found in read}]
    kept = sorted((each for each in read if each["id"] in own), key=lambda each: str(each["id"]))
    wrong = missing or candidates
    return Subnets(
        refusals=finding("subnets-of-several-vpcs", subnets=wrong) if missing or len(vpcs) != 1 else [],
        vpc_ids=vpcs,
        chosen=[*kept, *map(dict, login_group.one_a_zone(read, {each["availability_zone"] for each in kept}))],
    )


@dataclass(frozen=True)
class Placed:
    """The chosen subnets, validated against the Availability Zones of the login nodes."""

    refusals: Findings
    subnet_ids: list[str]


@view
def placed(variables: Variables) -> Placed:
    chosen = variables["__login_balancer_chosen_subnets"]
    zones = {each["az"] for each in variables["__login_balancer_nodes"]["nodes"] if each["az"]}
    missed = sorted(zones - {each["availability_zone"] for each in chosen})
    candidates = login_nodes(variables).candidates
    return Placed(
        refusals=finding("zones-without-subnet", subnets=candidates, zones=missed) if missed else [],
        subnet_ids=[each["id"] for each in chosen],
    )


@dataclass(frozen=True)
class SecurityGroup:
    """The security group of the load balancer."""

    refusals: Findings
    """Refusals of security groups that may connect but do not exist."""
    rules: list[dict[str, t.Any]]
    of_load_balancer: list[str] | None
    """The load balancer's security groups; None if it can't have any."""


@view
def security_group(variables: Variables) -> SecurityGroup:
    allowed = plain(variables["login_balancer_allowed_security_groups"])
    read = {each["group_id"] for each in (variables.get("__login_balancer_allowed_read") or {}).get("security_groups") or ()}
    missing = [each for each in allowed if each not in read]
    vpn = (variables.get("__login_balancer_vpn_read") or {}).get("security_groups") or []
    blocks = (variables.get("__login_balancer_vpc") or {}).get("cidr_block_association_set") or []
    return SecurityGroup(
        refusals=finding("no-such-groups", missing=missing) if missing else [],
        rules=who_may_connect.rules(
            plain(variables["login_balancer_allowed_cidrs"]),
            allowed,
            vpn_groups=[each["group_id"] for each in vpn],
            vpc_cidrs=[each["cidr_block"] for each in blocks],
            port=int(variables["login_balancer_port"]),
        ),
        of_load_balancer=[own_group(variables) or KNOWN_AFTER_APPLY] if adopted(variables).takes_groups else None,
    )


def own_group(variables: Variables) -> str:
    """The ID of the load balancer's security group; empty if the group does not exist yet or the task was skipped."""
    results = [variables.get(f"__login_balancer_group_{each}") or {} for each in ("made", "planned")]
    return next((each["group_id"] for each in results if each.get("group_id")), "")


@view
def login_name(variables: Variables) -> str:
    """The login name before this run changes anything; empty if the load balancer does not exist."""
    read = variables["__login_balancer_read"].get("network_load_balancer") or {}
    return read.get("dns_name") or ""
