# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads one scheduler configuration or compute quota of a cluster, and waits until AWS has finished changing it."""

from __future__ import annotations

import dataclasses
import typing as t

from ..._aws.client import AwsError
from ..._core.failure import Refused, refuse_option
from ..._core.settings import Answer, all_parameters
from ..._core.waits import Waits
from ..api import NOT_FOUND, HyperPod
from ..instance_types import PREFIX, InstanceTypes
from ..model import Cluster
from ..statuses import DELETED, GOVERNANCE
from .fields import QUOTA
from .guarantees import amounts_of, instances_of, measured_types
from .model import HOPELESS, Capacity, Desired, Found, State
from .partitions import cut_of
from .threads import single_threaded

Judge = t.Callable[[t.Union[Found, None]], t.Union[str, None]]
"""Why a wait has failed; None while it may still succeed."""


class Observer:
    """Reads a team's compute quota, or the scheduler configuration of a cluster."""

    def __init__(
        self, api: HyperPod, desired: Desired, *, instance_types: t.Callable[[], InstanceTypes], waits: Waits | None
    ) -> None:
        self.api = api
        self.desired = desired
        self.instance_types = instance_types
        self.waits = waits
        """None if the module does not wait."""
        self.about = f"{desired.resource} of cluster {desired.cluster_arn}"
        self.dropped = tuple(
            ".".join(path)
            for structure, table in desired.kind.parts
            for path in all_parameters(table, (structure,) if structure else ())
            if not api.knows_member(desired.kind.update, path)
        )

    def __call__(self) -> State:
        """The current state. If the module waits, it first waits until an earlier run's operation has ended.

        :raises Refused: for a cluster without EKS or one that does not exist.
        """
        cluster = self._cluster()
        if cluster is None:
            return State()
        found = self.settled()
        others = tuple(other for other in self._listed() if found is None or other.id != found.id)
        if found is not None and self._wants_tags(found):
            found = dataclasses.replace(found, tags=self.api.tags(found.arn))
        return State(found, others, self._capacity(cluster, found, others), self.dropped)

    def settled(self) -> Found | None:
        return self.until(lambda found: found is None or not GOVERNANCE.is_busy(found.status))

    def look(self) -> Found | None:
        chosen = next(iter(sorted(filter(self._is_own, self._listed()), key=self._is_other_name)), None)
        if chosen is None:
            return None
        try:
            answer = self.api.call(self.desired.kind.describe, about=self.about, **{self.desired.kind.id: chosen.id})
        except AwsError as error:
            if error.code in NOT_FOUND:
                return None
            raise
        found = Found.from_api(self.desired.kind, answer)
        return None if found.status == DELETED else found

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
            state=lambda found: "missing" if found is None else found.status,
        )

    def _cluster(self) -> Answer | None:
        """The cluster; None if there is nothing to remove, because the cluster does not exist or uses Slurm."""
        arn = self.desired.cluster_arn
        try:
            answer = self.api.call("DescribeCluster", about=f"cluster {arn}", ClusterName=arn)
        except AwsError as error:
            if error.code not in NOT_FOUND:
                raise
            if self.desired.present:
                raise Refused(f"Cluster {arn} does not exist in Region {self.api.client.meta.region_name}.") from error
            return None
        if "Eks" in (answer.get("Orchestrator") or {}):
            return answer
        if self.desired.present:
            refuse_option("cluster_arn", arn, "the ARN of a cluster with EKS", "the cluster uses Slurm")
        return None

    def _listed(self) -> list[Found]:
        """The listed resources, without deleted resources, which AWS lists for a while."""
        kind = self.desired.kind
        listed = self.api.pages(kind.listing, kind.summaries, about=self.about, ClusterArn=self.desired.cluster_arn)
        return [Found.from_api(kind, each) for each in listed if each["Status"] != DELETED]

    def _is_own(self, found: Found) -> bool:
        return found.team == self.desired.team

    def _is_other_name(self, found: Found) -> bool:
        return found.name != self.desired.name

    def _wants_tags(self, found: Found) -> bool:
        """Whether to read the tags. They are also read before a recreation, which sets them again."""
        return self.desired.tags is not None or (self.desired.recreate and found.status in HOPELESS)

    def _capacity(self, cluster: Answer, own: Found | None, others: t.Sequence[Found]) -> Capacity:
        """The capacity, with the amounts of an instance for the types that need them."""
        desired = self.desired
        groups = Cluster.from_api(cluster).groups
        capacity = Capacity(
            instances_of((each.instance_types, each.target) for each in groups),
            cut=cut_of((each.instance_types, each.target, each.mig_config) for each in groups),
            single_threaded=single_threaded((each.instance_types, each.target, each.threads_per_core) for each in groups),
        )
        if desired.kind is not QUOTA or not desired.present or desired.allow_oversubscription:
            return capacity
        wanted = {**(own.settings if own else {}), **desired.settings}
        names = measured_types(wanted, others, capacity)
        if not names:
            return capacity
        known = self.instance_types().look_up([name.removeprefix(PREFIX) for name in names])
        each = {PREFIX + name: amounts_of(dataclasses.asdict(found)) for name, found in known.items()}
        return dataclasses.replace(capacity, each=each)
