# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The plan of a run's sessions with nodes."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from .._core.text import printable
from .._hyperpod.model import Node
from .._hyperpod.statuses import RUNNING
from .model import Keys, Operations, Record
from .people import Declared, declare
from .record import Recorded

READY, GAIN, RECHECK, PENDING = "ready", "gain", "recheck", "pending"
ALWAYS = ("login", "controller")
UNRECORDED = "no trust record"
NEW_DISK = "its disk is newer than the trust record"
NEW_TIMES = "its launch or software update time differs from the trust record"


@dataclass(frozen=True)
class Desired:
    """The nodes of a run, and the nodes that are rechecked although they have a trust record."""

    include: str
    """``login``: login nodes and controller nodes. ``new``: in addition, nodes that are not configured yet and nodes that do not
    have ``people`` yet. ``all``: all nodes."""
    groups: frozenset[str] = frozenset()
    instance_ids: frozenset[str] = frozenset()
    recheck: frozenset[str] = frozenset()
    people: Declared | None = None

    def covers(self, node: Node, *, configured: bool, behind: bool) -> bool:
        if self.groups and node.group not in self.groups:
            return False
        if self.instance_ids and node.instance_id not in self.instance_ids:
            return False
        if self.include == "all" or node.node_type in ALWAYS:
            return True
        return self.include == "new" and (behind or not configured)


@dataclass(frozen=True)
class NodePlan:
    """The plan for one node: an action, its reason, and the accepted host keys (None if any host key is accepted).

    The keys are valid for the disk with ``mark``. If no mark is recorded, they are valid for any disk.
    """

    node: Node
    action: str
    reason: str = ""
    accepted: Keys | None = None
    recorded: Keys = ()
    configured: bool = False
    mark: str = ""
    announced: bool = False
    """Whether the launch or software update time of AWS differs from that in the record, so that a new disk is expected."""


@dataclass(frozen=True)
class TrustPlan:
    nodes: tuple[NodePlan, ...]
    stale: tuple[str, ...]
    """Instance IDs of nodes that have a trust record and no longer exist."""

    @property
    def sessions(self) -> tuple[NodePlan, ...]:
        return tuple(each for each in self.nodes if each.action in (GAIN, RECHECK))

    def __bool__(self) -> bool:
        """Whether the plan has sessions or outdated records."""
        return bool(self.sessions or self.stale)


def make_plan(nodes: t.Sequence[Node], *, recorded: Recorded, desired: Desired, operations: Operations) -> TrustPlan:
    """The plan for a complete list of nodes. The trust records of other nodes are deleted."""
    plans = []
    given = declare(recorded.given, desired.people) if desired.people is not None else None
    for node in sorted(nodes, key=lambda each: (each.group, each.instance_id)):
        record = valid_record(node, recorded)
        behind = given is not None and given.lacks(node.instance_id)
        if desired.covers(node, configured=record is not None and record.configured, behind=behind):
            plans.append(_node_plan(node, record, recorded, desired, operations))
    listed = {node.instance_id for node in nodes}
    return TrustPlan(nodes=tuple(plans), stale=tuple(sorted(recorded.names - listed)))


def valid_record(node: Node, recorded: Recorded) -> Record | None:
    """The node's trust record, if it belongs to the node's current disk."""
    record = recorded.records.get(node.instance_id)
    return record if record is not None and record.triple == node.triple and record.host_keys else None


def accepted_keys(node: Node, record: Record, recorded: Recorded) -> Keys:
    """The recorded keys; for a login node also the cluster's shared keys, because a run may have installed them."""
    shared = recorded.shared if node.node_type == "login" else ()
    return tuple(dict.fromkeys((*record.host_keys, *shared)))


def _node_plan(
    node: Node, record: Record | None, recorded: Recorded, desired: Desired, operations: Operations
) -> NodePlan:
    if node.status != RUNNING:
        why = f" ({printable(node.message)})" if node.message else ""
        return NodePlan(node, PENDING, f"the node is {node.status}{why}")
    if record is None:
        return _unrecorded(node, recorded)
    accepted = accepted_keys(node, record, recorded)
    if (record.operations_user, record.operations_key) != (operations.user, operations.key.fingerprint):
        action, reason = GAIN, "its trust record has a different operations account or key"
    elif node.instance_id in desired.recheck:
        action, reason = RECHECK, "a recheck was requested"
    else:
        action, reason = READY, ""
    return NodePlan(node, action, reason, accepted, record.host_keys, record.configured, record.mark)


def _unrecorded(node: Node, recorded: Recorded) -> NodePlan:
    """The plan for a node without a record of this triple. Times can change while the disk stays, so a recorded mark decides."""
    old = recorded.records.get(node.instance_id)
    if old is None:
        return NodePlan(node, GAIN, UNRECORDED)
    if not old.mark or not old.host_keys:
        return NodePlan(node, GAIN, NEW_DISK, announced=True)
    accepted = accepted_keys(node, old, recorded)
    return NodePlan(node, GAIN, NEW_TIMES, accepted, old.host_keys, old.configured, old.mark, announced=True)
