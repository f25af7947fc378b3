# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The state that a run records for a host: the schema of the variable ``hyperpod_run``.

Plays and roles pass on their results only in this variable, set by ``set_fact`` with the lookup ``run_state``. Facts that a module
or an action plugin returns never reach it, since nodes can write them. Each field has one owner, the role that
sets it; every role may read it.
"""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

NAME = "hyperpod_run"
"""The variable."""


class NoField(Exception):
    """A field that the schema lacks, or a value of another type."""


@dataclass(frozen=True)
class Field:
    """One value that a run can record for a host."""

    name: str
    kinds: tuple[type, ...]
    owner: str
    """The role that sets it."""
    says: str


TEXT, TRUTH, NUMBER = (str,), (bool,), (int,)
LIST, MAP = (list, tuple), (dict,)

CLUSTER = (
    Field("variables_validated", TRUTH, "run", "The names of the variables that are set for the cluster were validated."),
    Field("left_out", TRUTH, "begin.yml", "The playbook is for clusters with another orchestrator."),
    Field("cluster", (dict, type(None)), "run", "DescribeCluster's data about the cluster, as module cluster_info returns it."),
    Field("records", MAP, "run", "Decisions of operators about the cluster: drained nodes, offboarded users, adoptions."),
    Field("skipped", TRUTH, "run", "This run skips the cluster, because another run holds its lock or it is not selected."),
    Field("ready", TRUTH, "run", "Plays over nodes may continue with the nodes of this cluster."),
    Field("writing", TRUTH, "run", "Plays over nodes may change the nodes of this cluster."),
    Field("parts", LIST, "login_access.yml", "Parts that tags select: people, balancer, verify."),
    Field("chosen_nodes", LIST, "drain", "Hosts of nodes that drain_nodes, replace_nodes or update_groups name."),
    Field("maintained_addresses", LIST, "maintenance", "Addresses of the nodes that are replaced or get new software."),
    Field("maintained_groups", LIST, "maintenance", "Their instance groups; none if all nodes take no jobs meanwhile."),
    Field("resumed_addresses", LIST, "maintenance", "Addresses of those of them that are configured, and may take jobs again."),
    Field("maintained", TRUTH, "maintenance", "They were replaced or updated, and may take jobs again."),
    Field("up_to_date", TRUTH, "maintenance", "The groups that update_groups names already have the software."),
    Field("jobs_ended", TRUTH, "maintenance", "No job is on these nodes, and they take none."),
    Field("repairs", LIST, "remediation", "Actions of this run: node, group, does, why, address, times, turn, checks, codes."),
    Field("nodes_before", LIST, "remediation", "Instance ids of all nodes, before any is replaced."),
    Field("occupied", MAP, "remediation", "Why a node can't be repaired or checked now, by instance id, reported by a controller."),
    Field("repaired", LIST, "remediation", "Instance ids of the nodes that AWS rebooted, replaced or checked."),
    Field("unconfigured_nodes", LIST, "remediation", "Instance IDs of nodes that are not configured, and stay drained."),
    Field("judged", TRUTH, "remediation", "They were checked again."),
    Field("node_access", MAP, "node_access", "By instance id: access, reason, node_type, configured."),
    Field("node_host_keys", MAP, "node_access", "By instance id: the trusted public host keys, as lines."),
    Field("nodes_behind", LIST, "node_access", "Instance ids of nodes without the declared users."),
    Field("access_account", MAP, "node_access", "For another check of a node: user, key. No user if no access is gained."),
    Field("users", MAP, "accounts", "Digests of the declared users, by instance group."),
    Field("user_names", LIST, "accounts", "Names of the declared users who have an account."),
    Field("users_unannounced", TRUTH, "node_access", "The digests differ from the announced ones."),
    Field("host_key_secret", TEXT, "host_keys", "Name of the secret with the shared host keys."),
    Field("host_ca_secret", TEXT, "host_keys", "Name of the secret with the CA for host keys."),
    Field("host_keys", LIST, "host_keys", "Lines of the public host keys that all login nodes present."),
    Field("host_key_types", LIST, "host_keys", "Their types."),
    Field("host_ca", TEXT, "host_keys", "The line of the CA's public key."),
    Field("next_host_keys", LIST, "host_keys", "Lines of the additional public host keys that login nodes announce."),
    Field("next_host_key_types", LIST, "host_keys", "Their types."),
    Field("rotation", (dict, type(None)), "host_keys", "The state of a host key rotation, as host_key_secret returns it."),
    Field("login_addresses", LIST, "host_keys", "All login nodes, as module cluster_node_info returns them with addresses."),
    Field("verified_nodes", LIST, "host_keys", "Instance ids of login nodes whose gate is open and whose host keys were seen."),
    Field("login_ends", LIST, "host_keys", "When each host certificate and the rotation end: until and days."),
    Field("login_name", TEXT, "login_balancer", "The name that users connect to."),
    Field("login_port", NUMBER, "login_balancer", "The port that users connect to."),
    Field("failed_login_nodes", LIST, "run", "Instance ids of login nodes that failed, and that this run takes out of service."),
    Field("login_service", MAP, "login_targets", "How many login nodes are in service, and the finding if none is."),
    Field("target_group", TEXT, "login_targets", "ARN of the target group of a login node that is drained."),
    Field("needed_nodes", LIST, "login_targets", "Instance ids of nodes selected for draining that stay in service for now."),
    Field("target_port", NUMBER, "login_targets", "The port at which it is registered."),
    Field("balancer_ports", MAP, "login_targets", "health: the port of the health check, targets: the user ports."),
    Field("balancer_foreseen", LIST, "adoption", "The load balancer as it would be after adoption."),
    Field("vpn_vpc", TEXT, "client_vpn", "ID of the VPC of the login nodes."),
    Field("vpn_endpoint", MAP, "client_vpn", "Its Client VPN endpoint, as module client_vpn_endpoint_info returns it, or empty."),
    Field("vpn_endpoint_id", TEXT, "client_vpn", "The ID of the endpoint, or empty."),
    Field("vpn_users", LIST, "client_vpn", "Names of the declared users who have access through it."),
    Field("vpn_offboarded", LIST, "client_vpn", "Names of users that any cluster of the VPC has offboarded."),
    Field("vpn_access", MAP, "client_vpn_access", "Who has access through it: vpc_id and rows, for the report."),
    Field("vpn_status", MAP, "status", "State of the Client VPN endpoint, for the status page."),
    Field("vpn_ends", LIST, "client_vpn", "When certificates of the Client VPN end: until and days."),
    Field("vpn_revoked", MAP, "client_vpn_access", "Revoked certificates of an offboarded user, and pending steps."),
)
"""Of the host of a cluster."""

NODE = (
    Field("reached", TRUTH, "node_access", "It answered."),
    Field("locked_out", TRUTH, "node_access", "It refuses this run: another host key, or an account that lacks its key or sudo."),
    Field("failed", TRUTH, "run", "A task failed on it, or the connection was lost; the rest of the run leaves it out."),
    Field("conflict", TRUTH, "run", "It failed because it conflicts with the declared users and groups."),
    Field("accounts", MAP, "accounts", "changed: its accounts have changes; held: one stays until its processes have ended."),
    Field("identity", MAP, "host_keys", "The host_keys and certificates that it presents, and whether they have changes."),
    Field("dirty", TRUTH, "any role of nodes", "Its plan has changes."),
    Field("configured", TRUTH, "any role of nodes", "It is as declared."),
    Field("users_seen", TRUTH, "accounts", "Its accounts are as declared, and none waits for the end of processes."),
    Field("ready", TRUTH, "login_nodes", "Its readiness gate is open."),
    Field("in_turn", TRUTH, "login_nodes", "It got its turn in the rolling update; false if the update was stopped before."),
    Field("emptied", TRUTH, "drain", "It is drained and has no sessions."),
    Field("sent_to", TRUTH, "login_targets", "The load balancer may still send users to it, although it is drained."),
)
"""Of the host of a node."""


def schema_of(variables: t.Mapping[str, t.Any]) -> dict[str, Field]:
    """The fields of a host, by name. Only the inventory decides whether it is a node."""
    return {field.name: field for field in (NODE if "hyperpod_instance_id" in variables else CLUSTER)}


def checked(schema: t.Mapping[str, Field], values: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """
    :raises NoField: for a field that is not in the schema, or a value of another type.
    """
    for name, value in values.items():
        field = schema.get(name)
        if field is None:
            raise NoField(f"{NAME}.{name} is not a field; known fields: {', '.join(sorted(schema))}.")
        if not isinstance(value, field.kinds) or (isinstance(value, bool) and bool not in field.kinds):
            kinds = " or ".join(kind.__name__ for kind in field.kinds)
            raise NoField(f"{NAME}.{name} takes {kinds}, not {type(value).__name__}.")
    return dict(values)
