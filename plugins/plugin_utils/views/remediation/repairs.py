# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan of repairs, its approval and the results of the repairs, on the inventory hosts of clusters and of controller nodes."""

from __future__ import annotations

import datetime
import typing as t
from dataclasses import asdict, dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.problem import FIT, UNKNOWN, WATCH
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.nodes.model import OF_HEALTH, OURS
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import slurm_states
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.disagreements import RUNNING
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.remediation import (
    approval,
    checks,
    history,
    plan as plans,
    route,
    spare,
    words,
)
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.service import acting
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared import limits
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared.remediation import BUDGET, TIMES
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding, refused
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import fleet, returning

from .. import Variables, view
from ..accelerator_health import seen

REPAIRED, TRAINING_PLANS = "repaired", "__remediation_training_plans"
"""The kind of records about repairs, and the variable with the training plans from AWS."""
REASON = f"{route.PURPOSE}unfit for work, or to be checked"
NOT_IN_SLURM = "Slurm has no node at its address, so it is unknown whether the node is in use."
DID = {plans.REBOOTS: "was rebooted", plans.REPLACES: "was replaced", plans.CHECKS: "was checked"}


@view
def refusals(variables: Variables) -> Findings:
    known = variables["hostvars"][variables["inventory_hostname"]]
    wrong = limits.range_problems(variables, {**BUDGET, **TIMES}, known)
    wrong += [*route.problems(variables), *checks.problems(variables)]
    return refused([*wrong, *approval.problems("remediation_approve", plain(variables["remediation_approve"]))])


@view
def training_plans(variables: Variables) -> list[str]:
    """ARNs of training plans that may have capacity for the replacement of an unfit node."""
    return spare.arns(_groups(variables), nodes_of(variables))


@dataclass(frozen=True)
class Plan:
    """The plan for a cluster, on the cluster's inventory host, after the nodes were checked."""

    repairs: list[dict[str, t.Any]]
    """The actions that this run carries out; empty without approval."""
    unapproved: str
    """The number of the plan if it waits for an approval, otherwise empty."""
    nodes: list[str]
    """Instance IDs of all nodes."""
    findings: Findings


@view
def plan(variables: Variables) -> Plan:
    key, given = variables["inventory_hostname"], plain(variables["remediation_approve"])
    made = _plan(variables)
    number = made.number(key)
    wrong, is_approved = route.not_supported(variables), approval.approved(given, number)
    unapproved = [] if is_approved or wrong or not number else words.unapproved(key, made, number, given)
    return Plan(
        repairs=[asdict(row) for row in made.acts] if is_approved and not wrong else [],
        unapproved=number if unapproved else "",
        nodes=list(nodes_of(variables)),
        findings=[*refused(wrong), *words.planned(key, made, nodes_of(variables)), *words.not_done(made), *unapproved],
    )


@dataclass(frozen=True)
class Jobs:
    """Requests to Slurm, on the host of a controller node."""

    addresses: list[str]
    purpose: str
    """The prefix of the drain reason on nodes that the run may resume."""
    reason: str
    reached: bool
    cluster_host: str
    held: list[str]
    """Addresses of repaired nodes that no check has found fit."""
    fit: list[str]
    """Addresses of fit nodes. The run resumes such a node if a repair drained it. Empty while another run is active.

    A node that this run repaired or checked is included only after its next check.
    """
    mended: list[str]
    """Addresses of fit nodes that this run repaired or checked. They are resumed even if Slurm's own check drained them."""
    of_health: str
    """The prefix of the drain reason of Slurm's own check, which itself resumes only nodes whose verdict is fit."""


