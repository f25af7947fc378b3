# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Subnets and security groups of the login nodes. ``cluster``: the result of the module cluster_info."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding

Cluster = t.Mapping[str, t.Any]
Subnet = t.Mapping[str, t.Any]
"""A subnet with ``id`` and ``availability_zone``, as M(amazon.aws.ec2_vpc_subnet_info) returns it."""


@dataclass(frozen=True)
class LoginGroup:
    """The first instance group of login nodes. Subnets and security groups that the group lacks are those of the cluster."""

    name: str
    """The name of the group; empty if no instance group has login nodes."""
    subnets: list[str]
    security_groups: list[str]


def of(cluster: Cluster) -> LoginGroup:
    group: t.Mapping[str, t.Any] = next((each for each in cluster["groups"] if each["node_type"] == "login"), {})
    return LoginGroup(
        name=group.get("name", ""),
        subnets=list(group.get("subnets") or cluster["subnets"]),
        security_groups=list(group.get("security_groups") or cluster["security_groups"]),
    )


def refusals(key: str, cluster: Cluster, *, without_vpc: str, without_login_nodes: str) -> Findings:
    """The finding ``without_vpc`` for a cluster without subnets, or ``without_login_nodes`` for a cluster without login nodes."""
    if not cluster["subnets"]:
        return finding(without_vpc, cluster=key)
    if not of(cluster).name:
        return finding(without_login_nodes, cluster=key, groups=sorted(each["name"] for each in cluster["groups"]))
    return []


def one_a_zone(subnets: t.Iterable[Subnet], taken: t.Collection[str]) -> list[Subnet]:
    """The first subnet of each Availability Zone that is not in ``taken``, sorted by zone."""
    found: dict[str, Subnet] = {}
    for each in sorted(subnets, key=lambda subnet: str(subnet["id"])):
        if each["availability_zone"] not in taken:
            found.setdefault(each["availability_zone"], each)
    return [found[zone] for zone in sorted(found)]
