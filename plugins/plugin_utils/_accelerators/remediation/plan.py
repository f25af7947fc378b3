# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The repair plan of a cluster, for nodes that are unfit, wait for a reboot or must be checked.

A row of the plan has an action for a node, or the reason why the run takes no action.
"""

from __future__ import annotations

import datetime
import hashlib
import typing as t
from dataclasses import dataclass, field

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.problem import (
    CONFIG,
    FIT,
    LOG_LED,
    REBOOT,
    REPLACE,
    UNKNOWN,
    WATCH,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import moment_of
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.labels import READY, SCHEDULABLE
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.actions import ROWS
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.common import LEAST, SHARE, read_of
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.disagreements import RUNNING
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.slurm_states import OUT_OF_WORK

from . import history as past
from .checks import NONE, Request, under_way
from .history import History
from .patience import patience_for
from .route import foreign
from .spare import Capacity

REBOOTS, REPLACES, CHECKS = "reboot", "replace", past.CHECKS
ACTS = (REBOOTS, REPLACES, CHECKS)
WAITS, STOPS, LATER, ESCALATES = "wait", "stop", "later", "escalate"
TWICE = 2
MOST_CODES = 20
AT_WORK = ("allocated", "mixed", "completing")
"""The states in Slurm of a node with jobs."""
WORKERS = ("", "compute")
UNREPAIRED = (FIT, WATCH, UNKNOWN, "")
"""Verdicts of nodes that may be checked. Nodes without accelerators have the empty verdict."""


@dataclass(frozen=True)
class Budget:
    at_once: int
    """Maximum number of nodes in one run."""
    per_day: int
    """Maximum number of repairs and checks in 24 hours, including those of this run."""
    group_percent: int
    """Maximum share of an instance group's nodes that are out of service. It is rounded down, but allows at least one node."""


@dataclass(frozen=True)
class Row:
    """The plan for one node."""

    node: str
    group: str
    does: str
    """The action (``reboot``, ``replace``, ``check``), or the outcome without one (``wait``, ``stop``, ``later``, ``escalate``)."""
    why: str
    address: str = ""
    times: int = 0
    """Number of repairs of the node and its predecessors, including the planned repair, if any."""
    turn: int = 0
    """Number of counted actions on this instance, including the planned action."""
    checks: str = ""
    """Requested deep health checks, separated by commas."""
    codes: tuple[str, ...] = ()
    """The codes of the problems that the repair is for."""


@dataclass(frozen=True)
class Plan:
    rows: tuple[Row, ...] = ()

    @property
    def acts(self) -> tuple[Row, ...]:
        return tuple(row for row in self.rows if row.does in ACTS)

    def number(self, key: str) -> str:
        """The number that identifies these actions and findings for an approval; empty if there is nothing to approve."""
        rows = sorted(self.acts, key=lambda row: row.node)
        text = "\n".join(f"{row.does} {row.node} {row.times} {row.turn} {row.checks} {','.join(row.codes)}" for row in rows)
        return f"{key}:{hashlib.sha256(text.encode()).hexdigest()[:8]}" if text else ""


@dataclass(frozen=True)
class Known:
    """The input of a plan."""

    nodes: t.Mapping[str, t.Any]
    """The nodes, as in the report's document."""
    stops: t.Sequence[t.Mapping[str, t.Any]]
    """Problems that many of the nodes share."""
    launched: t.Mapping[str, str]
    """Launch times, keyed by instance ID."""
    history: History
    now: datetime.datetime
    spare: t.Mapping[str, Capacity] = field(default_factory=dict)
    """Capacity of training plans, keyed by instance group."""
    by_orchestrator: bool = False
    """Whether repairs are requested through reasons in Slurm and labels in Kubernetes instead of HyperPod's API."""


def plan(known: Known, budget: Budget, request: Request = NONE) -> Plan:
    """The rows, in three groups. Each group uses the budget that the groups before it leave.

    1. Unfit nodes, unknown nodes that HyperPod is working on, and nodes with a kernel record that could be neither confirmed nor
       denied. A person must decide about these kernel records.
    2. Working nodes that need a reboot to remap a row of GPU memory.
    3. Nodes to check.
    """
    rows: list[Row] = []
    for iid, node in known.nodes.items():
        if node["verdict"] in (REBOOT, REPLACE) or (node["verdict"] == UNKNOWN and node["service"]["does"]):
            rows.append(_row(known, budget, iid, [row for row in rows if row.does in ACTS]))
        elif _unread(node) and not request.names(iid, node["instance_group"]):
            why = f"{_sentences(_unread(node))} Inspect the node. Reboot the node if these signs still can't be read."
            rows.append(Row(iid, node["instance_group"], ESCALATES, why))
    waiting = [iid for iid, node in known.nodes.items() if _waits_for_a_reboot(node)]
    for iid in waiting:
        if not request.names(iid, known.nodes[iid]["instance_group"]):
            rows.append(_when_idle(known, budget, iid, [row for row in rows if row.does in ACTS], waiting))
    for iid in _to_check(known, request, {row.node for row in rows}):
        rows.append(_check(known, budget, request, iid, [row for row in rows if row.does in ACTS]))
    return Plan(tuple(rows))


