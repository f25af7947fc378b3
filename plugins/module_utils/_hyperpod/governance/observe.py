# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Looks at one scheduler configuration or compute quota of a cluster, and waits until AWS is done with it."""

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
from .guarantees import amounts_of, instances_of, types_to_look_up
from .model import HOPELESS, Capacity, Desired, Found, State
from .partitions import cut_of
from .threads import single_threaded

Judge = t.Callable[[t.Union[Found, None]], t.Union[str, None]]
"""Why a wait is over without success; None while it is not."""


class Observer:
    """Reads one by its team, or the one that a cluster has."""

    def __init__(
        self, api: HyperPod, desired: Desired, *, instance_types: t.Callable[[], InstanceTypes], waits: Waits | None
    ) -> None:
        self.api = api
        self.desired = desired
        self.instance_types = instance_types
        self.waits = waits
        """None where nobody waits."""
        self.about = f"{desired.resource} of cluster {desired.cluster_arn}"
        self.dropped = tuple(
            ".".join(path)
            for structure, table in desired.kind.parts
            for path in all_parameters(table, (structure,) if structure else ())
            if not api.knows_member(desired.kind.update, path)
        )

    def __call__(self) -> State:
        """What is there; where somebody waits, once what an earlier run began has ended.

        :raises Refused: where the cluster can have none.
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
        chosen = next(iter(sorted(filter(self._is_ours, self._listed()), key=self._is_other_name)), None)
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
        """What is there once ``done``; at once where nobody waits.

        :raises WaitFailed: with the reason that ``failed`` gives.
        """
        if self.waits is None:
            return self.look()
        return self.waits.until(
            self.look,
            done=done,
            failed=failed,
            subject=self.desired.resource,
            state=lambda found: "gone" if found is None else found.status,
        )

    def _cluster(self) -> Answer | None:
        """None where there is nothing to remove."""
        arn = self.desired.cluster_arn
        try:
            answer = self.api.call("DescribeCluster", about=f"cluster {arn}", ClusterName=arn)
        except AwsError as error:
            if error.code not in NOT_FOUND:
                raise
            if self.desired.present:
                raise Refused(f"Cluster {arn} does not exist in region {self.api.client.meta.region_name}.") from error
            return None
        if "Eks" in (answer.get("Orchestrator") or {}):
            return answer
        if self.desired.present:
            refuse_option("cluster_arn", arn, "the ARN of a cluster with EKS", "the cluster has Slurm")
        return None

    def _listed(self) -> list[Found]:
        """AWS goes on to list for a while what was deleted."""
        kind = self.desired.kind
        listed = self.api.pages(kind.listing, kind.summaries, about=self.about, ClusterArn=self.desired.cluster_arn)
        return [Found.from_api(kind, each) for each in listed if each["Status"] != DELETED]

    def _is_ours(self, found: Found) -> bool:
        return found.team == self.desired.team

    def _is_other_name(self, found: Found) -> bool:
        return found.name != self.desired.name

    def _wants_tags(self, found: Found) -> bool:
        """Also of what is made again, which keeps them."""
        return self.desired.tags is not None or (self.desired.recreate and found.status in HOPELESS)

    def _capacity(self, cluster: Answer, ours: Found | None, others: t.Sequence[Found]) -> Capacity:
        """With what an instance has of types that are compared by that."""
        desired = self.desired
        groups = Cluster.from_api(cluster).groups
        capacity = Capacity(
            instances_of((each.instance_types, each.target) for each in groups),
            cut=cut_of((each.instance_types, each.target, each.mig_config) for each in groups),
            single_threaded=single_threaded((each.instance_types, each.target, each.threads_per_core) for each in groups),
        )
        if desired.kind is not QUOTA or not desired.present or desired.allow_oversubscription:
            return capacity
        wanted = {**(ours.settings if ours else {}), **desired.settings}
        names = types_to_look_up(wanted, others, capacity)
        if not names:
            return capacity
        known = self.instance_types().look_up([name.removeprefix(PREFIX) for name in names])
        each = {PREFIX + name: amounts_of(dataclasses.asdict(found)) for name, found in known.items()}
        return dataclasses.replace(capacity, each=each)
