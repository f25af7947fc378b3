# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The state that a run records for a host: the schema of the variable ``hyperpod_run``.

Plays and roles pass on their results only in this variable. They set the variable by ``set_fact`` with the lookup ``run_state``.
Facts that a module or an action plugin returns are never copied to it, because nodes can write such facts. The schema names the
role or playbook that sets each field; ``dirty`` and ``configured`` are set by every role that changes nodes. Any role may read
any field.
"""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

NAME = "hyperpod_run"
"""The name of the variable."""


class NoField(Exception):
    """The schema lacks the field, or the value has a wrong type."""


@dataclass(frozen=True)
class Field:
    """One value that a run can record for a host."""

    name: str
    kinds: tuple[type, ...]
    owner: str
    """The role or playbook that sets the field."""
    says: str


TEXT, TRUTH, NUMBER = (str,), (bool,), (int,)
LIST, MAP = (list, tuple), (dict,)

CLUSTER = (
    Field("variables_validated", TRUTH, "run", "The names of the variables that are set for the cluster were validated."),
    Field("left_out", TRUTH, "begin.yml", "The playbook is for clusters with a different orchestrator."),
    Field("cluster", (dict, type(None)), "run", "DescribeCluster's data about the cluster, as module cluster_info returns it."),
    Field("records", MAP, "run", "Operators' decisions about the cluster: drained nodes, offboarded users, adoptions."),
    Field("settings", TEXT, "rollout", "A hash of the settings of the cluster."),
    Field("skipped", TRUTH, "run", "This run skips the cluster, because another run holds its lock or it is not selected."),
    Field("held", TRUTH, "run", "This run skips the cluster, because the cluster waits for its wave of a rollout."),
    Field("ready", TRUTH, "run", "Plays over nodes may continue with the nodes of this cluster."),
    Field("writing", TRUTH, "run", "Plays over nodes may change the nodes of this cluster."),
    Field("parts", LIST, "login_access.yml", "The parts that --tags selects, among people, balancer and verify."),
    Field("chosen_nodes", LIST, "drain", "Hosts of nodes that drain_nodes, replace_nodes or update_groups name."),
    Field("maintained_addresses", LIST, "maintenance", "Addresses of the nodes that are replaced or updated."),
    Field("maintained_groups", LIST, "maintenance", "Instance groups of these nodes. Empty if one is a controller node."),
    Field("resumed_addresses", LIST, "maintenance", "Maintained addresses whose nodes may take jobs again."),
    Field("maintained", TRUTH, "maintenance", "The selected nodes were replaced or updated, and may take jobs again."),
    Field("up_to_date", TRUTH, "maintenance", "All groups in update_groups already have the software."),
    Field("jobs_ended", TRUTH, "maintenance", "The nodes to replace or update run no jobs and accept no new jobs."),
    Field(
        "repairs",
        LIST,
        "remediation",
        "Repairs and checks of this run, with the keys node, group, does, why, address, times, turn, checks and codes.",
    ),
    Field("planned", TEXT, "remediation", "The number of a plan that waits for an approval, otherwise empty."),
    Field("nodes_before", LIST, "remediation", "Instance IDs of all nodes before the run replaces any."),
    Field("occupied", MAP, "remediation", "Why a node can't be repaired or checked now, by instance ID, from a controller node."),
    Field("repaired", LIST, "remediation", "Instance IDs of the nodes that AWS rebooted, replaced or checked."),
    Field("unconfigured_nodes", LIST, "remediation", "Instance IDs of nodes that are not configured, and stay drained."),
    Field("judged", TRUTH, "remediation", "The repaired nodes were checked again."),
    Field(
        "node_access",
        MAP,
        "node_access",
        "Access to each node, by instance ID, with the keys access, reason, fresh, configured, group, node_type and status.",
    ),
    Field("node_host_keys", MAP, "node_access", "Lines of the trusted public host keys of each node, by instance ID."),
    Field("nodes_behind", LIST, "node_access", "Instance IDs of nodes without the declared users."),
    Field(
        "access_account",
        MAP,
        "node_access",
        "The user and key for another check of a node. The user is empty if the run gains no access.",
    ),
    Field("users", MAP, "accounts", "Digests of the declared users, by instance group."),
    Field("user_names", LIST, "accounts", "Names of the declared users who have an account."),
    Field("users_unannounced", TRUTH, "node_access", "The digests of the declared users differ from the announced digests."),
    Field("host_key_secret", TEXT, "host_keys", "Name of the secret with the shared host keys."),
    Field("host_ca_secret", TEXT, "host_keys", "Name of the secret with the CA for host keys."),
    Field("host_keys", LIST, "host_keys", "Lines of the public host keys that all login nodes present."),
    Field("host_key_types", LIST, "host_keys", "Types of the keys in host_keys."),
    Field("host_ca", TEXT, "host_keys", "The line of the CA's public key."),
    Field("next_host_keys", LIST, "host_keys", "Lines of the additional public host keys that login nodes announce."),
    Field("next_host_key_types", LIST, "host_keys", "Types of the keys in next_host_keys."),
    Field("rotation", (dict, type(None)), "host_keys", "The state of a host key rotation, as host_key_secret returns it."),
    Field("login_addresses", LIST, "host_keys", "All login nodes with their addresses, as module cluster_node_info returns them."),
    Field("verified_nodes", LIST, "host_keys", "Instance IDs of login nodes whose gate is open and whose host keys were seen."),
    Field("login_ends", LIST, "host_keys", "Deadlines of host certificates and of the rotation, with fields until and days."),
    Field("login_name", TEXT, "login_balancer", "The name that users connect to."),
    Field("login_port", NUMBER, "login_balancer", "The port that users connect to."),
    Field("failed_login_nodes", LIST, "run", "Instance IDs of login nodes that failed, and that this run takes out of service."),
    Field("login_service", MAP, "login_targets", "The number of login nodes in service, and the finding if it is 0."),
    Field("target_group", TEXT, "login_targets", "ARN of the target group of a login node that is drained."),
    Field("needed_nodes", LIST, "login_targets", "Instance IDs of nodes selected for draining that stay in service for now."),
    Field("target_port", NUMBER, "login_targets", "The port at which the login node that is drained is registered."),
    Field("balancer_ports", MAP, "login_targets", "Ports in use, with the keys health (health check) and targets (users)."),
    Field("balancer_foreseen", LIST, "adoption", "Sentences about changes that enforce would make to the adopted load balancer."),
    Field("vpn_vpc", TEXT, "client_vpn", "ID of the VPC of the login nodes."),
    Field("vpn_endpoint", MAP, "client_vpn", "The Client VPN endpoint, as module client_vpn_endpoint_info returns it, or empty."),
    Field("vpn_endpoint_id", TEXT, "client_vpn", "ID of the Client VPN endpoint, or empty."),
    Field("vpn_users", LIST, "client_vpn", "Names of the declared users who have access through the Client VPN."),
    Field("vpn_offboarded", LIST, "client_vpn", "Names of users that any cluster of the VPC has offboarded."),
    Field("vpn_access", MAP, "client_vpn_access", "Who has access through the Client VPN: vpc_id and the rows of the report."),
    Field("vpn_status", MAP, "status", "State of the Client VPN endpoint, for the status page."),
    Field("vpn_ends", LIST, "client_vpn", "Deadlines of the Client VPN's certificates and CRL, with fields until and days."),
    Field("vpn_revoked", MAP, "client_vpn_access", "Revoked certificates of an offboarded user, and pending steps."),
)
"""Fields of the inventory host that represents a cluster."""

NODE = (
    Field("reached", TRUTH, "node_access", "The node answered."),
    Field(
        "locked_out",
        TRUTH,
        "node_access",
        "The node refuses this run: it has a different host key, or the operations account lacks its key or sudo.",
    ),
    Field("failed", TRUTH, "run", "A task failed on the node, or the connection was lost. The rest of the run skips the node."),
    Field("conflict", TRUTH, "run", "The node failed because it conflicts with the declared users and groups."),
    Field("accounts", MAP, "accounts", "Whether accounts have changes (key changed), or wait for processes to end (key held)."),
    Field("identity", MAP, "host_keys", "The host_keys and certificates that the node presents, and whether they have changes."),
    Field("dirty", TRUTH, "any role of nodes", "Whether the plan for the node contains changes to make."),
    Field("configured", TRUTH, "any role of nodes", "The node matches the declaration."),
    Field("users_seen", TRUTH, "accounts", "The accounts match the declaration, and none waits for its processes to end."),
    Field("ready", TRUTH, "login_nodes", "The readiness gate of the node is open."),
    Field("in_turn", TRUTH, "login_nodes", "The rolling update reached the node. False if the update was stopped before."),
    Field("emptied", TRUTH, "drain", "The node is drained and has no sessions."),
    Field("sent_to", TRUTH, "login_targets", "The node is drained, but the load balancer may still send users to it."),
)
"""Fields of the inventory host of a node."""


def schema_of(variables: t.Mapping[str, t.Any]) -> dict[str, Field]:
    """The fields of a host, keyed by name. Only the inventory determines whether the host is a node."""
    return {field.name: field for field in (NODE if "hyperpod_instance_id" in variables else CLUSTER)}


def checked(schema: t.Mapping[str, Field], values: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """The values, if the schema allows them.

    :raises NoField: for a field that is not in the schema, or a value of a wrong type.
    """
    for name, value in values.items():
        field = schema.get(name)
        if field is None:
            raise NoField(f"{NAME}.{name} is not a field. Known fields: {', '.join(sorted(schema))}.")
        if not isinstance(value, field.kinds) or (isinstance(value, bool) and bool not in field.kinds):
            kinds = " or ".join(kind.__name__ for kind in field.kinds)
            raise NoField(f"{NAME}.{name} takes {kinds}, not {type(value).__name__}.")
    return dict(values)
