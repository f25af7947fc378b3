# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads the software of a cluster's groups, and waits until AWS has finished updating it."""

from __future__ import annotations

import typing as t

from ..._core.waits import Waits
from .. import statuses
from ..api import HyperPod
from ..model import Cluster
from .model import Desired, NodeSoftware, Software, State


class Observer:
    """Reads one cluster."""

    def __init__(self, api: HyperPod, desired: Desired, *, waits: Waits | None) -> None:
        self.api = api
        self.desired = desired
        self.waits = waits
        """None if the module does not wait."""

    def __call__(self) -> State:
        """The current state. If the module waits, it first waits until an earlier run's operation has ended."""
        return self.until(self.settled)

    def look(self) -> State:
        arn = self.desired.cluster_arn
        answer = self.api.call("DescribeCluster", about=f"cluster {arn}", ClusterName=arn)
        groups = [*(answer.get("InstanceGroups") or ()), *(answer.get("RestrictedInstanceGroups") or ())]
        cluster = Cluster.from_api(answer)
        nodes = self._nodes() if cluster.orchestrator == "eks" else ()
        return State(cluster, {each["InstanceGroupName"]: Software.from_api(each) for each in groups}, nodes)

    def _nodes(self) -> tuple[NodeSoftware, ...]:
        arn = self.desired.cluster_arn
        found = self.api.pages("ListClusterNodes", "ClusterNodeSummaries", about=f"cluster {arn}", ClusterName=arn)
        return tuple(sorted(map(NodeSoftware.from_api, found), key=lambda node: node.instance_id))

    def settled(self, state: State) -> bool:
        return not statuses.CLUSTER.is_busy(state.cluster.status) and not any(
            state.groups[name].under_way for name in self.desired.versions if name in state.groups
        )

    def until(self, done: t.Callable[[State], bool]) -> State:
        """The state once ``done``, or immediately if the module does not wait."""
        if self.waits is None:
            return self.look()
        return self.waits.until(self.look, done=done, subject=f"cluster {self.desired.cluster_arn}", state=self._described)

    def _described(self, state: State) -> str:
        groups = [state.groups[name] for name in self.desired.versions if name in state.groups]
        busy = [f"{group.name} {group.update_status or group.group_status}" for group in groups]
        return ", ".join([state.cluster.status, *busy])
