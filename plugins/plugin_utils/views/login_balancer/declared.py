# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values from the role's variables only, and names that are derived from the variables."""

from __future__ import annotations

from dataclasses import dataclass

from ansible.module_utils.parsing.convert_bool import boolean
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.names import security_group_name
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import admission as who_may_connect
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared import login_balancer as declaration
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, of_texts, refused

from .. import Variables, view


@dataclass(frozen=True)
class Admission:
    """Who may connect to the load balancer."""

    refusals: Findings
    notes: Findings
    client_vpn: bool
    """Whether users of the Client VPN may connect."""


@view
def admission(variables: Variables) -> Admission:
    recorded = (variables["login_balancer_adopted"].get("load_balancer") or {}).get("security_groups")
    found = who_may_connect.judged(
        plain(variables["login_balancer_allowed_cidrs"]),
        plain(variables["login_balancer_allowed_security_groups"]),
        scheme=variables["login_balancer_scheme"],
        confirmed=boolean(variables["login_balancer_public_confirm"], strict=False),
        cluster=variables["hyperpod_cluster_key"],
        without_groups=recorded is not None and not recorded,
    )
    notes = [each.to_result() for each in of_texts("who-may-connect", None, found["notes"])]
    return Admission(refused(found["problems"]), notes, client_vpn=bool(variables.get("client_vpn_client_cidr")))


@view
def refusals(variables: Variables) -> Findings:
    hostvars, groups = variables["hostvars"], variables["groups"]
    cluster = set(groups.get(variables["hyperpod_cluster_group"], ()))
    nodes = {host: hostvars[host] for host in groups.get("node_type_login", ()) if host in cluster}
    return declaration.refusals(variables, hostvars[variables["inventory_hostname"]], nodes)


@dataclass(frozen=True)
class Names:
    load_balancer: str
    target_group: str
    """The name of the target group; an adopted target group keeps its name."""
    own_load_balancer: bool
    own_target_group: bool
    """Whether a target group with the declared name is ours, because no adopted target group has that name."""
    security_group: str
    tags: dict[str, str]


@view
def names(variables: Variables) -> Names:
    adopted, name = variables["login_balancer_adopted"], variables["login_balancer_name"]
    arn = variables["hyperpod_cluster_arn"]
    load_balancer, target_group = ((adopted.get(kind) or {}).get("name") for kind in ("load_balancer", "target_group"))
    ours = {"mlfleet.hyperpod/cluster": arn, "mlfleet.hyperpod/component": "login_balancer"}
    return Names(
        load_balancer=load_balancer or name,
        target_group=target_group or name,
        own_load_balancer=load_balancer != name,
        own_target_group=target_group != name,
        security_group=security_group_name(variables["hyperpod_cluster_key"], arn),
        tags={**plain(variables["login_balancer_tags"]), **ours},
    )
