# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan, its price and its quotas."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible.module_utils.parsing.convert_bool import boolean
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import not_allowed
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.text import printable
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster import network, plan as of_plan
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.cost import Cost, cost
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.observed import (
    CLUSTER,
    ELASTIC_IP,
    GROUP,
    NAT_GATEWAY,
    SUBNET,
    VPC,
)
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.plan import Row
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding, refused
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.printed import Printed, printed

from .. import Variables, view
from .declared import TYPES, VERSIONS, ZONES, declared, names, observed, values
from .image import image_rows
from .workloads import workloads

PRICES, QUOTAS, TEMPLATES = (f"__training_cluster_{name}" for name in ("prices", "quotas", "planned_templates"))
EXTENDED = "extended"
SUPPORTED = ("standard", EXTENDED)
"""Statuses of the versions that EKS offers."""
READABLE = ("ACTIVE", "UPDATING")
"""Statuses of an EKS cluster whose changes check mode can predict."""
WITHOUT_EKS = ("use1-az3", "usw1-az2", "cac1-az3")
"""IDs of zones in which EKS has no control plane (EKS user guide, page network-reqs)."""


@dataclass(frozen=True)
class Plan:
    """The plan before its prices are known."""

    changes: bool
    """Whether a resource is created, or a group is scaled."""
    priced: list[dict[str, t.Any]]
    """The option ``planned`` of ``price_info``."""
    instances: list[dict[str, t.Any]]
    """Instances to add, as the option ``planned`` of ``ec2_quota_info``. Reserved instances need no quota."""
    vpcs: int
    eks_clusters: int
    elastic_ips: int
    nat_gateways: list[dict[str, t.Any]]
    shrinking: list[str]
    """Names of groups that lose nodes, because EKS replaces them, because fewer are declared, or because the groups are removed."""


@view
def plan(variables: Variables) -> Plan:
    found, before = rows(variables), observed(variables)
    missing = [row.kind for row in found if row.action == of_plan.CREATE]
    added = []
    for group in declared(variables).groups:
        there = before.named(GROUP, group.name)
        now = of_plan.nodes_of(there)
        count = group.count(now) - (now or 0)
        if count > 0 and not group.reservation and (there is None or there["ours"]):
            market = "spot" if group.spot else "on_demand"
            added.append({"instance_type": group.instance_type, "count": count, "market": market})
    return Plan(
        changes=any(row.changes for row in found),
        priced=of_plan.planned(found),
        instances=added,
        vpcs=missing.count(VPC),
        eks_clusters=missing.count(CLUSTER),
        elastic_ips=missing.count(ELASTIC_IP),
        nat_gateways=[{"zone": zone(variables), "count": 1}] if NAT_GATEWAY in missing else [],
        shrinking=[row.name for row in found if row.kind == GROUP and _loses_nodes(variables, row)],
    )


def _loses_nodes(variables: Variables, row: Row) -> bool:
    there = observed(variables).named(GROUP, row.name)
    now = of_plan.nodes_of(there)
    if not now or row.action in (of_plan.REPLACE, of_plan.REMOVE):
        return bool(now)
    group = next((each for each in declared(variables).groups if each.name == row.name), None)
    return group is not None and row.action == of_plan.SCALE and group.count(now) < now


def rows(variables: Variables) -> list[Row]:
    foreseen = of_plan.Foreseen(
        version=str(values(variables)["version"] or ""),
        upgrades=upgrades(variables),
        extended_support=support(variables) == EXTENDED,
        ends={each["id"]: each["end"] for each in reservations(variables) if each["end"]},
        templates=frozenset(
            each["item"]["name"]
            for each in planned_templates(variables)
            if not str(each["efa_launch_template"]["version"]).isdigit()
        ),
    )
    return [*of_plan.rows(declared(variables), observed(variables), names(variables), foreseen), *image_rows(variables)]


def planned_templates(variables: Variables) -> list[dict[str, t.Any]]:
    """The results of ``efa_launch_template`` in check mode."""
    return list(plain((variables.get(TEMPLATES) or {}).get("results") or []))


def reservations(variables: Variables) -> list[dict[str, t.Any]]:
    """The capacity reservations of groups, as ``efa_launch_template`` returns them."""
    found = [each["efa_launch_template"].get("capacity_reservation") for each in planned_templates(variables)]
    return [each for each in found if each]


def version_of(variables: Variables) -> str:
    """The Kubernetes version after the run. Empty if EKS names no default version."""
    cluster = observed(variables).cluster
    given = str(values(variables)["version"] or "") or (cluster["details"]["version"] if cluster else "")
    listed = plain(variables[VERSIONS])["eks_versions"]
    return given or next((each["version"] for each in listed if each["default"]), "")


@view
def upgrades(variables: Variables) -> bool:
    """Whether the control plane or one of our declared node groups does not have the declared version yet."""
    given, before = str(values(variables)["version"] or ""), observed(variables)
    names_of_groups = {each.name for each in declared(variables).groups}
    groups = [each for each in before.ours(GROUP) if each["name"] in names_of_groups]
    return bool(given) and any(each["details"]["version"] != given for each in (*before.of(CLUSTER), *groups))


@view
def changes_version(variables: Variables) -> bool:
    """Whether the run changes the version of an existing control plane."""
    given, before = str(values(variables)["version"] or ""), observed(variables).cluster
    return before is not None and given not in ("", before["details"]["version"])


def before_upgrade(variables: Variables) -> bool:
    """Whether check mode reads a control plane that the run upgrades before it changes add-ons and nodes."""
    return bool(variables["ansible_check_mode"]) and changes_version(variables)


