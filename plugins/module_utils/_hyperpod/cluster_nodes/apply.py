# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Applies a plan for nodes: makes each call, then waits until the nodes have the requested state. For a request through
Slurm or Kubernetes, it only waits.

AWS returns refusals in a list, with status 200. After a lost reply, botocore repeats the call, and AWS refuses nodes that the
first call is already changing. So a refusal counts only for a node that is not changing.
"""

from __future__ import annotations

import collections
import dataclasses
import typing as t

from ..._core.failure import Incomplete
from ..._core.plan import Change, Step
from ..._core.text import printable
from ..._core.waits import repeated
from ..api import HyperPod
from ..statuses import LEAVING, NODE, PENDING, REBOOT_ERRORS, RUNNING
from ..waits import LAGGING
from .model import Desired, State
from .observe import Observer

Refusals = t.Mapping[str, str]
"""AWS's code and message, keyed by node ID."""


class Applier:
    """Applies the steps for one cluster's nodes. If ``observer`` waits, each step ends before the next begins."""

    def __init__(self, api: HyperPod, desired: Desired, observer: Observer) -> None:
        self.api = api
        self.desired = desired
        self.observer = observer

    def __call__(self, step: Step) -> None:
        before = self.observer.look()
        if not self.desired.calls:
            self._changed(step, before, {})
            return
        answer = self.api.call(step.operation, about=f"cluster {before.cluster.name}", **step.arguments)
        if self.desired.state == "added":
            self._added(step, before, answer)
        else:
            self._changed(step, before, answer)

    def _changed(self, step: Step, before: State, answer: t.Mapping[str, t.Any]) -> None:
        refused = self._refused(before, answer)
        taken = [node_id for node_id in step.arguments["NodeIds"] if node_id not in refused]
        if taken:
            self.observer.until(_back(taken) if self.desired.state == "rebooted" else self._gone(before, taken))
        if refused:
            pairs = zip(step.arguments["NodeIds"], step.changes)
            self._fail(step, before, refused, tuple(change for node_id, change in pairs if node_id in taken))

    def _added(self, step: Step, before: State, answer: t.Mapping[str, t.Any]) -> None:
        refused: dict[str, str] = {}
        missing: dict[str, int] = {}
        for each in answer["Failed"]:
            name = each["InstanceGroupName"]
            missing[name] = missing.get(name, 0) + each["FailedCount"]
            refused[f"{missing[name]} for group {name}"] = _reason(each)
        requested = {each["InstanceGroupName"]: each["IncrementTargetCountBy"] for each in step.arguments["NodesToAdd"]}
        wanted = {name: count - missing.get(name, 0) for name, count in requested.items()}
        if any(wanted.values()):
            self.observer.until(lambda state: _came(before, state, wanted) and state.agrees(wanted))
        if refused:
            pairs = zip(step.changes, wanted.values())
            self._fail(step, before, refused, tuple(dataclasses.replace(each, after=count) for each, count in pairs if count))

    def _refused(self, before: State, answer: t.Mapping[str, t.Any]) -> Refusals:
        """The refusals, without nodes that are changing in spite of a refusal."""
        failed = answer.get("Failed") or ()
        now = self.observer.look() if failed else before
        return {each["NodeId"]: _reason(each) for each in failed if not self._on_its_way(before, now, each)}

    def _on_its_way(self, before: State, now: State, entry: t.Mapping[str, t.Any]) -> bool:
        was, node = before.by_id.get(entry["NodeId"]), now.by_id.get(entry["NodeId"])
        if self.desired.state != "rebooted":
            return node is None or node.status == LEAVING
        # If AWS refuses the reboot because of the node's status, although the node was running, a reboot has begun.
        busy = _code(entry) in REBOOT_ERRORS.busy
        return busy and was is not None and was.status == RUNNING and node is not None and node.status in (RUNNING, PENDING)

    def _gone(self, before: State, ids: t.Sequence[str]) -> t.Callable[[State], bool]:
        """Whether the nodes are deleted, or replaced by as many running nodes unless an autoscaler made the group smaller.

        Both the listing and the counts must confirm this, because between two attempts of a replacement a node is not listed. If
        a node left before the first read, its group is unknown, so all groups of the cluster must have reached their counts.
        """
        unknown = any(node_id not in before.by_id for node_id in ids)
        wanted = collections.Counter(before.by_id[node_id].group for node_id in ids if node_id in before.by_id)
        groups = {group.name for group in before.cluster.groups} if unknown else set(wanted)

        def whole(state: State) -> bool:
            return state.is_whole(groups, failed_before=before.failed) and not (unknown and _moves(state))

        smaller = repeated(whole, LAGGING)

        def gone(state: State) -> bool:
            if not state.cluster.in_service or any(node_id in state.by_id for node_id in ids):
                return False
            if self.desired.state == "absent":
                return state.agrees(groups)
            came = not unknown and _came(before, state, wanted) and state.agrees(groups)
            return came or bool(smaller(state))

        return gone

    def _fail(self, step: Step, state: State, refused: Refusals, done: tuple[Change, ...]) -> t.NoReturn:
        refusals = ", ".join(f"{what} ({why})" for what, why in refused.items())
        others = f" The other nodes are {self.desired.verb.done}." if done else ""
        raise Incomplete(f"{step.operation} for cluster {state.cluster.name} refused nodes: {refusals}.{others}", done)


def _back(ids: t.Sequence[str]) -> t.Callable[[State], bool]:
    """Whether the nodes are rebooted: each was seen in a status other than Running, or enough time has passed for this."""
    away: set[str] = set()

    def run(state: State) -> bool:
        running = {node.instance_id for node in state.nodes if node.status == RUNNING}
        away.update(set(ids) - running)
        return running.issuperset(ids)

    calm = repeated(run, LAGGING)

    def back(state: State) -> bool:
        return bool(calm(state)) or (run(state) and away.issuperset(ids))

    return back


def _moves(state: State) -> bool:
    return any(NODE.is_busy(node.status) for node in state.nodes)


def _came(before: State, state: State, wanted: t.Mapping[str, int]) -> bool:
    """Whether ``wanted`` new nodes are running in each group."""
    new = [node.group for node in state.nodes if node.instance_id not in before.by_id and node.status == RUNNING]
    return all(new.count(group) >= count for group, count in wanted.items())


def _code(entry: t.Mapping[str, t.Any]) -> str:
    """The error code of a refusal. In BatchDeleteClusterNodes, its field is ``Code``."""
    return entry.get("ErrorCode") or entry.get("Code") or "no code"


def _reason(entry: t.Mapping[str, t.Any]) -> str:
    return printable(f"{_code(entry)}: {entry['Message']}" if entry.get("Message") else _code(entry))
