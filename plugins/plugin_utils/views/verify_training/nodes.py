# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The nodes on which training jobs run, and the validation of variables."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.text import printable
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared import verify_training as rules
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, refused

from .. import Variables, view
from ..accelerator_health import seen as of_types
from .cluster import Node, groups_of, is_plain, nodes_of, strangers
from .groups import declared

READ = "__verify_training_types"
TYPES, LEFT_OUT = "__verify_training_types_seen", "__verify_training_left_out"
"""Facts of a cluster's inventory host. ``LEFT_OUT`` has the Kubernetes names of nodes that are not idle."""
WITH_EFA = ("p", "trn")
"""The first letters of EC2's instance types that train over EFA. Nodes of other types may have no EFA interfaces."""


@view
def refusals(variables: Variables) -> Findings:
    known = variables["hostvars"][variables["inventory_hostname"]]
    return refused(rules.offline(variables, known))


@view
def types(variables: Variables) -> list[str]:
    """The instance types of the selected nodes, and those of all declared groups."""
    of_nodes = {each.instance_type for each in _candidates(variables)}
    return sorted(of_nodes.union(*(each.types for each in declared(variables))))


@view
def devices(variables: Variables) -> list[dict[str, t.Any]]:
    """The devices of the instance types, as ``instance_type_info`` returned them. Empty if there are no nodes."""
    return list(plain(variables[READ]).get("instance_types") or [])


def images(variables: Variables) -> dict[str, str]:
    """The images of the training jobs, without duplicates, keyed by the variable that names each."""
    names = ("verify_training_image", *(("verify_training_model_image",) if variables["verify_training_model"] else ()))
    given = {str(variables[name]): name for name in reversed(names) if variables[name]}
    return {name: image for image, name in reversed(given.items())}


def _candidates(variables: Variables) -> list[Node]:
    """The nodes that the variables select, of any instance type."""
    groups, ids = plain(variables["verify_training_groups"]), plain(variables["verify_training_nodes"])
    nodes = [each for each in nodes_of(variables) if not groups or each.group in groups]
    return [each for each in nodes if not ids or each.instance_id in ids]


@dataclass(frozen=True)
class Chosen:
    """The nodes on which training jobs run, with the devices of their type."""

    why: str
    """Why no nodes can be chosen; empty if they are chosen."""
    nodes: tuple[Node, ...] = ()
    instance_type: str = ""
    gpus: int = 0
    efa_devices: int | None = None
    """The number of EFA devices; None for types whose nodes may have fewer than EC2 allows."""

    @property
    def efa(self) -> bool:
        """Whether EFA must carry the traffic."""
        return bool(self.efa_devices)

    @property
    def instance_ids(self) -> tuple[str, ...]:
        return tuple(each.instance_id for each in self.nodes)

    @property
    def names(self) -> list[str]:
        """The names of the nodes in Kubernetes."""
        return [each.name for each in self.nodes]


def chosen(variables: Variables) -> Chosen:
    rows, of_type = plain(variables[TYPES]), _by_type(variables)
    counts = {name: of_types.devices(rows, name) for name in of_type}
    unknown = sorted(name for name, each in counts.items() if each["gpus"] is None)
    if unknown:
        return Chosen(f"The number of GPUs of {', '.join(unknown)} is unknown.")
    with_gpus = sorted(name for name, each in counts.items() if each["gpus"])
    why = _not_chosen(variables, with_gpus, {name: nodes for name, nodes in of_type.items() if name not in with_gpus})
    if why:
        return Chosen(why)
    (name,) = with_gpus
    left_out = {*plain(variables.get(LEFT_OUT) or [])}
    nodes = tuple(each for each in of_type[name] if each.name not in left_out)
    efa = _efa(rows, name, of_type[name]) if is_plain(variables) else counts[name]["efa_devices"]
    return Chosen("", nodes, name, int(counts[name]["gpus"] or 0), efa)


def _efa(rows: t.Iterable[Variables], instance_type: str, nodes: t.Sequence[Node]) -> int:
    """The number of EFA devices that each node must have: the most that an instance has.

    It is the number that EC2 allows if several nodes of a type that trains over EFA lack EFA. The check of the nodes then fails.
    """
    most = max(each.efa or 0 for each in nodes)
    allowed = next((row.get("efa_devices") or 0 for row in rows if row["name"] == instance_type), 0)
    return most or (int(allowed) if instance_type.startswith(WITH_EFA) and len(nodes) > 1 else 0)


def _by_type(variables: Variables) -> dict[str, list[Node]]:
    """The nodes, sorted by instance ID and keyed by instance type."""
    of_type: dict[str, list[Node]] = {}
    for each in sorted(_candidates(variables), key=lambda node: node.instance_id):
        of_type.setdefault(each.instance_type, []).append(each)
    return of_type


def _not_chosen(variables: Variables, with_gpus: t.Sequence[str], without: t.Mapping[str, t.Sequence[Node]]) -> str:
    """Why no nodes can be chosen; empty if they can.

    :param with_gpus: instance types with GPUs.
    :param without: nodes without GPUs, keyed by instance type.
    """
    named = {*plain(variables["verify_training_groups"])} - groups_of(variables)
    if named:
        names = ", ".join(sorted(map(printable, named)))
        return f"No node is in the node group {names}." if is_plain(variables) else f"The cluster has no instance group {names}."
    known = {each.instance_id for each in _candidates(variables)}
    missing = sorted({*plain(variables["verify_training_nodes"])} - known)
    if missing:
        groups = "node groups" if is_plain(variables) else "instance groups"
        return f"These nodes are not in the cluster, or not in the chosen {groups}: {', '.join(map(printable, missing))}."
    if not with_gpus:
        unknown = f" The instances of these nodes are unknown: {', '.join(strangers(variables))}." if strangers(variables) else ""
        return f"No node with GPUs exists, or none was chosen. A group without nodes is not verified.{unknown}"
    if any(without.values()) and plain(variables["verify_training_nodes"]):
        return f"Chosen nodes have no GPUs: {', '.join(sorted(each.instance_id for nodes in without.values() for each in nodes))}."
    if len(with_gpus) > 1:
        names = ", ".join(with_gpus)
        return f"The nodes have different instance types ({names}). Choose groups of one type with verify_training_groups."
    return ""
