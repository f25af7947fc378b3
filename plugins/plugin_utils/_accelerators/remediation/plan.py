# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is done to the nodes of a cluster that are unfit, wait for a reboot or are to be checked, and what is not, and why. Pure."""

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
from .checks import NONE, Asked, under_way
from .history import History
from .patience import patience_for
from .route import theirs
from .spare import Capacity

REBOOTS, REPLACES, CHECKS = "reboot", "replace", past.CHECKS
ACTS = (REBOOTS, REPLACES, CHECKS)
WAITS, STOPS, LATER, ESCALATES = "wait", "stop", "later", "escalate"
TWICE = 2
MOST_CODES = 20
AT_WORK = ("allocated", "mixed", "completing")
"""States in Slurm of a node that somebody works on."""
WORKERS = ("", "compute")
UNREPAIRED = (FIT, WATCH, UNKNOWN, "")
"""Verdicts on nodes that may be checked; the last one is that on nodes without accelerators."""


@dataclass(frozen=True)
class Budget:
    at_once: int
    """Nodes of a run."""
    per_day: int
    """Repairs and checks of the last 24 hours and of this run."""
    group_percent: int
    """Of an instance group's nodes, rounded down, and one in any case: so many may be out of work."""


@dataclass(frozen=True)
class Row:
    """One node."""

    node: str
    group: str
    does: str
    """reboot, replace or check; or wait, stop, later or escalate, which do nothing."""
    why: str
    address: str = ""
    times: int = 0
    """How often it and its predecessors were repaired, this time included where this is a repair."""
    turn: int = 0
    """What is done to this machine is the so manieth that counts."""
    checks: str = ""
    """Deep health checks that are asked for, with commas."""
    codes: tuple[str, ...] = ()
    """Of the problems for which it is repaired."""


@dataclass(frozen=True)
class Plan:
    rows: tuple[Row, ...] = ()

    @property
    def acts(self) -> tuple[Row, ...]:
        return tuple(row for row in self.rows if row.does in ACTS)

    def number(self, key: str) -> str:
        """By which somebody approves of what is done and for which findings, this once; empty where there is nothing to approve."""
        rows = sorted(self.acts, key=lambda row: row.node)
        text = "\n".join(f"{row.does} {row.node} {row.times} {row.turn} {row.checks} {','.join(row.codes)}" for row in rows)
        return f"{key}:{hashlib.sha256(text.encode()).hexdigest()[:8]}" if text else ""


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
    spare: t.Mapping[str, Capacity] = field(default_factory=dict)
    """Of the training plans of instance groups."""
    asked_by_words: bool = False
    """HyperPod is asked for repairs by a reason in Slurm."""


def plan(known: Known, budget: Budget, asked: Asked = NONE) -> Plan:
    """A row for each node that is unfit, for those on which the service is at work and of which nobody can say more, and for those
    with a record in the kernel's log that is neither confirmed nor denied: a person decides about these.

    Then one for each that works, and whose memory waits for a reboot once it is idle; then one for each that is to be checked.
    What those before leave of the budget is theirs.
    """
    rows: list[Row] = []
    for iid, node in known.nodes.items():
        if node["verdict"] in (REBOOT, REPLACE) or (node["verdict"] == UNKNOWN and node["service"]["does"]):
            rows.append(_row(known, budget, iid, [row for row in rows if row.does in ACTS]))
        elif _unread(node) and not asked.names(iid, node["instance_group"]):
            why = f"{_sentences(_unread(node))} Look at the node, and reboot it where that can't be read otherwise."
            rows.append(Row(iid, node["instance_group"], ESCALATES, why))
    waiting = [iid for iid, node in known.nodes.items() if _waits_for_a_reboot(node)]
    for iid in waiting:
        if not asked.names(iid, known.nodes[iid]["instance_group"]):
            rows.append(_when_idle(known, budget, iid, [row for row in rows if row.does in ACTS], waiting))
    for iid in _to_check(known, asked, {row.node for row in rows}):
        rows.append(_check(known, budget, asked, iid, [row for row in rows if row.does in ACTS]))
    return Plan(tuple(rows))


def _row(known: Known, budget: Budget, iid: str, acts: t.Sequence[Row]) -> Row:
    """``acts``: what is planned already."""
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
        or _theirs(known, node)
        or _set_up(node, does)
        or _again(number, "it is unfit")
        or _runs_out(known, budget, acts)
        or _too_many_out(known, budget, acts, iid)
        or _none_spare(known, acts, spare)
    )
    if held:
        return Row(iid, group, *held)
    why = " ".join(filter(None, (_reason(node, rebooted=rebooted), spare.doubt if spare else "")))
    return Row(iid, group, does, why, node["private_ip"], number + 1, _turn(known, iid), codes=codes)


