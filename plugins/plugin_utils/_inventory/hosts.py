# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Discovered clusters and nodes as hosts, variables and groups."""

from __future__ import annotations

import re
import sys
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.model import Node

from .discovery import Found
from .ssh_options import SSH_TIMEOUT, Access, Link, common_args

Host = dict[str, t.Any]
"""``{"vars": {...}, "groups": [...]}``; plain JSON, so that it can be cached."""


def group_name(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]", "_", text)


def check_keys(found: t.Sequence[Found]) -> None:
    """
    :raises Refused: if two clusters would have the same group, or one cluster was found twice.
    """
    by_group: dict[str, Found] = {}
    by_arn: dict[str, Found] = {}
    for each in found:
        same = by_arn.setdefault(each.cluster.arn, each)
        if same is not each:
            raise Refused(
                f"Cluster {each.cluster.arn} is found twice, with {_source(same)} and with {_source(each)}. "
                "List the cluster in accounts[].clusters of only one account of the source."
            )
        other = by_group.setdefault(group_name(each.key), each)
        if other is not each:
            raise Refused(
                f"Two clusters have the key {each.key!r}, or keys that result in the same group name: {other.cluster.arn} "
                f"({_source(other)}) and {each.cluster.arn} ({_source(each)}). Give one of them a different key under "
                "accounts[].clusters."
            )


def check_neighbours(hosts: t.Mapping[str, Host], others: t.Iterable[t.Mapping[str, t.Any]]) -> None:
    """Check the clusters of this source against other sources. ``others``: variables of the clusters already in the inventory.

    :raises Refused: if two clusters would have the same group, or one cluster would have two hosts.
    """
    clusters = [host["vars"] for host in hosts.values() if "hyperpod_clusters" in host["groups"]]
    by_group = {each["hyperpod_cluster_group"]: each for each in clusters}
    by_arn = {each["hyperpod_cluster_arn"]: each for each in clusters}
    for other in others:
        arn, key = other.get("hyperpod_cluster_arn"), other.get("hyperpod_cluster_key")
        same = by_group.get(other.get("hyperpod_cluster_group"))
        if same and same["hyperpod_cluster_arn"] != arn:
            raise Refused(
                f"Two clusters have the key {same['hyperpod_cluster_key']!r}, or keys that result in the same group name: {arn} "
                f"from a different inventory source and {same['hyperpod_cluster_arn']}. "
                f"Give one of them a different key under accounts[].clusters."
            )
        again = by_arn.get(arn)
        if again and again["hyperpod_cluster_key"] != key:
            raise Refused(
                f"Cluster {arn} is found twice, with the key {key!r} in a different source and with the key "
                f"{again['hyperpod_cluster_key']!r} in this source. Include the cluster in only one source."
            )


def hosts_of(found: Found, access: Access) -> dict[str, Host]:
    """The inventory host that represents the cluster, and one inventory host for each node."""
    groups = [_shared_vars(found)["hyperpod_cluster_group"], f"orchestrator_{found.cluster.orchestrator}"]
    hosts = {found.key: {"vars": _cluster_vars(found, access), "groups": ["hyperpod_clusters", *groups]}}
    link = Link(cluster=found.cluster, profile=found.profile, connection=found.connection, jump=jump_node(found.nodes))
    for node in found.nodes:
        own = [f"instance_group_{group_name(node.group)}"]
        if node.node_type:
            own.append(f"node_type_{node.node_type}")
        variables = {**_shared_vars(found), **_node_vars(found, node), **_connection_vars(found, link, node, access)}
        hosts[f"{found.key}-{node.instance_id}"] = {"vars": variables, "groups": ["hyperpod_nodes", *groups, *own]}
    return hosts


def jump_node(nodes: t.Sequence[Node]) -> Node | None:
    """The oldest running controller node, which HyperPod never replaces automatically; otherwise the oldest running login node."""
    for node_type in ("controller", "login"):
        running = [node for node in nodes if node.node_type == node_type and node.status == "Running"]
        if running:
            return min(running, key=lambda node: (node.launch_time, node.instance_id))
    return None


def _shared_vars(found: Found) -> dict[str, t.Any]:
    cluster = found.cluster
    return {
        "hyperpod_cluster_key": found.key,
        "hyperpod_cluster_group": f"cluster_{group_name(found.key)}",
        "hyperpod_cluster_name": cluster.name,
        "hyperpod_cluster_arn": cluster.arn,
        "hyperpod_cluster_id": cluster.id,
        "hyperpod_account_id": cluster.account,
        "hyperpod_region": cluster.region,
        "hyperpod_profile": found.profile,
        "hyperpod_orchestrator": cluster.orchestrator,
        "hyperpod_connection": found.connection,
        **({} if found.tags is None else {"hyperpod_tags": dict(found.tags)}),
    }


def _cluster_vars(found: Found, access: Access) -> dict[str, t.Any]:
    cluster = found.cluster
    groups = [
        {
            "name": each.name,
            "node_type": each.node_type,
            "count": each.current,
            "target": each.target,
            "instance_type": each.instance_type,
            "instance_types": list(each.instance_types),
        }
        for each in cluster.groups
    ]
    return {
        **_shared_vars(found),
        "ansible_connection": "local",
        "ansible_python_interpreter": sys.executable,
        "hyperpod_vpc_subnets": list(cluster.subnets),
        "hyperpod_security_groups": list(cluster.security_groups),
        "hyperpod_instance_groups": groups,
        "hyperpod_node_types": {each.name: each.node_type for each in cluster.groups if each.node_type},
        "hyperpod_state_dir": access.state_dir,
        "hyperpod_node_count": len(found.nodes),
    }


def _node_vars(found: Found, node: Node) -> dict[str, t.Any]:
    variables = {
        "hyperpod_cluster_host": found.key,
        "hyperpod_instance_id": node.instance_id,
        "hyperpod_instance_group": node.group,
        "hyperpod_node_type": node.node_type,
        "hyperpod_instance_type": node.instance_type,
        "hyperpod_status": node.status,
        "hyperpod_launch_time": node.launch_time,
        "hyperpod_last_software_update_time": node.last_software_update_time,
        "hyperpod_ssm_target": node.ssm_target(found.cluster),
        "hyperpod_host_key_alias": node.host_key_alias(found.cluster),
    }
    if node.ip:
        variables["hyperpod_private_ip"] = node.ip
    return variables


def _connection_vars(found: Found, link: Link, node: Node, access: Access) -> dict[str, t.Any]:
    """The connection variables of a node.

    ``ansible_host`` is unique among all clusters. Ansible identifies shared connections by host, port and user, so nodes of two
    clusters with the same address would otherwise share a connection.
    """
    target, alias = node.ssm_target(found.cluster), node.host_key_alias(found.cluster)
    variables: dict[str, t.Any] = {
        "ansible_connection": "ssh",
        "ansible_host": target if found.connection == "ssm" else alias,
        "ansible_user": access.user,
        "ansible_become": True,
        "ansible_python_interpreter": "/usr/bin/python3",
        "ansible_ssh_common_args": common_args(access, link, node),
        "ansible_ssh_host_key_checking": True,
        "ansible_ssh_timeout": SSH_TIMEOUT,
    }
    if access.private_key_file:
        variables["ansible_ssh_private_key_file"] = access.private_key_file
    return variables


def _source(found: Found) -> str:
    return f"profile {found.profile}" if found.profile else "default credentials"
