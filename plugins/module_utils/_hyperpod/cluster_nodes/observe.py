# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads a cluster and its nodes, and waits until the nodes have the requested state."""

from __future__ import annotations

import typing as t

from ..._core.waits import Waits
from .. import statuses
from ..api import HyperPod
from ..model import Group, NodeTypes
from .model import State

STAYING = (statuses.PENDING, statuses.UPDATING_SOFTWARE, statuses.CHECKING)
"""Busy statuses that may never end. Operators can replace or delete a node with such a status, so a call does not wait."""
_SHOWN = 3
"""The maximum number of nodes that a line of progress names."""


class Observer:
    """Reads one cluster with all its nodes."""

    def __init__(
        self,
        api: HyperPod,
        cluster_arn: str,
        *,
        waits: Waits | None,
        node_ids: t.Sequence[str] = (),
        node_types: NodeTypes | None = None,
    ) -> None:
        """``node_ids``: nodes that an earlier run may be removing. ``waits`` is None if the module does not wait."""
        self.api = api
        self.cluster_arn = cluster_arn
        self.waits = waits
        self.node_ids = node_ids
        self.node_types = node_types

    def __call__(self) -> State:
        """The current state. If the module waits, it first waits until an earlier run's operation has ended."""
        return self.until(
            lambda state: not statuses.CLUSTER.is_busy(state.cluster.status)
            and not any(_leaves(state, node_id) for node_id in self.node_ids)
        )

    def look(self) -> State:
        cluster = self.api.require_cluster(self.cluster_arn, node_types=self.node_types)
        return State(cluster, self.api.nodes(cluster))

    def until(self, done: t.Callable[[State], bool]) -> State:
        """The state once ``done``, or immediately if the module does not wait."""
        if self.waits is None:
            return self.look()
        return self.waits.until(self.look, done=done, subject=f"cluster {self.cluster_arn}", state=progress_of)


def _counts(state: State, group: Group) -> str:
    listed = state.listed(group.name)
    return f"{group.name} {group.current}/{group.target}" + (f" ({listed} listed)" if listed != group.current else "")


def _leaves(state: State, node_id: str) -> bool:
    """Whether a call must wait: HyperPod moves or deletes the node, or returns a status that this collection does not know."""
    node = state.by_id.get(node_id)
    return node is not None and statuses.NODE.is_busy(node.status) and node.status not in STAYING


def progress_of(state: State) -> str:
    """One line about the changes in progress."""
    groups = [_counts(state, each) for each in state.cluster.groups if not state.is_whole({each.name})]
    busy = [f"{each.instance_id} {each.status}" for each in state.nodes if each.status != statuses.RUNNING]
    more = [f"{len(busy) - _SHOWN} more nodes"] if len(busy) > _SHOWN else []
    return ", ".join([state.cluster.status, *groups, *busy[:_SHOWN], *more])
