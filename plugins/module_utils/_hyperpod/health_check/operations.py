# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The operation that AWS lists for a deep health check. StartClusterHealthCheck is asynchronous and does not return its ID."""

from __future__ import annotations

import typing as t

from ..api import PAGE_SIZE, HyperPod
from .model import Check

Details = t.Mapping[str, t.Mapping[str, t.Any]]
"""An operation's details, keyed by instance group."""


class Operations:
    """The deep health checks of a cluster that start after this object is created."""

    def __init__(self, api: HyperPod, cluster_arn: str, checks: t.Sequence[Check]) -> None:
        self.api = api
        self.cluster_arn = cluster_arn
        self.checks = checks
        self.before = self._statuses().keys()
        self.details: dict[str, Details] = {}

    def status(self) -> str:
        """The status of the newest operation with these checks; empty while AWS lists none."""
        return next((status for each, status in self._statuses().items() if each not in self.before and self._matches(each)), "")

    def _statuses(self) -> dict[str, str]:
        """Statuses, keyed by operation ID, the newest first."""
        order = {"Type": "DeepHealthCheck", "SortBy": "CreationTime", "SortOrder": "Descending", "MaxResults": PAGE_SIZE}
        answer = self.api.call("ListClusterOperations", about=self._about, ClusterName=self.cluster_arn, **order)
        listed = answer.get("ClusterOperationSummaries") or ()
        return {each["OperationId"]: each.get("Status", "") for each in listed if "OperationId" in each}

    def _matches(self, operation: str) -> bool:
        if operation not in self.details:
            named = {"ClusterName": self.cluster_arn, "OperationId": operation}
            answer = self.api.call("DescribeClusterOperation", about=self._about, **named)
            self.details[operation] = {each["InstanceGroupName"]: each for each in answer.get("DeepHealthCheckDetails") or ()}
        return all(_has(self.details[operation].get(check.group), check) for check in self.checks)

    @property
    def _about(self) -> str:
        return f"cluster {self.cluster_arn}"


def _has(details: t.Mapping[str, t.Any] | None, check: Check) -> bool:
    """Whether the operation contains the check. HyperPod may skip some of the nodes, such as nodes with jobs."""
    if details is None or not set(check.checks) <= set(details["DeepHealthChecks"]):
        return False
    named = set(details.get("InstanceIds") or ())
    return not named or not check.node_ids or bool(named & set(check.node_ids))
