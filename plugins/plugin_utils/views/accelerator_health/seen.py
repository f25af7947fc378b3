# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The facts that a check sets on hosts."""

from __future__ import annotations

import collections
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import slurm_states
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import fleet

from .. import Variables

SEEN, SLURM, TYPES, NODES, PART, LOOK, REPORTED, JOBS, NCCL = (
    f"__accelerator_health_{name}"
    for name in ("seen", "slurm_seen", "types_seen", "nodes_seen", "cluster_health", "look", "reported", "jobs_seen", "nccl_seen")
)
"""Names of the facts of nodes, controller nodes and clusters."""
DEVICES = ("gpus", "efa_devices", "neuron_devices")
WITH_ALL_EFA = ("ml.p", "ml.trn")
"""Prefixes of instance types whose nodes get all EFA devices that EC2 allows. Nodes of other types may have fewer."""


def now(node: Variables, fact: str, cluster: Variables) -> t.Any:
    """The node's result in this check; None if the result belongs to an earlier check."""
    kept = node.get(fact)
    return plain(kept["answer"]) if kept and kept["look"] == cluster.get(LOOK) else None


def slurm(variables: Variables) -> dict[str, slurm_states.State] | None:
    """The states of Slurm's nodes, keyed by address. None if no controller node returned them."""
    answers = [each for each in (now(node, SLURM, variables) for node in nodes(variables)) if each]
    return {address: state for each in answers for address, state in slurm_states.states(each).items()} if answers else None


def nodes(variables: Variables) -> list[Variables]:
    hosts = variables["groups"][variables["hyperpod_cluster_group"]]
    return [variables["hostvars"][host] for host in hosts if host != variables["inventory_hostname"]]


def expected(cluster: Variables, instance_type: str) -> dict[str, int | None]:
    return devices(plain(cluster.get(TYPES) or []), instance_type)


def devices(rows: t.Iterable[Variables], instance_type: str) -> dict[str, int | None]:
    """The numbers of devices that nodes of a type must have, from ``instance_type_info``; None if a number is unknown."""
    found: Variables = next((row for row in rows if row["name"] == instance_type and row["known"]), {})
    counts = {name: found.get(name) for name in DEVICES}
    some = counts["efa_devices"] and not instance_type.startswith(WITH_ALL_EFA)
    return {**counts, "efa_devices": None} if some else counts


def has_accelerators(expected: t.Mapping[str, int | None]) -> bool:
    """Whether nodes have accelerators. True if that is unknown; false for a type that has only EFA devices."""
    return expected["gpus"] != 0 or expected["neuron_devices"] != 0


def of_cluster(variables: Variables) -> Variables:
    """The variables of the cluster's inventory host, for use on the host of one of the cluster's nodes."""
    own = fleet.cluster_host(variables["group_names"], variables["groups"])
    known = {"hostvars": variables["hostvars"], "groups": variables["groups"], "inventory_hostname": own}
    return collections.ChainMap(known, variables["hostvars"][own])