def _row(known: Known, budget: Budget, iid: str, acts: t.Sequence[Row]) -> Row:
    """The row of an unfit or unknown node. ``acts``: the actions planned so far."""
    node = known.nodes[iid]
    group = node["instance_group"]
    number = _times(known, iid)
    codes = _codes(node)
    rebooted = _rebooted_for(known.history.get(iid), codes)
    does = REBOOTS if node["verdict"] == REBOOT and not rebooted else REPLACES
    spare = known.spare.get(group) if does == REPLACES else None
    held = (
        _service(node, known.now)
        or _common(known.stops)
        or _not_ours(node)
        or _not_running(node)
        or _foreign(known, node)
        or _set_up(node, does)
        or _again(number, "the node is still unfit")
        or _runs_out(known, budget, acts)
        or _too_many_out(known, budget, acts, iid)
        or _none_spare(known, acts, spare)
    )
    if held:
        return Row(iid, group, *held)
    why = " ".join(filter(None, (_reason(node, rebooted=rebooted), spare.doubt if spare else "")))
    return Row(iid, group, does, why, node["private_ip"], number + 1, _turn(known, iid), codes=codes)


def _waits_for_a_reboot(node: t.Mapping[str, t.Any]) -> bool:
    """Whether the node needs a reboot to remap a row of GPU memory, and runs may repair it. Nodes that only people repair are
    excluded, so that not every run reports them."""
    return node["verdict"] == WATCH and not _not_ours(node) and any(each["code"] == ROWS for each in node["problems"])


def _when_idle(known: Known, budget: Budget, iid: str, acts: t.Sequence[Row], waiting: t.Sequence[str]) -> Row:
    """The row of a node that is rebooted when idle. ``acts``: as in ``_row``. ``waiting``: all such nodes of the cluster."""
    node, number = known.nodes[iid], _times(known, iid)
    held = (
        _later(_service(node, known.now))
        or _common(known.stops)
        or _shared(known, waiting)
        or _later(_not_running(node))
        or _foreign(known, node)
        or _again(number, "the node needs another reboot for its GPU memory")
        or _busy(node)
        or _runs_out(known, budget, acts)
        or _too_many_out(known, budget, acts, iid)
    )
    if held:
        return Row(iid, node["instance_group"], *held)
    why = _sentences(each["text"] for each in node["problems"] if each["code"] == ROWS)
    place = (iid, node["instance_group"], REBOOTS, why, node["private_ip"])
    return Row(*place, number + 1, _turn(known, iid), codes=(ROWS,))


def _shared(known: Known, waiting: t.Sequence[str]) -> Held:
    """Postpones the reboots if many nodes wait, because the driver or the tool is then the likely cause. Other repairs continue,
    because the problem makes no node unfit."""
    read = len(read_of(known.nodes))
    if len(waiting) < LEAST or len(waiting) <= SHARE * read:
        return None
    return LATER, f"{len(waiting)} of {read} nodes have {ROWS}. Find the common cause first."


def _busy(node: t.Mapping[str, t.Any]) -> Held:
    """Why the node is not rebooted now; None if it is. The node works, so it is rebooted only if it is known to be idle."""
    known, state = node["known"], node["known"]["slurm"]
    why = "A GPU must remap a row of its memory. The node will be rebooted"
    if known["jobs"]:
        return LATER, f"{why} after these jobs have ended: {', '.join(known['jobs'])}."
    if not state and not known["kubernetes"]:
        return LATER, f"{why} when it is known to be idle, but neither Slurm nor Kubernetes reported its state."
    return (LATER, f"{why} when it is idle. Slurm reports state {state}.") if state in AT_WORK else None