def support(variables: Variables) -> str:
    listed = {each["version"]: each["status"] for each in plain(variables[VERSIONS])["eks_versions"]}
    return str(listed.get(version_of(variables), "unknown"))


def creates_network(variables: Variables) -> bool:
    """Whether the role creates the network. Otherwise the user gives it, or it is that of a cluster of someone else."""
    return declared(variables).network.created and not observed(variables).foreign


def _types(variables: Variables) -> list[dict[str, t.Any]]:
    return list(plain(variables.get(TYPES) or {}).get("instance_types") or [])


def types(variables: Variables) -> dict[str, dict[str, t.Any]]:
    """The instance types as ``instance_type_info`` returned them, keyed by name."""
    return {each["name"]: each for each in _types(variables)}


def zones(variables: Variables) -> list[str]:
    found = plain(variables.get(ZONES) or {}).get("availability_zones") or []
    return sorted(each["zone_name"] for each in found if each.get("zone_id") not in WITHOUT_EKS)


def zone(variables: Variables) -> str:
    """The zone of the nodes. The zone of an existing subnet never changes."""
    there = observed(variables).named(SUBNET, names(variables).part(network.NODES))
    if there:
        return str(there["details"]["availability_zone"])
    offered = {each["name"]: [name for name in each["zones"] or [] if name in zones(variables)] for each in _types(variables)}
    return network.zone_of(declared(variables).network.zone, offered)


def second_zone(variables: Variables) -> str:
    there = observed(variables).named(SUBNET, names(variables).part(network.CONTROL_PLANE))
    others = [each for each in zones(variables) if each != zone(variables)]
    return str(there["details"]["availability_zone"]) if there else next(iter(others), "")


def priced(variables: Variables) -> Cost:
    return cost(rows(variables), plain(variables[PRICES]))


@dataclass(frozen=True)
class Budget:
    """The plan with its prices, and whether the run may carry it out."""

    lines: Printed
    accepted: bool
    """Whether the cost is accepted, or nothing needs to be accepted."""
    goes_on: bool
    """Whether the run continues after the plan. In check mode, it ends if the cluster does not exist yet, so all is in the plan."""
    findings: Findings


@view
def budget(variables: Variables) -> Budget:
    found, changes = priced(variables), plan(variables).changes
    accepted, total = float(variables["training_cluster_accept_cost"]), f"{found.total:.2f} {found.currency}"
    lines = [_line(row, text) for row, text in zip(rows(variables), found.of_rows)]
    unknown = found.refused(plain(variables["training_cluster_accept_unknown_prices"]))
    seen, shrinking = workloads(variables), plan(variables).shrinking
    ended = seen.pods_on(shrinking, everywhere=False) if seen and shrinking else []
    lines += [f"end: {each}" for each in ended]
    lines += [f"wait: {each['kind']} {printable(each['name'])} (EC2 is deleting it)" for each in observed(variables).leaving]
    notes: Findings = finding("training-cluster-ends", ended=ended) if ended else []
    notes += finding("training-cluster-unread", what=seen.unread) if seen and shrinking and seen.unread else []
    findings = _extended(variables)
    if not findings and changes and accepted == 0:
        findings = finding("training-cluster-planned", total=total)
    elif not findings and changes and found.total > accepted:
        findings = finding("training-cluster-cost", total=total, accepted=f"{accepted:g}")
    elif not findings and changes and unknown:
        findings = finding("training-cluster-price-unknown", names=unknown)
    runs = not changes or accepted > 0
    foreseen = not changes or not variables["ansible_check_mode"] or _readable(variables)
    lines.append(f"Total: {total} an hour at list prices, without usage-based charges.")
    return Budget(printed(lines), runs, runs and foreseen, [*notes, *findings])


def _readable(variables: Variables) -> bool:
    there = observed(variables).cluster
    return there is not None and there["status"] in READABLE


def _extended(variables: Variables) -> Findings:
    """The refusal of a new cluster in extended support, with its additional price."""
    asked = boolean(values(variables)["extended_support"], strict=False)
    if asked or observed(variables).cluster or support(variables) != EXTENDED:
        return []
    prices, version = plain(variables[PRICES]), version_of(variables)
    price = next((each["price_per_hour"] for each in prices["prices"] if each["kind"] == of_plan.EXTENDED_SUPPORT), None)
    cost_of_it = "an unknown price" if price is None else f"{price:.2f} {prices['currency']} more"
    why = f"Kubernetes {version} is in extended support, which costs {cost_of_it} for each hour"
    allowed = "a version in standard support, or any version with training_cluster_extended_support=true"
    return refused([not_allowed("training_cluster_version", version, allowed, why)])


def _line(row: Row, price: str) -> str:
    more = ", ".join(text for text in (row.note, price) if text)
    return f"{row.action}: {row.kind} {printable(row.name)}" + (f" ({more})" if more else "")


@view
def room(variables: Variables) -> Findings:
    """Findings about quotas, from ``ec2_quota_info``."""
    found: Findings = []
    for each in plain(variables[QUOTAS])["quotas"]:
        if each["sufficient"] is False:
            needed = each["used"] + each["planned"]
            numbers = {"value": f"{each['value']:g}", "needed": f"{needed:g}"}
            found += finding("training-cluster-quota", name=each["name"], next=each["next_step"], **numbers)
        elif each["sufficient"] is None:
            found += finding("quota-unknown", names=each["name"])
    return found