@view
def jobs(variables: Variables) -> Jobs:
    host = fleet.cluster_host(variables["group_names"], variables["groups"])
    own = variables["hostvars"][host]
    run = own["hyperpod_run"]
    nodes = nodes_of(own)
    unseen = {each["address"] for each in unseen_of(own)}
    known = [iid for iid in fit(nodes) if iid not in run.get("unconfigured_nodes", ())]
    addresses = [nodes[iid]["private_ip"] for iid in known] if "repairs" in run else []
    well = [address for address in addresses if address and address not in unseen]
    done = [each["address"] for each in repairs_of(own) if each["node"] in run.get("repaired", ())]
    return Jobs(
        addresses=[each["address"] for each in repairs_of(own)],
        purpose=route.PURPOSE,
        reason=REASON,
        reached=fleet.can_be_asked(run, variables["hyperpod_instance_id"]),
        cluster_host=host,
        held=[address for address in done if address not in well],
        fit=well,
        mended=[address for address in done if address in well],
        of_health=OF_HEALTH.removeprefix(OURS),
    )


@view
def emptied(variables: Variables) -> dict[str, str]:
    """Why a node can't be repaired, keyed by instance ID, from the state in Slurm after the run waited for its jobs."""
    own = variables["hostvars"][fleet.cluster_host(variables["group_names"], variables["groups"])]
    states = slurm_states.states(plain((variables.get("__remediation_jobs") or {}).get("slurm_nodes")))
    at = {each["node"]: states.get(each["address"], slurm_states.NOTHING) for each in repairs_of(own)}
    why = {each["node"]: occupied(variables, each, at[each["node"]]) for each in repairs_of(own)}
    return {iid: text for iid, text in why.items() if text}


def occupied(variables: Variables, repair: t.Mapping[str, t.Any], state: slurm_states.State) -> str:
    """Why a node can't be repaired, from its state in Slurm; empty if it can.

    A repair by HyperPod itself is reported before jobs, because the run then does not wait for the jobs.
    """
    if state == slurm_states.NOTHING:
        return NOT_IN_SLURM
    work = acting(RUNNING, state)
    if work:
        return f"{work}."
    if state.jobs:
        return f"there are jobs on it: {', '.join(state.jobs)}."
    return "" if repair["does"] == plans.CHECKS else route.not_requestable(variables, state)


@view
def unconfigured(variables: Variables) -> list[str]:
    """Instance IDs of nodes that must stay out of service, on a cluster's inventory host after login access was configured."""
    run, check_mode = variables["hyperpod_run"], variables["ansible_check_mode"]
    return returning.unconfigured(fleet.of(variables), run, check_mode=check_mode)


@view
def turn_group(variables: Variables) -> str:
    """The node's group in later plays: ``hyperpod_repaired`` if the run repaired or checked it or its predecessor, else empty."""
    own = variables["hostvars"][fleet.cluster_host(variables["group_names"], variables["groups"])]
    return "hyperpod_repaired" if is_repaired(own, variables) else ""


def is_repaired(cluster: Variables, node: Variables) -> bool:
    """Whether the run repaired or checked the node. Also true for a new node in a group whose nodes were repaired."""
    run = cluster.get("hyperpod_run") or {}
    done, iid = run.get("repaired", ()), node["hyperpod_instance_id"]
    groups = {each["group"] for each in repairs_of(cluster) if each["node"] in done}
    return iid in done or (iid not in run.get("nodes_before", ()) and node["hyperpod_instance_group"] in groups)


@view
def judged(variables: Variables) -> Findings:
    """Findings about the nodes of a cluster that the run repaired and then checked again, for the cluster's inventory host."""
    run = variables["hyperpod_run"]
    nodes = nodes_of(variables)
    done = [each for each in repairs_of(variables) if each["node"] in run["repaired"]]
    now = _machines(done, nodes, run["nodes_before"])
    rows, left = [(each, now[each["node"]]) for each in done], run.get("unconfigured_nodes", ())
    return [one for each, iid in rows for one in _judged(each, iid, nodes.get(iid), configured=iid not in left)]