def _unread(node: t.Mapping[str, t.Any]) -> list[str]:
    """Problems from kernel records that could be neither confirmed nor denied, because a second source could not be read."""
    return [each["text"] for each in node["problems"] if each["code"] in LOG_LED and each["verdict"] == UNKNOWN]


def _unfit(node: t.Mapping[str, t.Any]) -> list[t.Mapping[str, t.Any]]:
    """The problems that make the node unfit."""
    return [each for each in node["problems"] if each["verdict"] in (REBOOT, REPLACE)]


def _codes(node: t.Mapping[str, t.Any]) -> tuple[str, ...]:
    return tuple(sorted({each["code"] for each in _unfit(node)})[:MOST_CODES])


def _rebooted_for(before: past.Repaired | None, codes: t.Container[str]) -> bool:
    """Whether the last repair was a reboot for one of these codes or for unknown codes. Another reboot may then not help."""
    last = before.last_repair if before else None
    return last is not None and last.does == REBOOTS and (not last.codes or any(code in codes for code in last.codes))


def _to_check(known: Known, request: Request, planned: t.Container[str]) -> list[str]:
    """The nodes to check. The budget may cover only some of them, so nodes that were never checked come first, followed by those
    with the oldest checks."""
    begin = datetime.datetime.min.replace(tzinfo=datetime.timezone.utc)
    checked = {iid: each.last_check for iid, each in known.history.items()}
    named = [iid for iid, node in known.nodes.items() if request.names(iid, node["instance_group"]) and iid not in planned]
    wanted = [iid for iid in named if known.nodes[iid]["verdict"] in UNREPAIRED and known.nodes[iid]["node_type"] in WORKERS]
    return sorted(wanted, key=lambda iid: (checked.get(iid) or begin, iid))


def _check(known: Known, budget: Budget, request: Request, iid: str, acts: t.Sequence[Row]) -> Row:
    """The row of a node to check. ``acts``: as in ``_row``."""
    node, checks = known.nodes[iid], ",".join(request.checks)
    does, others = node["service"]["does"], under_way(known.nodes)
    held = (
        (None if node["verdict"] else (LATER, "The node's type has no accelerators, so deep health checks do not apply."))
        or ((WAITS, f"{does}, at least since {node['service']['since']}.") if does else None)
        or _common(known.stops)
        or _later(_not_running(node))
        or ((WAITS, f"HyperPod now checks {', '.join(others)}, and runs one check of a cluster at a time.") if others else None)
        or _runs_out(known, budget, acts)
        or _too_many_out(known, budget, acts, iid)
    )
    if held:
        return Row(iid, node["instance_group"], *held, checks=checks)
    checking = f"HyperPod runs {', '.join(request.checks)}, and reboots or replaces the node if a check fails."
    why = f"{checking}{_waits_for(node)}"
    place = (iid, node["instance_group"], CHECKS, why, node["private_ip"])
    return Row(*place, _times(known, iid), _turn(known, iid), checks)


def _times(known: Known, iid: str) -> int:
    group = known.nodes[iid]["instance_group"]
    return past.times(known.history, iid, group, known.launched.get(iid, ""), there=known.nodes)


def _turn(known: Known, iid: str) -> int:
    return len(known.history[iid].acts) + 1 if iid in known.history else 1


Held = tuple[str, str] | None
"""The outcome without an action, and the reason. None if nothing prevents the action."""


def _later(held: Held) -> Held:
    """The outcome ``LATER`` with the same reason, because a postponed check or reboot needs no person."""
    return (LATER, held[1]) if held else None


def _service(node: t.Mapping[str, t.Any], now: datetime.datetime) -> Held:
    does, since = node["service"]["does"], node["service"]["since"]
    if not does:
        return None
    if now - moment_of(since) >= patience_for(does):
        after = "Find out what HyperPod waits for, or contact AWS. Runs do not change the node until HyperPod has finished."
        return ESCALATES, f"{does}, at least since {since}. {after}"
    return WAITS, f"{does}, at least since {since}."


def _common(stops: t.Sequence[t.Mapping[str, t.Any]]) -> Held:
    """A problem that many nodes share stops all repairs of the cluster, because its cause must be found first."""
    return (STOPS, " ".join(each["text"] for each in stops)) if stops else None


def _not_ours(node: t.Mapping[str, t.Any]) -> Held:
    if node["node_type"] not in WORKERS:
        return ESCALATES, f"The node is a {node['node_type']} node, on which users or the queue depend. Repair the node manually."
    pool = node["known"]["kubernetes"].get("node_pool")
    if pool:
        return ESCALATES, f"Karpenter manages the node for NodePool {pool}. To replace the node, delete its NodeClaim."
    return None


