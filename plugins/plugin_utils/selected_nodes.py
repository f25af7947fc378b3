# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The nodes that an operator selects with ``replace_nodes``, or with ``update_groups`` by their groups. No I/O."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import drained
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.given_names import given_names
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.rollout_step import clusters, step_of
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import fleet

REPLACE = "replace_nodes"

Variables = t.Mapping[str, t.Any]


@dataclass(frozen=True)
class Selected:
    """The selection in all clusters of the play, or in all clusters of the rollout."""

    hosts: list[str]
    controllers: list[str]
    """Hosts of selected controller nodes."""
    unknown: list[str]
    """Names that no cluster has."""
    refusals: Findings


def replaces(variables: Variables) -> bool:
    return bool(variables["maintenance_chosen_by"] == REPLACE)


def for_rollout(variables: Variables) -> Selected:
    """The selection of a rollout of ``replace_nodes``. It may name nodes that no cluster has, because they are replaced already."""
    play = {name: variables[name] for name in ("ansible_play_hosts_all", "groups", "hostvars")}
    return selected({**play, "maintenance_chosen_by": REPLACE, "maintenance_nodes": variables.get(REPLACE, [])}, may_be_gone=True)


def selected(variables: Variables, *, may_be_gone: bool = False) -> Selected:
    """The selection that the variables of the role maintenance make.

    :param may_be_gone: whether nodes that no cluster has are not refused. This also applies in the waves of a rollout, because a
        rollout does not begin with such nodes: it has replaced them.
    """
    hostvars, nodes = variables["hostvars"], _nodes(variables)
    if replaces(variables):
        ids = {hostvars[host]["hyperpod_instance_id"]: host for host in nodes}
        found = drained.chosen_nodes(plain(variables["maintenance_nodes"]), ids)
    else:
        names = given_names(plain(variables["maintenance_groups"]))
        known = {hostvars[host]["hyperpod_instance_group"] for host in nodes}
        hosts = [host for host in nodes if hostvars[host]["hyperpod_instance_group"] in names]
        found = {"hosts": sorted(hosts), "unknown": sorted(set(names) - known)}
    controllers = [host for host in found["hosts"] if host in variables["groups"].get(fleet.CONTROLLERS, ())]
    gone = replaces(variables) and (may_be_gone or bool(step_of(variables)))
    wrong = ([] if gone else found["unknown"]) or (controllers if replaces(variables) else [])
    chosen = found["hosts"] or found["unknown"]
    refusals = _refused(variables, nodes, wrong) if wrong or not chosen else []
    return Selected(found["hosts"], controllers, found["unknown"], refusals)


def _nodes(variables: Variables) -> list[str]:
    """Hosts of all nodes. Nodes of EKS clusters are omitted for ``replace_nodes``, which does not support them."""
    hostvars, groups = variables["hostvars"], variables["groups"]
    eks = groups.get(fleet.EKS, ()) if replaces(variables) else ()
    members = [groups[hostvars[key]["hyperpod_cluster_group"]] for key in clusters(variables) if key not in eks]
    return [host for hosts in members for host in hosts if "hyperpod_instance_id" in hostvars[host]]


def _refused(variables: Variables, nodes: t.Sequence[str], wrong: t.Sequence[str]) -> Findings:
    """The refusal of wrong names, or of a variable that names nothing."""
    option, replaced = variables["maintenance_chosen_by"], replaces(variables)
    controllers = variables["groups"].get(fleet.CONTROLLERS, ())
    in_groups = sorted({str(variables["hostvars"][host]["hyperpod_instance_group"]) for host in nodes})
    allowed = [host for host in nodes if host not in controllers] if replaced else in_groups
    if wrong:
        return finding("maintenance-nodes" if replaced else "maintenance-groups", option=option, shown=wrong, allowed=allowed)
    kind = "instance IDs or hosts of nodes other than controllers" if replaced else "instance groups with nodes"
    return finding("maintenance-not-chosen", option=option, kind=kind, allowed=allowed)
