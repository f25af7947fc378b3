# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cluster and its nodes: of HyperPod, from the inventory, or an EKS cluster without HyperPod, from modules."""

from __future__ import annotations

import re
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import iso_now
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.model import node_name
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import training_clusters
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.api_server import ApiServer, api_server
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.untrusted import line

from .. import Variables, view
from ..accelerator_health import seen as of_types

READ_CLUSTER, READ_NODES, READ_GROUPS = (f"__verify_training_eks_{name}read" for name in ("", "nodes_", "groups_"))
"""Variables with the results of ``eks_cluster_info``, ``eks_node_info`` and ``eks_nodegroup_info``."""
CLUSTER, NODES, GROUPS = (f"__verify_training_eks_{name}" for name in ("cluster", "nodes", "groups"))
"""Facts of the host of a cluster without HyperPod, from these results. None in ``GROUPS``: the groups could not be read."""
LONGEST_KEY = 40


@dataclass(frozen=True)
class Node:
    instance_id: str
    name: str
    """The name in Kubernetes."""
    instance_type: str
    group: str
    """The instance group of HyperPod, or the managed node group of EKS; empty for a node without a node group."""
    efa: int | None = None
    """The number of EFA interfaces; None if only the instance type is known."""
    differs: tuple[str, ...] = ()
    """Where the node contradicts EC2, as sentences."""


@dataclass(frozen=True)
class Eks:
    """Whether the cluster has no HyperPod, and the facts about it."""

    plain: bool
    cluster: dict[str, t.Any]
    nodes: list[dict[str, t.Any]]
    groups: list[dict[str, t.Any]] | None
    """The managed node groups; None if they could not be read."""
    report: dict[str, str]
    """The ARN, account and Region for the report of the run."""


@view
def eks(variables: Variables) -> Eks:
    if not is_plain(variables):
        return Eks(False, {}, [], [], {})
    read = plain(variables.get(READ_CLUSTER) or {}).get("eks_cluster") or {}
    found = {"arn": str(read.get("arn") or "")}
    nodes = list(plain(variables.get(READ_NODES) or {}).get("eks_nodes") or [])
    groups, region = plain(variables.get(READ_GROUPS) or {}).get("eks_nodegroups"), str(variables["hyperpod_region"])
    return Eks(True, found, nodes, groups, {**found, "account": _account(found["arn"]), "region": region})


def is_plain(variables: Variables) -> bool:
    """Whether the host is an EKS cluster without HyperPod."""
    return training_clusters.is_one(variables)


@view
def server(variables: Variables) -> ApiServer:
    kubeconfig, context = variables["verify_training_kubeconfig"], variables["verify_training_context"]
    if is_plain(variables) and not (kubeconfig or context):
        return ApiServer(str(variables[training_clusters.NAME]), None, None)
    return api_server(variables, kubeconfig=kubeconfig, context=context)


@view
def checkpoint(variables: Variables) -> str:
    """The name of the checkpoint directory that all jobs of this run use."""
    name = training_clusters.key(variables) if is_plain(variables) else str(variables["hyperpod_cluster_id"])
    begin = re.sub(r"[^a-z0-9]+", "-", name.lower())[:LONGEST_KEY].strip("-") or "cluster"
    return f"{begin}-{iso_now().lower().replace(':', '-')}"


def nodes_of(variables: Variables) -> list[Node]:
    """The nodes whose instances are known."""
    if is_plain(variables):
        return [_of_eks(each) for each in plain(variables.get(NODES) or []) if not each["unknown"]]
    return [_of_hyperpod(each) for each in of_types.nodes(variables)]


def strangers(variables: Variables) -> list[str]:
    """Nodes that offer GPUs, but whose instances are unknown, each with the reason."""
    rows = plain(variables.get(NODES) or []) if is_plain(variables) else []
    return [f"{line(each['name'])} ({line(each['unknown']).rstrip('.')})" for each in rows if each["unknown"] and each["gpus"]]


def groups_of(variables: Variables) -> set[str]:
    if is_plain(variables):
        return {each.group for each in nodes_of(variables)} - {""}
    return {str(each["name"]) for each in plain(variables["hyperpod_instance_groups"])}


def arn_of(variables: Variables) -> str:
    if is_plain(variables):
        return str((variables.get(CLUSTER) or {}).get("arn") or "")
    return str(variables.get("hyperpod_cluster_arn", ""))


def account_of(variables: Variables) -> str:
    return _account(arn_of(variables)) if is_plain(variables) else str(variables.get("hyperpod_account_id", ""))


def _account(arn: str) -> str:
    return arn.split(":")[4] if arn.count(":") > 4 else ""


def _of_eks(row: Variables) -> Node:
    differs = tuple(line(each) for each in row["differences"])
    efa, group = int(row["efa_interfaces"]), str(row["node_group"])
    return Node(str(row["instance_id"]), str(row["name"]), str(row["instance_type"]), group, efa, differs)


def _of_hyperpod(host: Variables) -> Node:
    iid = str(host["hyperpod_instance_id"])
    return Node(iid, node_name(iid), str(host["hyperpod_instance_type"]), str(host["hyperpod_instance_group"]))