def _waits_for_a_reboot(node: t.Mapping[str, t.Any]) -> bool:
    """A GPU of it remaps a row of its memory then. Of nodes that are left to people nobody is told again and again."""
    return node["verdict"] == WATCH and not _not_ours(node) and any(each["code"] == ROWS for each in node["problems"])


def _when_idle(known: Known, budget: Budget, iid: str, acts: t.Sequence[Row], waiting: t.Sequence[str]) -> Row:
    """``acts``: as in ``_row``. ``waiting``: all nodes of the cluster like it."""
    node, number = known.nodes[iid], _times(known, iid)
    held = (
        _later(_service(node, known.now))
        or _common(known.stops)
        or _shared(known, waiting)
        or _later(_not_running(node))
        or _theirs(known, node)
        or _again(number, "its memory waits for another reboot")
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
    """What many nodes have is rather the driver or the tool. It makes none unfit, so it stops nothing else."""
    read = len(read_of(known.nodes))
    if len(waiting) < LEAST or len(waiting) <= SHARE * read:
        return None
    return LATER, f"{len(waiting)} of {read} nodes have {ROWS}. Look at what they have in common first."


def _busy(node: t.Mapping[str, t.Any]) -> Held:
    """It works, so nobody is kept from it, and only who is known to be idle is rebooted."""
    known, state = node["known"], node["known"]["slurm"]
    why = "A row of its memory waits to be remapped: it is rebooted"
    if known["jobs"]:
        return LATER, f"{why} when its jobs have ended ({', '.join(known['jobs'])})."
    if not state and not known["kubernetes"]:
        return LATER, f"{why} once somebody knows that no job is on it: neither Slurm nor Kubernetes told of it."
    return (LATER, f"{why} when it is idle: Slurm has it as {state}.") if state in AT_WORK else None


def _unread(node: t.Mapping[str, t.Any]) -> list[str]:
    """What the kernel reported, and no other witness could be read for."""
    return [each["text"] for each in node["problems"] if each["code"] in LOG_LED and each["verdict"] == UNKNOWN]


def _unfit(node: t.Mapping[str, t.Any]) -> list[t.Mapping[str, t.Any]]:
    """The problems that make it so."""
    return [each for each in node["problems"] if each["verdict"] in (REBOOT, REPLACE)]


def _codes(node: t.Mapping[str, t.Any]) -> tuple[str, ...]:
    return tuple(sorted({each["code"] for each in _unfit(node)})[:MOST_CODES])


def _rebooted_for(before: past.Repaired | None, codes: t.Container[str]) -> bool:
    """The last repair was a reboot for one of these, or nobody knows what for: another one may not help."""
    last = before.last_repair if before else None
    return last is not None and last.does == REBOOTS and (not last.codes or any(code in codes for code in last.codes))


def _to_check(known: Known, asked: Asked, planned: t.Container[str]) -> list[str]:
    """Of a large group the budget takes some at a time: first those that were never checked, then those of longest ago."""
    begin = datetime.datetime.min.replace(tzinfo=datetime.timezone.utc)
    checked = {iid: each.last_check for iid, each in known.history.items()}
    named = [iid for iid, node in known.nodes.items() if asked.names(iid, node["instance_group"]) and iid not in planned]
    wanted = [iid for iid in named if known.nodes[iid]["verdict"] in UNREPAIRED and known.nodes[iid]["node_type"] in WORKERS]
    return sorted(wanted, key=lambda iid: (checked.get(iid) or begin, iid))


def _check(known: Known, budget: Budget, asked: Asked, iid: str, acts: t.Sequence[Row]) -> Row:
    """``acts``: as in ``_row``."""
    node, checks = known.nodes[iid], ",".join(asked.checks)
    does, others = node["service"]["does"], under_way(known.nodes)
    held = (
        (None if node["verdict"] else (LATER, "Its type has no accelerators, for which these checks are."))
        or ((WAITS, f"{does}, at least since {node['service']['since']}.") if does else None)
        or _common(known.stops)
        or _later(_not_running(node))
        or ((WAITS, f"HyperPod checks {', '.join(others)} now, and makes one check of a cluster at a time.") if others else None)
        or _runs_out(known, budget, acts)
        or _too_many_out(known, budget, acts, iid)
    )
    if held:
        return Row(iid, node["instance_group"], *held, checks=checks)
    why = f"{', '.join(asked.checks)} by HyperPod, which reboots or replaces what fails.{_waits_for(node)}"
    place = (iid, node["instance_group"], CHECKS, why, node["private_ip"])
    return Row(*place, _times(known, iid), _turn(known, iid), checks)


def _times(known: Known, iid: str) -> int:
    group = known.nodes[iid]["instance_group"]
    return past.times(known.history, iid, group, known.launched.get(iid, ""), there=known.nodes)


def _turn(known: Known, iid: str) -> int:
    return len(known.history[iid].acts) + 1 if iid in known.history else 1


Held = tuple[str, str] | None
"""What is done instead, and why."""


def _later(held: Held) -> Held:
    """A person need not look at what keeps a node from a check."""
    return (LATER, held[1]) if held else None


def _service(node: t.Mapping[str, t.Any], now: datetime.datetime) -> Held:
    does, since = node["service"]["does"], node["service"]["since"]
    if not does:
        return None
    if now - moment_of(since) >= patience_for(does):
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
        return ESCALATES, f"HyperPod has it as {status}, and only nodes that are {RUNNING} are repaired or checked."
    if node["private_ip"] or node["known"]["kubernetes"]:
        return None
    return LATER, "HyperPod does not tell its address, by which Slurm knows it."


def _theirs(known: Known, node: t.Mapping[str, t.Any]) -> Held:
    refusal = theirs(node["known"]["slurm_reason"]) if known.asked_by_words else ""
    return (LATER, refusal) if refusal else None


def _set_up(node: t.Mapping[str, t.Any], does: str) -> Held:
    problems = _unfit(node)
    if does != REPLACES or not problems or any(each["cause"] != CONFIG for each in problems):
        return None
    why = f"It is wrongly set up ({', '.join(_codes(node))}), and another machine comes with the same image"
    return ESCALATES, f"{why}. Mend the image or its lifecycle scripts, or the node by hand."


def _again(number: int, state: str) -> Held:
    """``state``: of the node now, in words."""
    if number < TWICE:
        return None
    asked = f"AWS was asked {number} times in {past.MEMORY.days} days to repair it"
    return ESCALATES, f"{asked}, and {state}. Open a case with AWS."


def _runs_out(known: Known, budget: Budget, acts: t.Sequence[Row]) -> Held:
    if len(acts) >= budget.at_once:
        return LATER, f"remediation_at_once is {budget.at_once}: run it again after this one."
    if past.in_last_day(known.history, known.now) + len(acts) >= budget.per_day:
        return LATER, f"remediation_per_day is {budget.per_day}, and as much was done in 24 hours or is planned."
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


def _none_spare(known: Known, acts: t.Sequence[Row], spare: Capacity | None) -> Held:
    """Groups may share a training plan."""
    if spare is None:
        return None
    taken = [row for row in acts if row.does == REPLACES and known.spare.get(row.group) == spare]
    refusal = spare.refusal(len(taken))
    return (LATER, refusal) if refusal else None


def _is_out(known: t.Mapping[str, t.Any]) -> bool:
    return known["hyperpod"] != RUNNING or known["slurm"] in OUT_OF_WORK or _gets_no_pods(known["kubernetes"])


def _gets_no_pods(known: t.Mapping[str, t.Any]) -> bool:
    """``known``: empty where nobody asked Kubernetes. Of READY it tells where that does not hold."""
    if not known:
        return False
    labelled = known["health_status"] not in ("", SCHEDULABLE)
    return known["unschedulable"] or labelled or any(each["type"] == READY for each in known["conditions"])


def _reason(node: t.Mapping[str, t.Any], *, rebooted: bool) -> str:
    text = _sentences(each["text"] for each in _unfit(node)) or "It says that it is unfit."
    again = " A reboot was asked for before, and it is unfit still." if rebooted else ""
    return f"{text}{again}{_waits_for(node)}"


def _sentences(texts: t.Iterable[str]) -> str:
    """One after the other: each ends with a full stop of its own."""
    return " ".join(text if text.endswith((".", "!", "?")) else f"{text}." for text in texts)


def _waits_for(node: t.Mapping[str, t.Any]) -> str:
    return f" Jobs are waited for: {', '.join(node['known']['jobs'])}." if node["known"]["jobs"] else ""
