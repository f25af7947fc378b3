# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Refusals of node groups and add-ons that AWS would refuse after it created the cluster."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import not_allowed
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.addon.schema import problem
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.nodegroup.model import CREATE_FAILED
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster import capacity
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.declared import SYSTEM
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.observed import ADDON, GROUP
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, refused

from .. import Variables, view
from .declared import declared, names, observed, values
from .existing_network import node_zone
from .groups import ami_type
from .network import place
from .planned import planned_templates, types, version_of

OFFERED = "__training_cluster_offered_addons"
"""The variable with the results of ``eks_addon_info``."""


@view
def new_addons(variables: Variables) -> list[dict[str, t.Any]]:
    """Declared add-ons that are not installed in the declared version, as options of ``eks_addon_info``."""
    before, kubernetes, found = observed(variables), version_of(variables), []
    for addon in declared(variables).addons if kubernetes else ():
        there = before.named(ADDON, addon.name)
        if there is None or (addon.version.startswith("v") and addon.version != there["details"]["version"]):
            found.append({"name": addon.name, "version": addon.version, "kubernetes_version": kubernetes})
    return found


@view
def unfit_parts(variables: Variables) -> Findings:
    """Problems with values that were read for the plan."""
    groups = [text for each in planned_groups(variables) for text in capacity.problems(each)]
    return refused([*groups, *_of_addons(variables)])


def planned_groups(variables: Variables) -> t.Iterator[capacity.Planned]:
    """The groups that the role creates or changes."""
    templates = {each["item"]["name"]: each["efa_launch_template"] for each in planned_templates(variables)}
    listed = [str(each["name"]) for each in values(variables)["groups"]]
    for group in declared(variables).groups:
        template = templates.get(names(variables).part(group.name))
        if template is None:
            continue
        there = observed(variables).named(GROUP, group.name)
        yield capacity.Planned(
            group=group,
            option="training_cluster_system" if group.name == SYSTEM else f"training_cluster_groups[{listed.index(group.name)}]",
            template=template,
            zone=node_zone(variables, group),
            subnet=group.subnet or place(variables).nodes,
            ami_type=ami_type(types(variables)[group.instance_type]),
            there=there if there and there["status"] != CREATE_FAILED else None,
        )


def _of_addons(variables: Variables) -> t.Iterator[str]:
    """Settings that do not match the schema of the add-on. ``eks_addon_info`` refuses names and versions itself."""
    results = plain(variables.get(OFFERED) or {}).get("results") or []
    read = {each["item"]["name"]: each for each in results}
    for place_, addon in enumerate(declared(variables).addons):
        found, option = read.get(addon.name), f"training_cluster_addons[{place_}].configuration"
        if found is None:
            continue
        about = f"{addon.name} {found['eks_addon_configuration']['version']}"
        needs = {each["version"] for each in found["eks_addon_versions"] if each["requires_configuration"]}
        if addon.configuration is None:
            if found["eks_addon_configuration"]["version"] in needs:
                yield f"{option}: missing; {about} requires it."
            continue
        wrong = problem(found["eks_addon_configuration"]["schema"] or True, addon.configuration, path=option)
        if wrong is not None:
            why = f"{wrong.why}; " if wrong.why else ""
            yield not_allowed(wrong.path, wrong.value, wrong.allowed, f"{why}the settings do not match the schema of {about}")
