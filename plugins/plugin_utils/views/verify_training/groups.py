# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The declared groups of nodes, compared with the nodes that exist and that train."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.finding import PENDING
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.unverified import (
    GPUS,
    NEURON,
    NOTHING,
    UNKNOWN,
    Group,
    Unverified,
    unverified,
)
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.untrusted import line

from .. import Variables
from ..accelerator_health import seen as of_types
from .cluster import GROUPS, is_plain, nodes_of

OF_AMI = {"NVIDIA": GPUS, "GPU": GPUS, "NEURON": NEURON, "CUSTOM": UNKNOWN}
"""The accelerators by a word of the AMI type, for node groups whose instance type is in the launch template."""
NOT_READ = Unverified(
    "node groups of EKS", "they could not be read", "Allow the caller eks:ListNodegroups and eks:DescribeNodegroup.", PENDING
)


@dataclass(frozen=True)
class Declared:
    """A group as HyperPod or EKS describes it."""

    name: str
    types: tuple[str, ...]
    """The possible instance types of the nodes; empty if they are unknown."""
    count: int
    ami: str = ""
    """The AMI type of a node group."""


def declared(variables: Variables) -> list[Declared]:
    if is_plain(variables):
        return [_of_eks(each) for each in plain(variables.get(GROUPS) or [])]
    return [_of_hyperpod(each) for each in plain(variables["hyperpod_instance_groups"])]


def of_cluster(variables: Variables, rows: t.Sequence[Variables], trained: t.Collection[str]) -> tuple[Unverified, ...]:
    """What the training jobs do not verify.

    :param rows: the devices of instance types, as ``instance_type_info`` returned them.
    :param trained: the instance IDs of the nodes on which the jobs run.
    """
    unread = (NOT_READ,) if is_plain(variables) and variables.get(GROUPS, []) is None else ()
    return (*unread, *unverified(_group(each, variables, rows, trained) for each in declared(variables)))


def _group(group: Declared, variables: Variables, rows: t.Sequence[Variables], trained: t.Collection[str]) -> Group:
    nodes = [each for each in nodes_of(variables) if each.group == group.name]
    count = sum(1 for each in nodes if each.instance_id in trained)
    types = {*group.types, *(each.instance_type for each in nodes)}
    names, ids = plain(variables["verify_training_groups"]), plain(variables["verify_training_nodes"])
    selected = group.name in names if names else not ids or count > 0
    wanted = len(nodes) if ids else group.count
    return Group(line(group.name), _accelerators(types, group.ami, rows), wanted, len(nodes), count, selected)


def _accelerators(types: t.Collection[str], ami: str, rows: t.Sequence[Variables]) -> str:
    if not types:
        return next((kind for word, kind in OF_AMI.items() if word in ami.split("_")), NOTHING if ami else UNKNOWN)
    counts = [of_types.devices(rows, each) for each in types]
    if any(each["gpus"] for each in counts):
        return GPUS
    if any(each["neuron_devices"] for each in counts):
        return NEURON
    return UNKNOWN if any(each["gpus"] is None for each in counts) else NOTHING


def _of_hyperpod(row: Variables) -> Declared:
    types = row.get("instance_types") or [row.get("instance_type")]
    return Declared(str(row["name"]), tuple(str(each) for each in types if each), int(row.get("target", row.get("count")) or 0))


def _of_eks(row: Variables) -> Declared:
    types, count = row["instance_types"] or (), (row["scaling"] or {}).get("desired")
    return Declared(str(row["name"]), tuple(map(str, types)), int(count or 0), str(row["ami_type"] or ""))
