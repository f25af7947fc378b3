# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Executes a trust plan. Sessions run in a limited number of threads, and each successful session is recorded."""

from __future__ import annotations

import dataclasses
import typing as t
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from .._core.converge import APPLIED
from .._core.failure import Refused
from .._core.plan import Change
from .._core.text import printable
from .._core.times import iso_now
from .._hyperpod.model import Cluster, Node
from .._lock.process import require_proc
from . import ssm_cli
from .model import RECORD_LIMIT, Keys, Operations, Record, differing
from .node_script import Answer, node_script, parse_answer
from .plan import GAIN, NEW_DISK, PENDING, READY, RECHECK, NodePlan, TrustPlan
from .record import Records
from .session import NoGreeting, Route, SessionFailed, run_script

UNANNOUNCED_DISK = "its disk is new, although HyperPod still reports the launch and software update times of the trust record"
SAME_DISK = "its disk is the recorded one, although HyperPod reports a different launch or software update time"
AT_ONCE = 8
"""Maximum number of concurrent sessions. All processes together start at most two sessions per second."""
REFUSED = "refused"
"""Access to a node whose host keys differ from its trust record."""
NOT_TRIED = "not tried, because no session of this run got a reply"
SILENT_NODES = 2
"""After this many nodes without a reply, the run does not try the other nodes, unless any node has replied."""


@dataclass(frozen=True)
class Outcome:
    """A node's state after the run. ``access`` is ``ready``, ``gained``, ``pending``, ``refused`` or ``would_gain``."""

    node: Node
    access: str
    reason: str = ""
    record: Record | None = None
    changes: tuple[Change, ...] = ()
    fresh: bool = False
    """Whether the trust record does not cover the node's disk, so that the disk is new to the collection."""
    configured: bool = False
    """Whether a run has configured this disk."""

    def to_result(self) -> dict[str, t.Any]:
        return {
            "access": self.access,
            "reason": self.reason,
            "fresh": self.fresh,
            "configured": self.configured,
            "group": self.node.group,
            "node_type": self.node.node_type,
            "status": self.node.status,
        }


@dataclass
class Channel:
    """Records whether nodes reply to this run's sessions. Threads only add to the fields, so no lock is necessary."""

    answered: bool = False
    silent: list[str] = field(default_factory=list)

    @property
    def is_dead(self) -> bool:
        return not self.answered and len(self.silent) >= SILENT_NODES