def _not_running(node: t.Mapping[str, t.Any]) -> Held:
    status = node["known"]["hyperpod"]
    if status != RUNNING:
        return ESCALATES, f"HyperPod reports status {status}. Only nodes with status {RUNNING} are repaired or checked."
    if node["private_ip"] or node["known"]["kubernetes"]:
        return None
    return LATER, "HyperPod returned no address for the node. A run needs the address to find the node in Slurm."


def _foreign(known: Known, node: t.Mapping[str, t.Any]) -> Held:
    refusal = foreign(node["known"]["slurm_reason"]) if known.by_orchestrator else ""
    return (LATER, refusal) if refusal else None


def _set_up(node: t.Mapping[str, t.Any], does: str) -> Held:
    problems = _unfit(node)
    if does != REPLACES or not problems or any(each["cause"] != CONFIG for each in problems):
        return None
    why = f"The node is misconfigured ({', '.join(_codes(node))}), and a replacement would have the same image"
    return ESCALATES, f"{why}. Correct the image or the lifecycle scripts, or repair the node manually."


def _again(number: int, state: str) -> Held:
    """The outcome if the node was repaired too often for another repair. ``state``: a clause with the node's current state."""
    if number < TWICE:
        return None
    repairs = f"{number} repairs were requested in {past.MEMORY.days} days"
    return ESCALATES, f"{repairs}, and {state}. Open a support case with AWS."


def _runs_out(known: Known, budget: Budget, acts: t.Sequence[Row]) -> Held:
    if len(acts) >= budget.at_once:
        return LATER, f"This run has reached the limit remediation_at_once={budget.at_once}. Run again after this run has ended."
    if past.in_last_day(known.history, known.now) + len(acts) >= budget.per_day:
        actions = "The actions of the last 24 hours, including this run,"
        return LATER, f"{actions} have reached the limit remediation_per_day={budget.per_day}."
    return None


def _too_many_out(known: Known, budget: Budget, acts: t.Sequence[Row], iid: str) -> Held:
    """The outcome if too many nodes of the group would be out of service. A node that already is out can always be repaired."""
    group = known.nodes[iid]["instance_group"]
    members = {each: node for each, node in known.nodes.items() if node["instance_group"] == group}
    out = {each for each, node in members.items() if _is_out(node["known"])} | {row.node for row in acts if row.group == group}
    most = max(1, len(members) * budget.group_percent // 100)
    if iid in out or len(out) < most:
        return None
    counted = f"Instance group {group} has {len(out)} of {len(members)} nodes out of service, including nodes with planned actions"
    return LATER, f"{counted}, and remediation_group_percent allows {most}."


def _none_spare(known: Known, acts: t.Sequence[Row], spare: Capacity | None) -> Held:
    """The outcome if the training plan lacks capacity. Groups may share it, so the planned replacements of all groups count."""
    if spare is None:
        return None
    taken = [row for row in acts if row.does == REPLACES and known.spare.get(row.group) == spare]
    refusal = spare.refusal(len(taken))
    return (LATER, refusal) if refusal else None


def _is_out(known: t.Mapping[str, t.Any]) -> bool:
    return known["hyperpod"] != RUNNING or known["slurm"] in OUT_OF_WORK or _gets_no_pods(known["kubernetes"])


def _gets_no_pods(known: t.Mapping[str, t.Any]) -> bool:
    """Whether Kubernetes starts no Pods on the node. ``known`` lists only problems, so its condition ``READY`` means not ready."""
    if not known:
        return False
    labelled = known["health_status"] not in ("", SCHEDULABLE)
    return known["unschedulable"] or labelled or any(each["type"] == READY for each in known["conditions"])


def _reason(node: t.Mapping[str, t.Any], *, rebooted: bool) -> str:
    text = _sentences(each["text"] for each in _unfit(node)) or "The check reports the node as unfit."
    again = " A reboot was requested before, and the node is still unfit." if rebooted else ""
    return f"{text}{again}{_waits_for(node)}"


def _sentences(texts: t.Iterable[str]) -> str:
    """The texts as one text, with a full stop after each."""
    return " ".join(text if text.endswith((".", "!", "?")) else f"{text}." for text in texts)


def _waits_for(node: t.Mapping[str, t.Any]) -> str:
    return f" The run waits for the node's jobs: {', '.join(node['known']['jobs'])}." if node["known"]["jobs"] else ""
