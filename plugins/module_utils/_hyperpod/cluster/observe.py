# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads a cluster, and waits until AWS has finished changing it."""

from __future__ import annotations

import dataclasses
import typing as t

from ..._aws.client import AwsError
from ..._core.settings import all_parameters, observed
from ..._core.waits import Waits, repeated
from .. import statuses
from ..api import NOT_FOUND, HyperPod
from .events import failures
from .model import LISTS, Desired, Found, Progress, State
from .plan import changes_groups, left
from .table import CLUSTER

GOVERNANCE = (
    ("ListClusterSchedulerConfigs", "ClusterSchedulerConfigSummaries", "scheduler configuration"),
    ("ListComputeQuotas", "ComputeQuotaSummaries", "compute quota"),
)
"""Resources that prevent the deletion of a cluster. Only clusters with EKS have them."""

Judge = t.Callable[[t.Union[Found, None]], t.Union[str, None]]
"""Why a wait has failed; None while it may still succeed."""


class Observer:
    """Reads one cluster by its name."""

    def __init__(self, api: HyperPod, desired: Desired, *, waits: Waits | None) -> None:
        self.api = api
        self.desired = desired
        self.waits = waits
        """None if the module does not wait."""
        self.dropped = tuple(
            ".".join(path)
            for _option, name, table in LISTS
            for path in all_parameters(table, (name,))
            if not api.knows_member("UpdateCluster", path)
        )

    def __call__(self) -> State:
        """The current state. If the module waits, it first waits until an earlier run's operation has ended.

        A group that is still adding nodes does not delay a change, because the change may lower a count that AWS can't provide.
        """
        found = self.until(lambda found: found is None or not statuses.CLUSTER.is_busy(found.status))
        if found is not None and self.desired.present and found.status == statuses.IN_SERVICE and not left(self.desired, found):
            found = self.until(lambda found: found is None or found.settled, failed=self.broken())
        if found is None:
            return State()
        if not self.desired.present:
            return State(found, self._blockers(found), self._nodes(found))
        return State(dataclasses.replace(found, tags=self.api.tags(found.arn)), moving=self._moving(found))

    def look(self) -> Found | None:
        """The cluster without its tags, which need another call."""
        about = self.desired.resource
        try:
            return self._found(self.api.call("DescribeCluster", about=about, ClusterName=self.desired.name))
        except AwsError as error:
            if error.code in NOT_FOUND:
                return None
            raise

    def until(self, done: t.Callable[[Found | None], bool], *, failed: Judge = lambda found: None) -> Found | None:
        """The state once ``done``, or immediately if the module does not wait.

        :raises WaitFailed: with the reason from ``failed``.
        """
        if self.waits is None:
            return self.look()
        return self.waits.until(
            self.look,
            done=done,
            failed=failed,
            subject=self.desired.resource,
            state=lambda found: "missing" if found is None else found.described,
        )

    def broken(self) -> Judge:
        """A function that returns failures with AWS's reasons, once AWS has returned the failures repeatedly."""
        judged: t.Callable[[Found | None], tuple[str, ...] | None] = repeated(lambda found: found.broken if found else ())

        def reason(found: Found | None) -> str | None:
            words = judged(found)
            return self.explained(found, *words) if found is not None and words else None

        return reason

    def explained(self, found: Found, *words: str) -> str:
        """``words`` and the failures in the cluster's events."""
        return "; ".join([*words, *failures(self.api, found.arn)])

    def _found(self, answer: t.Mapping[str, t.Any]) -> Found:
        lists = {option: answer.get(api) or () for option, api, _table in LISTS}
        scaler, status = answer.get("AutoScaling") or {}, answer.get("ClusterStatus", "")
        return Found(
            arn=answer["ClusterArn"],
            name=answer.get("ClusterName", self.desired.name),
            status=status,
            settings=observed(CLUSTER, answer),
            groups={
                option: {group["InstanceGroupName"]: observed(table, group) for group in lists[option]}
                for option, _api, table in LISTS
            },
            progress={group["InstanceGroupName"]: _progress(group) for groups in lists.values() for group in groups},
            failure=answer.get("FailureMessage") or "",
            autoscaler_status=scaler.get("Status", ""),
            autoscaler_failure=scaler.get("FailureMessage") or "",
            dropped=self.dropped,
        )

    def _blockers(self, found: Found) -> tuple[str, ...]:
        if "eks" not in found.settings.get("orchestrator", {}):
            return ()
        return tuple(
            f"{kind} {each['Name']}"
            for operation, key, kind in GOVERNANCE
            for each in self.api.pages(operation, key, about=self.desired.resource, ClusterArn=found.arn)
            if each["Status"] != statuses.DELETED
        )

    def _nodes(self, found: Found) -> dict[str, tuple[str, ...]]:
        rows = [(each["InstanceGroupName"], each["InstanceId"]) for each in self._listed(found) if each.get("InstanceId")]
        return {name: tuple(sorted(node for group, node in rows if group == name)) for name in found.progress}

    def _moving(self, found: Found) -> tuple[str, ...]:
        if not found.exchanges_nodes or found.status != statuses.IN_SERVICE or not changes_groups(self.desired, found):
            return ()
        listed = [(each.get("InstanceId", ""), (each.get("InstanceStatus") or {}).get("Status")) for each in self._listed(found)]
        return tuple(sorted(node for node, status in listed if status in statuses.MOVING_GROUPS))

    def _listed(self, found: Found) -> t.Iterable[t.Mapping[str, t.Any]]:
        return self.api.pages("ListClusterNodes", "ClusterNodeSummaries", about=self.desired.resource, ClusterName=found.arn)


def _progress(group: t.Mapping[str, t.Any]) -> Progress:
    current = group.get("CurrentCount", 0)
    return Progress(
        status=group.get("Status", ""),
        current=current,
        target=group.get("TargetCount", current),
        operations=sum((group.get("ActiveOperations") or {}).values()),
        software_update=group.get("SoftwareUpdateStatus", ""),
    )
