# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The nodes on which training jobs run, and access to the cluster."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.text import printable
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import iso_now
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.model import node_name
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared import verify_training as rules
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.api_server import ApiServer, api_server
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, refused

from .. import Variables, view
from ..accelerator_health import seen as of_types

READ = "__verify_training_types"
TYPES, LEFT_OUT = "__verify_training_types_seen", "__verify_training_left_out"
"""Facts of a cluster's inventory host. ``LEFT_OUT`` has the Kubernetes names of nodes that are not idle."""


@view
def refusals(variables: Variables) -> Findings:
    known = variables["hostvars"][variables["inventory_hostname"]]
    return refused(rules.offline(variables, known))


@view
def server(variables: Variables) -> ApiServer:
    return api_server(variables, kubeconfig=variables["verify_training_kubeconfig"], context=variables["verify_training_context"])


@view
def types(variables: Variables) -> list[str]:
    return sorted({str(each["hyperpod_instance_type"]) for each in _candidates(variables)})


@view
def devices(variables: Variables) -> list[dict[str, t.Any]]:
    """The devices of the instance types, as ``instance_type_info`` returned them. Empty if there are no nodes."""
    return list(plain(variables[READ]).get("instance_types") or [])


@view
def checkpoint(variables: Variables) -> str:
    """The name of the checkpoint directory that all jobs of this run use."""
    return f"{str(variables['hyperpod_cluster_id']).lower()}-{iso_now().lower().replace(':', '-')}"


def _candidates(variables: Variables) -> list[Variables]:
    """The nodes that the variables select, of any instance type."""
    groups, ids = plain(variables["verify_training_groups"]), plain(variables["verify_training_nodes"])
    nodes = [each for each in of_types.nodes(variables) if not groups or each["hyperpod_instance_group"] in groups]
    return [each for each in nodes if not ids or each["hyperpod_instance_id"] in ids]


@dataclass(frozen=True)
class Chosen:
    """The nodes on which training jobs run, with the devices of their type."""

    why: str
    """Why no nodes can be chosen; empty if they are chosen."""
    instance_ids: tuple[str, ...] = ()
    instance_type: str = ""
    gpus: int = 0
    efa_devices: int | None = None
    """The number of EFA devices; None for types whose nodes may have fewer than EC2 allows."""

    @property
    def efa(self) -> bool:
        """Whether EFA must carry the traffic."""
        return bool(self.efa_devices)

    @property
    def names(self) -> list[str]:
        """The names of the nodes in Kubernetes."""
        return [node_name(each) for each in self.instance_ids]


def chosen(variables: Variables) -> Chosen:
    rows, of_type = plain(variables[TYPES]), _ids_by_type(variables)
    counts = {name: of_types.devices(rows, name) for name in of_type}
    unknown = sorted(name for name, each in counts.items() if each["gpus"] is None)
    if unknown:
        return Chosen(f"The number of GPUs of {', '.join(unknown)} is unknown.")
    with_gpus = sorted(name for name, each in counts.items() if each["gpus"])
    why = _not_chosen(variables, with_gpus, {name: ids for name, ids in of_type.items() if name not in with_gpus})
    if why:
        return Chosen(why)
    (name,) = with_gpus
    left_out = {*plain(variables.get(LEFT_OUT) or [])}
    ids = tuple(each for each in sorted(of_type[name]) if node_name(each) not in left_out)
    return Chosen("", ids, name, int(counts[name]["gpus"] or 0), counts[name]["efa_devices"])


def _ids_by_type(variables: Variables) -> dict[str, list[str]]:
    of_type: dict[str, list[str]] = {}
    for each in _candidates(variables):
        of_type.setdefault(str(each["hyperpod_instance_type"]), []).append(str(each["hyperpod_instance_id"]))
    return of_type


def _not_chosen(variables: Variables, with_gpus: t.Sequence[str], without: t.Mapping[str, t.Sequence[str]]) -> str:
    """Why no nodes can be chosen; empty if they can.

    :param with_gpus: instance types with GPUs.
    :param without: instance IDs of nodes without GPUs, keyed by instance type.
    """
    groups = {str(each["name"]) for each in plain(variables["hyperpod_instance_groups"])}
    named = {*plain(variables["verify_training_groups"])} - groups
    if named:
        return f"The cluster has no instance group {', '.join(sorted(map(printable, named)))}."
    known = {str(each["hyperpod_instance_id"]) for each in _candidates(variables)}
    missing = sorted({*plain(variables["verify_training_nodes"])} - known)
    if missing:
        return f"These nodes are not in the cluster, or not in the chosen instance groups: {', '.join(map(printable, missing))}."
    if not with_gpus:
        return "No node with GPUs exists, or none was chosen. A group without nodes is not verified."
    if any(without.values()) and plain(variables["verify_training_nodes"]):
        return f"Chosen nodes have no GPUs: {', '.join(sorted(each for ids in without.values() for each in ids))}."
    if len(with_gpus) > 1:
        names = ", ".join(with_gpus)
        return f"The nodes have different instance types ({names}). Choose groups of one type with verify_training_groups."
    return ""
