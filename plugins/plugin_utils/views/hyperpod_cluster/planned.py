# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The planned changes, their quotas and prices, and the outcome."""

from __future__ import annotations

import dataclasses
import typing as t
from dataclasses import dataclass

from ansible.module_utils.parsing.convert_bool import boolean
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.text import printable
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._definition.planned import Planned, planned
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding

from .. import Variables, view
from .declared import REMOVE, node_types


@dataclass(frozen=True)
class Plan:
    """The module's plan, from ``__hyperpod_cluster_plan``."""

    creates: bool
    arn: str | None
    """The ARN of the cluster; None if it does not exist yet."""
    exists: bool
    adds: bool
    """Whether the plan adds nodes."""
    nodes: list[dict[str, t.Any]]
    prices: list[dict[str, t.Any]]
    """The added nodes as ``price_info`` takes them. This module returns no prices for Spot instances."""
    cluster_nodes: int
    volume_size_in_gb: int
    groups_that_go: list[str]
    """Groups to delete, if Karpenter still scales the cluster after the change."""


@view
def plan(variables: Variables) -> Plan:
    result = plain(variables["__hyperpod_cluster_plan"])
    changes, cluster = result["changes"], result["cluster"]
    creates = any(change["action"] == "create" and " group " not in change["resource"] for change in changes)
    exists = cluster["exists"] and not creates
    adds = planned(changes, cluster["definition"]) if cluster["exists"] else Planned()
    return Plan(
        creates=creates,
        arn=cluster["cluster_arn"] if exists else None,
        exists=exists,
        adds=bool(adds.nodes),
        nodes=[dataclasses.asdict(each) for each in adds.nodes],
        prices=[{"instance_type": name, "count": count} for name, count in adds.by_type().items()],
        cluster_nodes=adds.cluster_nodes,
        volume_size_in_gb=adds.volume_size_in_gb,
        groups_that_go=_deleted_groups(changes, cluster),
    )


def _deleted_groups(changes: t.Sequence[dict[str, t.Any]], cluster: dict[str, t.Any]) -> list[str]:
    scaled = (cluster.get("definition", {}).get("auto_scaling") or {}).get("mode") == "Enable"
    deleted = [each["resource"] for each in changes if each["action"] == "delete"]
    return [each.rpartition(" group ")[2] for each in deleted if " group " in each] if scaled else []


@view
def unscripted(variables: Variables) -> Findings:
    """Findings about new groups of an EKS cluster without lifecycle scripts, in check mode only. In a run, AWS itself accepts or
    refuses such groups.
    """
    result = plain(variables["__hyperpod_cluster_plan"])
    definition, created = result["cluster"].get("definition", {}), plan(variables).creates
    new = {change["resource"].rpartition(" group ")[2] for change in result["changes"] if change["action"] == "create"}
    groups = [each for each in definition.get("instance_groups") or () if created or each["name"] in new]
    without = [each["name"] for each in groups if not each.get("life_cycle_config")]
    relevant = variables["ansible_check_mode"] and "eks" in (definition.get("orchestrator") or {}) and without
    return finding("cluster-group-without-scripts", groups=", ".join(without)) if relevant else []


@dataclass(frozen=True)
class Login:
    """Access to the API server, to read NodeClasses. The module determines each value that is None."""

    kubeconfig: str | None
    context: str | None


@view
def login(variables: Variables) -> Login:
    return Login(str(variables["hyperpod_cluster_kubeconfig"]) or None, str(variables["hyperpod_cluster_context"]) or None)


@view
def scaled(variables: Variables) -> Findings:
    """Findings from ``__hyperpod_cluster_karpenter`` about groups to delete that belong, or may belong, to a NodeClass."""
    groups, seen = plan(variables).groups_that_go, plain(variables["__hyperpod_cluster_karpenter"])
    if "node_classes" not in seen:
        return finding("cluster-group-unknown", groups=groups, why=printable(seen.get("msg", "")).rstrip("."))
    under = [(group, each["name"]) for each in seen["node_classes"] for group in each["groups"] if group in groups]
    return [each for group, name in under for each in finding("cluster-group-scaled", group=group, node_class=name)]


@view
def locked_arn(variables: Variables) -> str:
    """The ARN of the cluster whose lock the run may hold. It is known even if the run failed before it read the cluster."""
    known = "changes" in (variables.get("__hyperpod_cluster_plan") or {})
    return str(variables[REMOVE]) or (known and plan(variables).arn) or ""


@view
def room(variables: Variables) -> Findings:
    """Findings about the price of added nodes, and about their quotas, from ``__hyperpod_cluster_quotas``."""
    quotas = plain(variables["__hyperpod_cluster_quotas"]["quotas"])
    found: Findings = []
    required = boolean(variables["hyperpod_cluster_require_quota"], strict=False)
    low = "quota-too-low" if required else "quota-too-low-tried"
    for quota in (each for each in quotas if each["enough"] is False):
        needed, pending = quota["used"] + quota["planned"], quota["pending"]
        pending_text = f"; an increase to {pending:g} was requested" if pending is not None else ""
        found += finding(low, name=quota["name"], applied=f"{quota['applied']:g}", needed=needed, asked=pending_text)
    shares = [
        f"{each['name']} {each['used']} + {each['planned']} of {each['applied']:g}"
        for each in quotas
        if each["planned"] and each["applied"] is not None
    ]
    if shares:
        found += finding("quota-room", quotas="; ".join(shares))
    unknown = [each["name"] for each in quotas if each["enough"] is None]
    if unknown:
        found += finding("quota-unknown", names=", ".join(unknown))
    return [*found, *finding("price", price=variables["__hyperpod_cluster_prices"]["told"])]


@view
def eks_findings(variables: Variables) -> Findings:
    """Findings about unmet requirements of an EKS cluster, from ``__hyperpod_cluster_eks``."""
    requirements = plain(variables["__hyperpod_cluster_eks"]["requirements"])
    missing = [one for each in requirements if each["met"] is False for one in finding("eks-requirement", **_values(each))]
    unknown = [one for each in requirements if each["met"] is None for one in finding("eks-requirement-unknown", **_values(each))]
    noted = [one for each in requirements if each["note"] for one in finding("eks-requirement-note", **_values(each))]
    return [*missing, *unknown, *noted]


def _values(requirement: t.Mapping[str, t.Any]) -> dict[str, str]:
    return {name: str(requirement[name]) for name in ("name", "found", "needed", "note")}


@view
def outcome(variables: Variables) -> Findings:
    """The finding about a new cluster, with the next step."""
    if not plan(variables).creates or variables["ansible_check_mode"]:
        return []
    cluster = variables["__hyperpod_cluster_done"]["cluster"]
    types = node_types(variables)
    hint = f" Add to its entry in the inventory source: node_types: {types}." if types else ""
    return finding("cluster-made", cluster=cluster["name"], arn=cluster["cluster_arn"], hint=hint)
