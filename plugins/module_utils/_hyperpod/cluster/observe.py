# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Looks at a cluster, and waits until AWS is done with what it does there."""

from __future__ import annotations

import typing as t

from ..._aws.client import AwsError
from ..._core.settings import observed
from ..._core.waits import Waits
from ..api import NOT_FOUND, HyperPod
from .events import failures
from .model import LISTS, Desired, Found, Progress, State
from .table import CLUSTER

FAILED = ("Failed",)
GOVERNANCE = (
    ("ListClusterSchedulerConfigs", "ClusterSchedulerConfigSummaries", "scheduler configuration"),
    ("ListComputeQuotas", "ComputeQuotaSummaries", "compute quota"),
)
"""What AWS refuses to delete a cluster with. Only clusters with EKS have it."""


class Observer:
    """Reads one cluster by its name."""

    def __init__(self, api: HyperPod, desired: Desired, *, waits: Waits | None) -> None:
        self.api = api
        self.desired = desired
        self.waits = waits
        """None where nobody waits."""

    def __call__(self) -> State:
        """What is there; where somebody waits, once what an earlier run began has ended."""
        found = self.look()
        if found is not None and self.waits is not None and not found.settled and found.status not in FAILED:
            found = self.settled()
        blockers = () if found is None or self.desired.present else self._blockers(found)
        return State(found, blockers)

    def look(self) -> Found | None:
        about = self.desired.resource
        try:
            return self._found(self.api.call("DescribeCluster", about=about, ClusterName=self.desired.name))
        except AwsError as error:
            if error.code in NOT_FOUND:
                return None
            raise

    def settled(self) -> Found | None:
        """What is there once AWS is done; at once where nobody waits.

        :raises WaitFailed: with what AWS says of the failure, as soon as the cluster or a group of it has failed.
        """
        if self.waits is None:
            return self.look()
        return self.waits.until(
            self.look,
            done=lambda found: found is None or found.settled,
            failed=lambda found: None if found is None else self._reason(found),
            subject=self.desired.resource,
            state=lambda found: "gone" if found is None else found.told,
        )

    def _reason(self, found: Found) -> str | None:
        broken = [name for name, group in found.progress.items() if group.status in FAILED]
        if found.status == "Deleting":
            return None  # what has failed in it goes, too
        if found.status not in FAILED and found.autoscaler_status not in FAILED and not broken:
            return None
        words = [found.failure, found.autoscaler_failure, *(f"group {name} is Failed" for name in broken)]
        return "; ".join(filter(None, [*words, *failures(self.api, found.arn)])) or "AWS gives no reason"

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
            tags={} if status == "Deleting" else self.api.tags(answer["ClusterArn"]),  # it may be gone already
            progress={group["InstanceGroupName"]: _progress(group) for groups in lists.values() for group in groups},
            failure=answer.get("FailureMessage") or "",
            autoscaler_status=scaler.get("Status", ""),
            autoscaler_failure=scaler.get("FailureMessage") or "",
        )

    def _blockers(self, found: Found) -> tuple[str, ...]:
        if "eks" not in found.settings.get("orchestrator", {}):
            return ()
        return tuple(
            f"{kind} {each['Name']}"
            for operation, key, kind in GOVERNANCE
            for each in self.api.pages(operation, key, about=self.desired.resource, ClusterArn=found.arn)
        )


def _progress(group: t.Mapping[str, t.Any]) -> Progress:
    current = group.get("CurrentCount", 0)
    return Progress(
        status=group.get("Status", ""),
        current=current,
        target=group.get("TargetCount", current),
        operations=sum((group.get("ActiveOperations") or {}).values()),
        software_update=group.get("SoftwareUpdateStatus", ""),
    )
