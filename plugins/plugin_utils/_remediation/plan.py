# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is done to the nodes of a cluster that are unfit, and what is not, and why. Pure."""

from __future__ import annotations

import datetime
import hashlib
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import moment_of
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accelerators.health.problem import REBOOT, REPLACE, UNKNOWN
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.disagreements import OUT_OF_WORK, RUNNING, SCHEDULABLE

from . import history as past
from .history import History

REBOOTS, REPLACES = "reboot", "replace"
ACTS = (REBOOTS, REPLACES)
WAITS, STOPS, LATER, ESCALATES = "wait", "stop", "later", "escalate"
PATIENCE = datetime.timedelta(minutes=40)
"""After it a person is asked about what the service does."""
TWICE = 2
WORKERS = ("", "compute")
READY = "Ready"
"""The condition of a node whose kubelet is not, where it is told."""


@dataclass(frozen=True)
class Budget:
    at_once: int
    """Nodes of a run."""
    per_day: int
    """Repairs of the last 24 hours and of this run."""
    group_percent: int
    """Of an instance group's nodes, rounded down, and one in any case: so many may be out of work."""


@dataclass(frozen=True)
class Row:
    """One node."""

    node: str
    group: str
    does: str
    """reboot or replace; or wait, stop, later or escalate, which do nothing."""
    why: str
    address: str = ""
    times: int = 0
    """How often it and its predecessors were repaired, this time included."""


@dataclass(frozen=True)
class Plan:
    rows: tuple[Row, ...] = ()

    @property
    def acts(self) -> tuple[Row, ...]:
        return tuple(row for row in self.rows if row.does in ACTS)

    def number(self, key: str) -> str:
        """By which somebody approves of what is done, this once, and of nothing else; empty where there is nothing to approve."""
        told = "\n".join(f"{row.does} {row.node} {row.times}" for row in sorted(self.acts, key=lambda row: row.node))
        return f"{key}:{hashlib.sha256(told.encode()).hexdigest()[:8]}" if told else ""


@dataclass(frozen=True)
class Known:
    """What the plan of a cluster is made of."""

    nodes: t.Mapping[str, t.Any]
    """As the document of the report has them."""
    stops: t.Sequence[t.Mapping[str, t.Any]]
    """What many of them have in common."""
    launched: t.Mapping[str, str]
    """When each machine was, by instance ID."""
    history: History
    now: datetime.datetime


def plan(known: Known, budget: Budget) -> Plan:
    """A row for each node that is unfit, and for those on which the service is at work and of which nobody can say more."""
    rows: list[Row] = []
    for iid, node in known.nodes.items():
        if node["verdict"] in (REBOOT, REPLACE) or (node["verdict"] == UNKNOWN and node["service"]["does"]):
            rows.append(_row(known, budget, iid, [row for row in rows if row.does in ACTS]))
    return Plan(tuple(rows))


def _row(known: Known, budget: Budget, iid: str, acts: t.Sequence[Row]) -> Row:
    """``acts``: what is planned already."""
    node = known.nodes[iid]
    group = node["instance_group"]
    number = past.times(known.history, iid, group, known.launched.get(iid, ""))
    held = (
        _service(node, known.now)
        or _common(known.stops)
        or _not_ours(node)
        or _not_running(node)
        or _again(number)
        or _runs_out(known, budget, acts)
        or _too_many_out(known, budget, acts, iid)
    )
    if held:
        return Row(iid, group, *held)
    rebooted = iid in known.history and known.history[iid].last.does == REBOOTS
    does = REBOOTS if node["verdict"] == REBOOT and not rebooted else REPLACES
    return Row(iid, group, does, _reason(node, rebooted=rebooted), node["private_ip"], number + 1)


Held = tuple[str, str] | None
"""What is done instead, and why."""


def _service(node: t.Mapping[str, t.Any], now: datetime.datetime) -> Held:
    does, since = node["service"]["does"], node["service"]["since"]
    if not does:
        return None
    if now - moment_of(since) >= PATIENCE:
        return ESCALATES, f"{does}, at least since {since}. Ask AWS, or find out what it waits for: it is not fought."
    return WAITS, f"{does}, at least since {since}."


def _common(stops: t.Sequence[t.Mapping[str, t.Any]]) -> Held:
    """Whatever many nodes have, no node of the cluster is touched until somebody has understood it."""
    return (STOPS, " ".join(each["text"] for each in stops)) if stops else None


def _not_ours(node: t.Mapping[str, t.Any]) -> Held:
    if node["node_type"] not in WORKERS:
        return ESCALATES, f"It is a {node['node_type']} node: people or the queue depend on it. Repair it by hand."
    pool = node["known"]["kubernetes"].get("node_pool")
    if pool:
        return ESCALATES, f"Karpenter has made it for NodePool {pool}, and ends its nodes. Delete its NodeClaim."
    return None


def _not_running(node: t.Mapping[str, t.Any]) -> Held:
    status = node["known"]["hyperpod"]
    if status != RUNNING:
        return ESCALATES, f"HyperPod has it as {status}, and only nodes that are {RUNNING} are repaired."
    if node["private_ip"] or node["known"]["kubernetes"]:
        return None
    return LATER, "HyperPod does not tell its address, by which Slurm knows it."


def _again(number: int) -> Held:
    if number < TWICE:
        return None
    asked = f"AWS was asked {number} times in {past.MEMORY.days} days to repair it"
    return ESCALATES, f"{asked}, and it is unfit. Open a case with AWS."


def _runs_out(known: Known, budget: Budget, acts: t.Sequence[Row]) -> Held:
    if len(acts) >= budget.at_once:
        return LATER, f"remediation_at_once is {budget.at_once}: run it again after this one."
    if past.in_last_day(known.history, known.now) + len(acts) >= budget.per_day:
        return LATER, f"remediation_per_day is {budget.per_day}, and as many repairs were made in 24 hours or are planned."
    return None


def _too_many_out(known: Known, budget: Budget, acts: t.Sequence[Row], iid: str) -> Held:
    """A node that is out of work already can be repaired without loss."""
    group = known.nodes[iid]["instance_group"]
    members = {each: node for each, node in known.nodes.items() if node["instance_group"] == group}
    out = {each for each, node in members.items() if _is_out(node["known"])} | {row.node for row in acts if row.group == group}
    most = max(1, len(members) * budget.group_percent // 100)
    if iid in out or len(out) < most:
        return None
    return LATER, f"{len(out)} of {len(members)} nodes of {group} are out of work; remediation_group_percent lets {most} be."


def _is_out(known: t.Mapping[str, t.Any]) -> bool:
    return known["hyperpod"] != RUNNING or known["slurm"] in OUT_OF_WORK or _gets_no_pods(known["kubernetes"])


def _gets_no_pods(known: t.Mapping[str, t.Any]) -> bool:
    """``known``: empty where nobody asked Kubernetes."""
    if not known:
        return False
    labelled = known["health_status"] not in ("", SCHEDULABLE)
    return known["unschedulable"] or labelled or any(each["type"] == READY for each in known["conditions"])


def _reason(node: t.Mapping[str, t.Any], *, rebooted: bool) -> str:
    texts = [each["text"] for each in node["problems"] if each["verdict"] in (REBOOT, REPLACE)]
    told = "; ".join(texts) or "It says that it is unfit."
    again = " A reboot was asked for before, and it is unfit still." if rebooted else ""
    jobs = f" Jobs are waited for: {', '.join(node['known']['jobs'])}." if node["known"]["jobs"] else ""
    return f"{told}{again}{jobs}"
