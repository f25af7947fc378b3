# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The counts of groups that nobody named, over one UpdateCluster.

AWS takes a group as a whole, with a count. What an autoscaler asks for between the look and the call, the call sets back. Whether
it did is looked at for a quarter of a minute: the operation that AWS writes down tells the count from before it, and nodes that
run beyond the count tell of it, too. Later the autoscaler's own changes look the same. Nodes are asked for again by
BatchAddClusterNodes, which adds to what there is by then: one more UpdateCluster could set back another change.
"""

from __future__ import annotations

import typing as t

from ..._aws.client import AwsError
from ..._core.text import printable
from ..api import BUSY, PAGE_SIZE, HyperPod
from ..statuses import ADD_ERRORS
from ..waits import LAGGING
from .model import Found

MOST = 50
"""Nodes that BatchAddClusterNodes takes at a time."""
DENIED = ("AccessDenied", "AccessDeniedException")
NOT_YET = (BUSY, *ADD_ERRORS.busy)
"""AWS is changing the group."""


class Counts:
    """Of the groups that one call sends without a count of the definition's; ``warn`` tells a person."""

    def __init__(self, api: HyperPod, found: Found, names: t.Container[str], warn: t.Callable[[str], None]) -> None:
        self.api, self.arn, self.name, self.warn = api, found.arn, found.name, warn
        self.before = {name: each for name, each in found.progress.items() if name in names}
        self.continuous = found.settings.get("node_provisioning_mode") == "Continuous"
        self.looks, self.patience = 0, LAGGING
        self.missing: dict[str, int] = {}
        """Nodes to ask for again, by group."""
        self.awaited: dict[str, int] = {}
        """The counts that groups have once AWS tells of nodes that were asked for again."""
        self.operations: dict[str, tuple[t.Any, ...]] = dict.fromkeys(self._operations(), ()) if self._watched else {}

    def sent(self, group: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        """A group of the call, with the count of this moment."""
        was = self.before.get(group["InstanceGroupName"])
        return {**group, "InstanceCount": was.target} if was else dict(group)

    def kept(self, found: Found) -> bool:
        """Whether a look after the call finds nothing that it set back. What it did is asked for again, once."""
        if not self._watched:
            return True
        self.looks += 1
        if self.looks <= LAGGING and self.awaited.keys() != self.before.keys():
            self._judge(found)
        if self.missing:
            self._ask_again(found)
            return False
        late = [name for name, count in self.awaited.items() if name in found.progress and found.progress[name].target < count]
        return not late or self.looks > self.patience

    def end(self) -> None:
        """Nobody looks any more."""
        for name, count in self.missing.items():
            self._tell(name, count, count, "AWS was changing the group")

    @property
    def _watched(self) -> bool:
        """Nodes are added beside other changes only with continuous provisioning."""
        return self.continuous and bool(self.before)

    def _judge(self, found: Found) -> None:
        asked = self._asked_for()
        for name, was in self.before.items():
            now = found.progress.get(name)
            if now is None or name in self.missing or name in self.awaited:
                continue
            beyond = now.current - max(was.current, was.target) if now.target == was.target else 0
            most = max(asked.get(name, was.target), was.target + beyond)
            if most > max(was.target, now.target):
                self.missing[name] = most - max(was.target, now.target)

    def _asked_for(self) -> dict[str, int]:
        """The counts that groups had just before our call, by the first operation since then that led to what we sent."""
        new = [each for each in reversed(self._operations()) if each not in self.operations]
        for each in new:
            answer = self.api.call("DescribeClusterOperation", about=self._about, ClusterName=self.arn, OperationId=each)
            self.operations[each] = tuple(answer.get("ScalingDetails") or ())
        had: dict[str, int] = {}
        for details in self.operations.values():
            for each in details:
                name, was = each.get("InstanceGroupName", ""), self.before.get(each.get("InstanceGroupName", ""))
                original, desired = each.get("Original") or {}, each.get("Desired") or {}
                if was and desired.get("TargetCount") == was.target and "TargetCount" in original:
                    had.setdefault(name, original["TargetCount"])
        return had

    def _operations(self) -> list[str]:
        """The newest first. Where AWS has none for a cluster, what runs beyond the count is all that tells."""
        if "ListClusterOperations" not in self.api.client.meta.service_model.operation_names:
            return []
        order = {"Type": "Scaling", "SortBy": "CreationTime", "SortOrder": "Descending", "MaxResults": PAGE_SIZE}
        try:
            answer = self.api.call("ListClusterOperations", about=self._about, ClusterName=self.arn, **order)
        except AwsError as error:
            if error.code in DENIED:
                raise
            return []
        return [each["OperationId"] for each in answer.get("ClusterOperationSummaries") or () if "OperationId" in each]

    def _ask_again(self, found: Found) -> None:
        for name, count in [*self.missing.items()]:
            added, why = self._add(name, count)
            self.missing[name] -= added
            if why in NOT_YET:
                continue
            del self.missing[name]
            self.awaited[name] = found.progress[name].target + added
            self.patience = self.looks + LAGGING
            self._tell(name, count, count - added, why)

    def _add(self, name: str, count: int) -> tuple[int, str]:
        """How many of the nodes were asked for, and why no more; one of ``NOT_YET`` where that passes."""
        added = 0
        while added < count:
            part = min(MOST, count - added)
            nodes = [{"InstanceGroupName": name, "IncrementTargetCountBy": part}]
            try:
                answer = self.api.call("BatchAddClusterNodes", about=self._about, ClusterName=self.arn, NodesToAdd=nodes)
            except AwsError as error:
                return added, BUSY if error.code == BUSY else str(error)
            failed = answer.get("Failed") or ()
            added += part - sum(each["FailedCount"] for each in failed)
            for each in failed:
                code, message = each["ErrorCode"], each.get("Message")
                return added, code if code in NOT_YET else printable(f"{code}: {message}" if message else code)
        return added, ""

    def _tell(self, name: str, count: int, left: int, why: str) -> None:
        was = self.before[name].target
        text = (
            f"Cluster {self.name}, group {name}: {was + count} nodes were asked for instead of {was} while this run changed the"
            f" group, and the change set it back to {was}."
        )
        if left:
            self.warn(f"{text} {left} could not be asked for again ({why}); add them with mlfleet.hyperpod.cluster_nodes.")
        else:
            self.warn(f"{text} {count} were asked for again; a node that was on its way may be another one now.")

    @property
    def _about(self) -> str:
        return f"cluster {self.name}"