def _machines(done: t.Sequence[t.Mapping[str, t.Any]], nodes: t.Mapping[str, t.Any], before: t.Container[str]) -> dict[str, str]:
    """The instance ID after the repair, keyed by the instance ID before it; empty if the node has no known successor.

    AWS does not report which node replaced which. The successor is the node at the same address, or else any new node of the group.
    """
    at = {each["private_ip"]: iid for iid, each in nodes.items() if each["private_ip"]}
    found = {each["node"]: each["node"] if each["node"] in nodes else at.get(each["address"], "") for each in done}
    new = sorted(iid for iid in nodes if iid not in before and iid not in found.values())
    for each in done:
        if not found[each["node"]]:
            found[each["node"]] = next((iid for iid in new if nodes[iid]["instance_group"] == each["group"]), "")
            new = [iid for iid in new if iid != found[each["node"]]]
    return found


def _judged(repair: t.Mapping[str, t.Any], now: str, node: t.Mapping[str, t.Any] | None, *, configured: bool) -> Findings:
    """The finding about one repair. ``now``: the current instance ID; empty if unknown. ``node``: its entry in the report."""
    verdict = node["verdict"] if node else UNKNOWN
    texts = {FIT: "remediation-repaired", WATCH: "remediation-repaired", UNKNOWN: "remediation-unseen"}
    by = " by" if repair["does"] == plans.REPLACES else " and replaced by"
    did = DID[repair["does"]] + (f"{by} {now}" if now not in ("", repair["node"]) else "")
    if verdict in (FIT, WATCH) and not configured:
        return finding("remediation-unconfigured", node=repair["node"], did=did)
    left = {each["code"] for each in node["problems"]} & set(repair["codes"]) if node else set()
    if verdict == WATCH and left:
        return finding("remediation-left", node=repair["node"], did=did, codes=sorted(left))
    return finding(texts.get(verdict, "remediation-unfit"), node=repair["node"], did=did, verdict=verdict)


def _plan(variables: Variables) -> plans.Plan:
    reported = plain(variables[seen.REPORTED])
    now = datetime.datetime.now(datetime.timezone.utc)
    records = plain((variables["hyperpod_run"].get("records") or {}).get(REPAIRED) or {})
    listed = plain(variables.get(seen.NODES) or ())
    known = plans.Known(
        nodes=reported["nodes"],
        stops=reported["common"],
        launched={each["instance_id"]: str(each["launch_time"]) for each in listed},
        history=history.history(records, now),
        now=now,
        by_orchestrator=route.by_orchestrator(variables),
        spare=spare.capacities(_groups(variables), plain(variables.get(TRAINING_PLANS) or {}).get("training_plans", ())),
    )
    budget = plans.Budget(*(int(variables[name]) for name in BUDGET))
    return plans.plan(known, budget, checks.request(variables))


def fit(nodes: t.Mapping[str, t.Any]) -> list[str]:
    """Instance IDs of nodes that may take jobs."""
    return [iid for iid, each in nodes.items() if each["verdict"] in (FIT, WATCH)]


def _groups(cluster: Variables) -> list[dict[str, t.Any]]:
    """Instance groups, from DescribeCluster."""
    return list(plain(cluster["hyperpod_run"]["cluster"])["groups"])


def nodes_of(cluster: Variables) -> dict[str, t.Any]:
    """The nodes as in the report, keyed by instance ID."""
    return dict(plain(cluster[seen.REPORTED])["nodes"])


def unseen_of(cluster: Variables) -> list[dict[str, t.Any]]:
    """Repairs and checks of this run whose nodes were not checked again."""
    run = cluster.get("hyperpod_run") or {}
    seen_again = run.get("repaired", ()) if run.get("judged", False) else ()
    return [each for each in repairs_of(cluster) if each["node"] not in seen_again]


def repairs_of(cluster: Variables) -> list[dict[str, t.Any]]:
    return list(plain((cluster.get("hyperpod_run") or {}).get("repairs") or []))
