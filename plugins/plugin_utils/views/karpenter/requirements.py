# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Karpenter asks for, and whether there is room for its nodes."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.told_findings import Findings, told

from .. import Variables
from .declared import CLASSES, Objects, given, name_of

NEW_NODES, TOPOLOGY = "nodes of new groups", "topology-aware scheduling"
"""Requirements that somebody may waive, or have met."""


@dataclass(frozen=True)
class Requirements:
    """What Karpenter asks for, by ``__karpenter_requirements``."""

    findings: Findings
    nodes: Objects
    """One of each type of the groups that come under it newly, as ``service_quota_info`` takes them."""
    cluster_nodes: int
    """That the cluster has with these."""
    topology_scheduling: bool
    """Kueue schedules by topology, and somebody wants that switched off."""


def requirements(variables: Variables) -> Requirements:
    results = plain(variables["__karpenter_requirements"].get("results") or [])
    classes = {name_of(each["definition"]) for each in given(CLASSES, variables) if each["state"] == "present"}
    found: Findings = []
    kinds: set[tuple[str, bool]] = set()
    switches = False
    for result in results:
        groups = result["instance_groups"]
        for each in result["requirements"]:
            if each["name"] == TOPOLOGY and each["met"] is False and variables["karpenter_disables_topology_scheduling"]:
                switches = True
                found += told("karpenter-topology-scheduling", found=each["found"])
                continue
            found += _asked(each, groups, set(variables["karpenter_ended_groups"]))
        for group in groups:
            if group["node_class"] not in ("", *classes):
                found += told("karpenter-group-taken", group=group["name"], theirs=group["node_class"])
            if group["new"] and group["instance_types"]:
                kinds.add((group["instance_types"][0], group["spot"]))
    nodes = [{"instance_type": kind, "spot": spot, "count": 1} for kind, spot in sorted(kinds)]
    return Requirements(_once(found), nodes, len(nodes) + max((each["cluster_nodes"] for each in results), default=0), switches)


def _asked(requirement: t.Mapping[str, t.Any], groups: Objects, ended: t.Collection[str]) -> Findings:
    said = {name: requirement[name] for name in ("name", "found", "needed", "remedy")}
    if requirement["met"]:
        return []
    if requirement["met"] is None:
        return told("karpenter-requirement-unknown", **said)
    if requirement["name"] != NEW_NODES:
        return told("karpenter-requirement", **said)
    full = {group["name"] for group in groups if group["nodes"] and group["new"]}
    return told("karpenter-ends-nodes" if full <= set(ended) else "karpenter-would-end-nodes", found=requirement["found"])


@dataclass(frozen=True)
class Room:
    """Whether AWS grants nodes, by ``__karpenter_quotas``."""

    findings: Findings


def room(variables: Variables) -> Room:
    quotas = plain(variables["__karpenter_quotas"]["quotas"])
    says = "karpenter-quota" if variables["karpenter_require_quota"] else "karpenter-quota-tried"
    found: Findings = []
    for quota in (each for each in quotas if each["enough"] is False):
        asked = f", {quota['pending']:g} was asked for" if quota["pending"] is not None else ""
        of_all = f"{quota['used']} are in use, " if quota["used"] else ""
        found += told(says, name=quota["name"], applied=f"{quota['applied']:g}", used=of_all, asked=asked)
    unknown = [each["name"] for each in quotas if each["enough"] is None]
    return Room(found + (told("karpenter-quota-unknown", names=unknown) if unknown else []))


def _once(findings: Findings) -> Findings:
    return [each for place, each in enumerate(findings) if each not in findings[:place]]