@dataclass(frozen=True)
class Sessions:
    """The values that all sessions with one cluster's nodes share."""

    cluster: Cluster
    records: Records
    operations: Operations
    profile: str | None
    state_dir: str
    timeout: float
    channel: Channel = field(default_factory=Channel)

    def carry_out(self, plan: TrustPlan) -> list[Outcome]:
        """The outcomes of all nodes, in the plan's order."""
        if plan.sessions:
            self._require_programs()
        with ThreadPoolExecutor(max_workers=AT_ONCE) as pool:
            outcomes = list(pool.map(self._one, plan.nodes))
        for outcome in outcomes:
            APPLIED.extend(change.to_result() for change in outcome.changes)
        return outcomes

    def forget(self, plan: TrustPlan) -> list[Change]:
        """Delete the trust records of nodes that no longer exist."""
        if plan.stale:
            self.records.delete(self.cluster.id, plan.stale)
        changes = stale_changes(plan)
        APPLIED.extend(change.to_result() for change in changes)
        return changes

    def _require_programs(self) -> None:
        require_proc()
        try:
            ssm_cli.require_programs()
        except ssm_cli.MissingProgram as error:
            raise Refused(f"Sessions with nodes need a program on the control node: {error}.") from error

    def _one(self, plan: NodePlan) -> Outcome:
        if plan.action not in (GAIN, RECHECK):
            return settled(plan)
        if self.channel.is_dead:
            return Outcome(plan.node, PENDING, NOT_TRIED)
        route = Route(
            target=plan.node.ssm_target(self.cluster),
            region=self.cluster.region,
            profile=self.profile,
            account=self.cluster.account,
            state_dir=self.state_dir,
            timeout=self.timeout,
        )
        try:
            text = run_script(route, node_script(self.operations, plan.accepted, plan.mark))
        except NoGreeting as error:
            self.channel.silent.append(plan.node.instance_id)
            return Outcome(plan.node, PENDING, printable(error))
        except SessionFailed as error:
            return Outcome(plan.node, PENDING, printable(error))
        self.channel.answered = True
        return self._judge(plan, parse_answer(text))

    def _judge(self, plan: NodePlan, answer: Answer) -> Outcome:
        plan = seen_disk(plan, answer)
        if answer.mismatch or (plan.accepted is not None and answer.host_keys):
            other = differing(answer.host_keys, plan.accepted or ())
            if answer.mismatch or other:
                return Outcome(plan.node, REFUSED, self._impostor(plan, answer.host_keys))
        if answer.problem:
            return Outcome(plan.node, PENDING, answer.problem)
        record = Record(
            triple=plan.node.triple,
            host_keys=answer.host_keys,
            operations_user=self.operations.user,
            operations_key=self.operations.key.fingerprint,
            recorded=iso_now(),
            configured=plan.configured,
            mark=answer.mark,
        )
        if len(record.to_json()) > RECORD_LIMIT:
            return Outcome(plan.node, PENDING, "its host keys are too long for a trust record")
        changed = plan.action == GAIN or answer.changed or answer.host_keys != plan.recorded or answer.mark != plan.mark
        if changed:
            self.records.save(self.cluster.id, record)
        return Outcome(
            node=plan.node,
            access="gained" if plan.action == GAIN else READY,
            reason=plan.reason,
            record=record,
            changes=(access_change(plan),) if changed else (),
            fresh=plan.accepted is None,
            configured=plan.configured,
        )

    def _impostor(self, plan: NodePlan, seen: Keys) -> str:
        accepted = plan.accepted or ()
        other = differing(seen, accepted)
        algorithms = {key.algorithm for key in other}
        expected = tuple(key for key in accepted if key.algorithm in algorithms) or accepted
        where = "this disk" if plan.mark else "the same launch and software update"
        return (
            f"Node {plan.node.instance_id} ({plan.node.group}) of cluster {self.cluster.name} presents host key "
            f"{_fingerprints(other)}, but {_fingerprints(expected)} is recorded for {where}. Nothing was changed on the node. "
            "Find out who changed the key. If the change is intended, forget the node (ansible-playbook "
            f"mlfleet.hyperpod.forget_node -e forget_nodes={plan.node.instance_id}), then run again to create a new trust record."
        )


def seen_disk(plan: NodePlan, answer: Answer) -> NodePlan:
    """The plan after the node has reported its disk mark. If the mark differs, the trust record belongs to a different disk."""
    if not plan.mark:
        return plan
    if answer.found != plan.mark:
        reason = NEW_DISK if plan.announced else UNANNOUNCED_DISK
        return dataclasses.replace(plan, action=GAIN, reason=reason, accepted=None, recorded=(), configured=False)
    return dataclasses.replace(plan, reason=SAME_DISK) if plan.announced else plan


def settled(plan: NodePlan) -> Outcome:
    """The outcome of a node that needs no session; in check mode, of any node."""
    if plan.action == GAIN:
        return Outcome(
            plan.node, "would_gain", plan.reason, changes=(access_change(plan),), fresh=plan.accepted is None
        )
    return Outcome(
        plan.node, PENDING if plan.action == PENDING else READY, plan.reason, configured=plan.configured
    )


def access_change(plan: NodePlan) -> Change:
    """A change that creates access to a new disk, or updates access to a recorded disk."""
    action = "create" if plan.accepted is None else "update"
    return Change(action=action, resource=f"access to {plan.node.instance_id} ({plan.node.group})", after=plan.reason)


def stale_changes(plan: TrustPlan) -> list[Change]:
    return [Change(action="delete", resource=f"trust record of {instance_id}") for instance_id in plan.stale]


def _fingerprints(keys: Keys) -> str:
    return ", ".join(f"{key.algorithm} {key.fingerprint}" for key in keys) or "none"
