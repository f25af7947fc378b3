# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Karpenter's requirements, and quotas for its nodes."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible.module_utils.parsing.convert_bool import boolean
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.quotas import (
    ALL_NODES,
    ALL_SPOT_NODES,
    NODES_OF_ONE,
    Kind,
    of_type,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.labels import matches
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.labels import TYPE
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding

from .. import Variables, view
from .declared import CLASSES, POOLS, Objects, given, name_of

Choice = tuple[Kind, ...]
"""The possible types of a group's nodes, in the group's order. Each includes whether the node is a Spot instance."""
NEW_NODES, TOPOLOGY = "nodes of new groups", "topology-aware scheduling"
"""Names of requirements that a variable can waive or meet."""


@dataclass(frozen=True)
class Requirements:
    """Karpenter's requirements, from ``__karpenter_requirements``."""

    findings: Findings
    nodes: Objects
    """One node of each possible type in new groups, as ``service_quota_info`` takes them."""
    cluster_nodes: int
    """The number of nodes of the cluster, plus one node for each choice of types."""
    topology_scheduling: bool
    """Whether the run turns off Kueue's topology-aware scheduling, as a variable requests."""


@view
def requirements(variables: Variables) -> Requirements:
    results = plain(variables["__karpenter_requirements"].get("results") or [])
    classes = {name_of(each["definition"]) for each in given(CLASSES, variables) if each["state"] == "present"}
    off = boolean(variables["karpenter_disables_topology_scheduling"], strict=False)
    found: Findings = []
    switches = False
    for result in results:
        groups = result["instance_groups"]
        for each in result["requirements"]:
            if each["name"] == TOPOLOGY and each["met"] is False and off:
                switches = True
                found += finding("karpenter-topology-scheduling", found=each["found"])
                continue
            found += _finding_of(each, groups, set(variables["karpenter_ended_groups"]))
        for group in groups:
            if group["node_class"] not in ("", *classes):
                found += finding("karpenter-group-taken", group=group["name"], theirs=group["node_class"])
    choices = _choices(variables)
    kinds = sorted({kind for choice in choices for kind in choice})
    nodes = [{"instance_type": kind, "spot": spot, "count": 1} for kind, spot in kinds]
    return Requirements(_once(found), nodes, len(choices) + max((each["cluster_nodes"] for each in results), default=0), switches)


def _choices(variables: Variables) -> list[Choice]:
    """The choices of types in groups that are new to Karpenter, without duplicates."""
    results = plain(variables["__karpenter_requirements"].get("results") or [])
    new = [group for result in results for group in result["instance_groups"] if group["new"] and group["instance_types"]]
    return list(dict.fromkeys(tuple((kind, group["spot"]) for kind in _taken(group, variables)) for group in new))


def _taken(group: t.Mapping[str, t.Any], variables: Variables) -> list[str]:
    """The types in a group that the declared NodePools allow. If they allow none, all types of the group."""
    classes = [each["definition"] for each in given(CLASSES, variables) if each["state"] == "present"]
    own = [name_of(each) for each in classes if group["name"] in each["spec"]["instanceGroups"]]
    pools = [each["definition"]["spec"]["template"]["spec"] for each in given(POOLS, variables) if each["state"] == "present"]
    rules = [
        [each for each in pool["requirements"] if each["key"] == TYPE] for pool in pools if pool["nodeClassRef"]["name"] in own
    ]
    types = list(group["instance_types"])
    return [kind for kind in types if any(matches({TYPE: kind}, each) for each in rules)] or types


def _finding_of(requirement: t.Mapping[str, t.Any], groups: Objects, ended: t.Collection[str]) -> Findings:
    values = {name: requirement[name] for name in ("name", "found", "needed", "remedy")}
    if requirement["met"]:
        return []
    if requirement["met"] is None:
        return finding("karpenter-requirement-unknown", **values)
    if requirement["name"] != NEW_NODES:
        return finding("karpenter-requirement", **values)
    full = {group["name"] for group in groups if group["nodes"] and group["new"]}
    return finding("karpenter-ends-nodes" if full <= set(ended) else "karpenter-would-end-nodes", found=requirement["found"])


@view
def room(variables: Variables) -> Findings:
    """Findings about quotas, from ``__karpenter_quotas``.

    Only quotas for nodes of new groups matter. In each choice, one type with a sufficient quota is enough.
    """
    quotas = {each["name"]: each for each in plain(variables["__karpenter_quotas"]["quotas"])}
    required = boolean(variables["karpenter_require_quota"], strict=False)
    name = "karpenter-quota" if required else "karpenter-quota-tried"
    found: Findings = []
    unknown: list[str] = []
    for names, count in _needed(variables):
        enough = [_enough(quotas[name], count) for name in names]
        if True not in enough and None in enough:
            unknown += [name for name, known in zip(names, enough) if known is None]
        elif True not in enough:
            found += _too_low(name, quotas[names[0]], names[1:])
    return _once(found) + (finding("karpenter-quota-unknown", names=list(dict.fromkeys(unknown))) if unknown else [])


def _needed(variables: Variables) -> list[tuple[list[str], int]]:
    """Names of alternative quotas, with the number of additional nodes. At least one of these quotas must allow the nodes."""
    choices = _choices(variables)
    spot = sum(1 for choice in choices if choice[0][1])
    by_type = [(list(map(of_type, choice)), 1) for choice in choices]
    in_all = [(ALL_NODES, len(choices)), (ALL_SPOT_NODES, spot), (NODES_OF_ONE, requirements(variables).cluster_nodes)]
    return [*by_type, *(([name], count) for name, count in in_all if count)]


def _enough(quota: t.Mapping[str, t.Any], count: int) -> bool | None:
    return None if quota["applied"] is None else bool(quota["used"] + count <= quota["applied"])


def _too_low(text: str, quota: t.Mapping[str, t.Any], others: t.Sequence[str]) -> Findings:
    return finding(
        text,
        name=quota["name"],
        applied=f"{quota['applied']:g}",
        used=f"with {quota['used']} in use, " if quota["used"] else "",
        others=f" (the quotas of its other types are also too low: {', '.join(others)})" if others else "",
        asked=f"; an increase to {quota['pending']:g} was requested" if quota["pending"] is not None else "",
    )


def _once(findings: Findings) -> Findings:
    return [each for place, each in enumerate(findings) if each not in findings[:place]]
