# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Node groups, their launch templates and device plugins."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import KNOWN_AFTER_APPLY
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.nodegroup.model import CREATE_FAILED
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.declared import SYSTEM, Group
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.identities import NODES
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.observed import GROUP
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.plan import nodes_of
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain

from .. import Variables, view
from .build import cluster_made, role_arn, tags_of
from .declared import declared, names, observed, this, values
from .network import COMPONENT, place
from .planned import before_upgrade, planned_templates, types

NVIDIA = "NVIDIA"
AMI_TYPES = {
    ("x86_64", "standard"): "AL2023_x86_64_STANDARD",
    ("x86_64", "nvidia"): "AL2023_x86_64_NVIDIA",
    ("x86_64", "neuron"): "AL2023_x86_64_NEURON",
    ("arm64", "standard"): "AL2023_ARM_64_STANDARD",
    ("arm64", "nvidia"): "AL2023_ARM_64_NVIDIA",
}
MADE = "__training_cluster_made_templates"
"""The variable with the results of ``efa_launch_template``."""


@dataclass(frozen=True)
class Groups:
    """Launch templates and node groups to ensure. Groups that someone else created are not changed."""

    planned: list[dict[str, t.Any]]
    """Templates for check mode, in which the security group of the cluster may not exist yet."""
    templates: list[dict[str, t.Any]]
    """The same templates without those that the plan leaves unchanged."""
    failed: list[str]
    """Names of groups whose creation failed."""
    node_groups: list[dict[str, t.Any]]
    """In check mode, without groups that depend on a subnet that does not exist or on the removal of a failed group."""


@view
def groups(variables: Variables) -> Groups:
    wanted = [each for each in declared(variables).groups if tags_of(variables, GROUP, each.name) is not None]
    ours = {each["name"]: each["status"] for each in observed(variables).ours(GROUP)}
    templates = [_template(variables, each) for each in wanted]
    unchanged = _unchanged(variables)
    return Groups(
        planned=[{**each, "security_group": each["security_group"] or KNOWN_AFTER_APPLY} for each in templates],
        templates=[each for each in templates if each not in [same["item"] for same in unchanged]],
        failed=[each.name for each in wanted if ours.get(each.name) == CREATE_FAILED],
        node_groups=[_node_group(variables, each) for each in wanted if _is_foreseen(variables, each)],
    )


def _is_foreseen(variables: Variables, group: Group) -> bool:
    there = observed(variables).named(GROUP, group.name)
    failed = there is not None and there["status"] == CREATE_FAILED
    return not variables["ansible_check_mode"] or (bool(group.subnet or place(variables).nodes) and not failed)


def _unchanged(variables: Variables) -> list[dict[str, t.Any]]:
    """The results of planned templates that exist as declared."""
    return [each for each in planned_templates(variables) if not each["changes"]]


def _template(variables: Variables, group: Group) -> dict[str, t.Any]:
    return {
        "name": names(variables).part(group.name),
        "instance_type": group.instance_type,
        "security_group": _security_group(variables),
        "reservation": group.reservation,
        "placement_group": group.placement_group,
        "efa": False if group.name == SYSTEM else None,
        "volume_size": group.volume_size,
        "local_storage": group.local_storage,
        "metadata_hop_limit": group.metadata_hop_limit,
        "tags": this(variables).tags,
    }


def _security_group(variables: Variables) -> str:
    """The security group that EKS created for the cluster."""
    made, there = (cluster_made(variables).get("vpc") or {}).get("cluster_security_group"), observed(variables).cluster
    return str(made or (there["details"]["security_group_id"] if there else ""))


def _node_group(variables: Variables, group: Group) -> dict[str, t.Any]:
    made = plain((variables.get(MADE) or {}).get("results") or [])
    results = [*_unchanged(variables), *made]
    templates = {each["item"]["name"]: each["efa_launch_template"] for each in results if "efa_launch_template" in each}
    template = templates.get(names(variables).part(group.name)) or {}
    now = observed(variables).named(GROUP, group.name)
    return {
        "name": group.name,
        "role_arn": role_arn(variables, NODES),
        "subnets": [group.subnet or place(variables).nodes],
        "ami_type": ami_type(types(variables)[group.instance_type]),
        "capacity_type": "SPOT" if group.spot else template.get("capacity_type") or "ON_DEMAND",
        "template": {"id": template.get("launch_template_id"), "version": str(template.get("version", ""))},
        "scaling": {"min": group.smallest, "max": group.largest, "desired": group.count(nodes_of(now))},
        "labels": dict(group.labels),
        "taints": [dict(each) for each in group.taints],
        "node_repair": {"enabled": group.node_repair},
        "version": (str(values(variables)["version"]) or None) if now and not before_upgrade(variables) else None,
        "tags": {**this(variables).tags, COMPONENT: GROUP},
    }


def ami_type(instance_type: t.Mapping[str, t.Any]) -> str:
    """The AMI type of EKS for an instance type, as ``instance_type_info`` returns it."""
    kind = "neuron" if instance_type["neuron_devices"] else "standard"
    if instance_type["gpus"] and instance_type["gpu_manufacturer"].upper() == NVIDIA:
        kind = "nvidia"
    return AMI_TYPES[(instance_type["architecture"], kind)]


@dataclass(frozen=True)
class Plugins:
    """Options of ``device_plugins``."""

    gpu: list[str]
    efa: list[str]
    nvidia_image: str | None = None
    efa_image: str | None = None


@view
def plugins(variables: Variables) -> Plugins:
    known = types(variables)
    used, images = sorted({each.instance_type for each in declared(variables).groups}), values(variables)["device_plugin_images"]
    return Plugins(
        [name for name in used if known[name]["gpus"] and known[name]["gpu_manufacturer"].upper() == NVIDIA],
        [name for name in used if known[name]["efa_devices"] != 0],
        images.get("nvidia"),
        images.get("efa"),
    )
