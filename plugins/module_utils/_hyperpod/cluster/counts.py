# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Preserves the counts of groups without a declared count during one UpdateCluster.

AWS requires all settings of a group, including its count. If an autoscaler raises the count between our read and our
call, the call resets the count. For about 15 seconds after the call, a reset is detected: AWS's record of the operation has a
higher earlier count, or the group has more nodes than its count. Later, a reset looks like a change by the autoscaler. The removed
nodes are requested again with BatchAddClusterNodes, which adds to the current count, because a second UpdateCluster could reset a
different change.
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
"""The maximum number of nodes that one BatchAddClusterNodes adds to a group."""
DENIED = ("AccessDenied", "AccessDeniedException")
NOT_YET = (BUSY, *ADD_ERRORS.busy)
"""The error codes while AWS is changing the group."""


class Counts:
    """The counts of the groups that one call sends without a declared count. Resets are reported through ``warn``."""

    def __init__(self, api: HyperPod, found: Found, names: t.Container[str], warn: t.Callable[[str], None]) -> None:
        self.api, self.arn, self.name, self.warn = api, found.arn, found.name, warn
        self.before = {name: each for name, each in found.progress.items() if name in names}
        self.continuous = found.settings.get("node_provisioning_mode") == "Continuous"
        self.looks, self.patience = 0, LAGGING
        self.missing: dict[str, int] = {}
        """The number of nodes to request again, keyed by group."""
        self.awaited: dict[str, int] = {}
        """The count that a group must reach after nodes were requested again, keyed by group."""
        self.operations: dict[str, tuple[t.Any, ...]] = dict.fromkeys(self._operations(), ()) if self._watched else {}

    def sent(self, group: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        """A group of the call, with its current count."""
        was = self.before.get(group["InstanceGroupName"])
        return {**group, "InstanceCount": was.target} if was else dict(group)

    def kept(self, found: Found) -> bool:
        """Whether ``found``, read after the call, shows no reset. Nodes that a reset removed are requested again once."""
        if not self._watched:
            return True
        self.looks += 1
        if self.looks <= LAGGING and self.awaited.keys() != self.before.keys():
            self._judge(found)
        if self.missing:
            self._request_again(found)
            return False
        late = [name for name, count in self.awaited.items() if name in found.progress and found.progress[name].target < count]
        return not late or self.looks > self.patience

    def end(self) -> None:
        """Reports the nodes that are missing when the wait ends."""
        for name, count in self.missing.items():
            self._report(name, count, count, "AWS was changing the group")

    @property
    def _watched(self) -> bool:
        """Whether a reset is possible: only continuous provisioning adds nodes during other changes."""
        return self.continuous and bool(self.before)

    def _judge(self, found: Found) -> None:
        requested = self._requested()
        for name, was in self.before.items():
            now = found.progress.get(name)
            if now is None or name in self.missing or name in self.awaited:
                continue
            beyond = now.current - max(was.current, was.target) if now.target == was.target else 0
            most = max(requested.get(name, was.target), was.target + beyond)
            if most > max(was.target, now.target):
                self.missing[name] = most - max(was.target, now.target)

    def _requested(self) -> dict[str, int]:
        """The counts of groups just before our call, from the first later operation whose target is the count that we sent."""
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
        """Operation IDs, the newest first. If AWS lists no operations, only nodes in excess of the count show a reset."""
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

    def _request_again(self, found: Found) -> None:
        for name, count in [*self.missing.items()]:
            added, why = self._add(name, count)
            self.missing[name] -= added
            if why in NOT_YET:
                continue
            del self.missing[name]
            self.awaited[name] = found.progress[name].target + added
            self.patience = self.looks + LAGGING
            self._report(name, count, count - added, why)

    def _add(self, name: str, count: int) -> tuple[int, str]:
        """The number of requested nodes, and the reason if some were not requested. A temporary reason is one of ``NOT_YET``."""
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

    def _report(self, name: str, count: int, left: int, why: str) -> None:
        was = self.before[name].target
        text = (
            f"Cluster {self.name}: the count of group {name} was raised from {was} to {was + count} while this run changed the"
            f" group, and the change reset the count to {was}."
        )
        if left:
            end = f"{left} of the nodes could not be requested again ({why}). Add them with mlfleet.hyperpod.cluster_nodes."
        else:
            end = f"The missing nodes were requested again ({count}). A node that was starting may have been replaced."
        self.warn(f"{text} {end}")

    @property
    def _about(self) -> str:
        return f"cluster {self.name}"
