# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Carries out a trust plan: sessions in bounded threads, a record after each, and what became of every node."""

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
SAME_DISK = "its disk is the recorded one; HyperPod reports another launch or software update time"
AT_ONCE = 8
"""Sessions that are open at the same time. Over all processes at most two are started a second."""
REFUSED = "refused"
"""Access to a node with other host keys than its record."""
NOT_TRIED = "not tried, because no session of this run got a reply"
SILENT_NODES = 2
"""Nodes that may stay silent, while none has answered, until the rest is not tried."""


@dataclass(frozen=True)
class Outcome:
    """One node after the run. ``access``: ``ready``, ``gained``, ``pending``, ``refused`` or ``would_gain``."""

    node: Node
    access: str
    reason: str = ""
    record: Record | None = None
    changes: tuple[Change, ...] = ()
    fresh: bool = False
    """The node's disk was not known before this run."""
    configured: bool = False
    """A run has configured this disk."""

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
    """Whether sessions of this run are answered at all. Its threads only add to it."""

    answered: bool = False
    silent: list[str] = field(default_factory=list)

    @property
    def is_dead(self) -> bool:
        return not self.answered and len(self.silent) >= SILENT_NODES


@dataclass(frozen=True)
class Sessions:
    """All that the sessions of one cluster have in common."""

    cluster: Cluster
    records: Records
    operations: Operations
    profile: str | None
    state_dir: str
    timeout: float
    channel: Channel = field(default_factory=Channel)

    def carry_out(self, plan: TrustPlan) -> list[Outcome]:
        """Every node of the plan, in its order."""
        if plan.sessions:
            self._require_programs()
        with ThreadPoolExecutor(max_workers=AT_ONCE) as pool:
            outcomes = list(pool.map(self._one, plan.nodes))
        for outcome in outcomes:
            APPLIED.extend(change.to_result() for change in outcome.changes)
        return outcomes

    def forget(self, plan: TrustPlan) -> list[Change]:
        """Delete the records of nodes that are gone."""
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
            raise Refused(f"Sessions with nodes need a program on the controller: {error}.") from error

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
        where = "this very disk" if plan.mark else "the same launch and software update"
        return (
            f"Node {plan.node.instance_id} ({plan.node.group}) of cluster {self.cluster.name} shows host key "
            f"{_fingerprints(other)}, but {_fingerprints(expected)} is recorded for {where}. "
            "Nothing was changed on it. Find out who changed the key; if the change is yours, forget the node (ansible-playbook "
            f"mlfleet.hyperpod.forget_node -e forget_nodes={plan.node.instance_id}), then run again to renew its trust."
        )


def seen_disk(plan: NodePlan, answer: Answer) -> NodePlan:
    """The plan once the node has shown its disk's mark: records of another disk do not count."""
    if not plan.mark:
        return plan
    if answer.found != plan.mark:
        reason = NEW_DISK if plan.announced else UNANNOUNCED_DISK
        return dataclasses.replace(plan, action=GAIN, reason=reason, accepted=None, recorded=(), configured=False)
    return dataclasses.replace(plan, reason=SAME_DISK) if plan.announced else plan


def settled(plan: NodePlan) -> Outcome:
    """The outcome of a node that needs no session, and of any node in check mode."""
    if plan.action == GAIN:
        return Outcome(
            plan.node, "would_gain", plan.reason, changes=(access_change(plan),), fresh=plan.accepted is None
        )
    return Outcome(
        plan.node, PENDING if plan.action == PENDING else READY, plan.reason, configured=plan.configured
    )


def access_change(plan: NodePlan) -> Change:
    """Created for a disk that was not known, updated for one that was."""
    action = "create" if plan.accepted is None else "update"
    return Change(action=action, resource=f"access to {plan.node.instance_id} ({plan.node.group})", after=plan.reason)


def stale_changes(plan: TrustPlan) -> list[Change]:
    return [Change(action="delete", resource=f"trust record of {instance_id}") for instance_id in plan.stale]


def _fingerprints(keys: Keys) -> str:
    return ", ".join(f"{key.algorithm} {key.fingerprint}" for key in keys) or "none"
