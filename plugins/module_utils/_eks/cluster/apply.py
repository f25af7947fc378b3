# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Applies the plan of a cluster: makes each call, then waits until EKS has completed it."""

from __future__ import annotations

import typing as t
import uuid

from ..._aws.client import Api, AwsError
from ..._aws.tag_steps import EKS
from ..._core.failure import LostRace, Refused
from ..._core.plan import Step
from ..._core.waits import Waits, repeated
from ..._hyperpod.waits import LAGGING
from ..common import IN_USE, NOT_FOUND
from .model import ACTIVE, DELETING, FAILED, Cluster, Desired
from .observe import Observer
from .plan import left
from .updates import Updates


class Applier:
    """Applies the steps of one cluster. If ``observer`` waits, each step ends before the next begins."""

    def __init__(self, eks: Api, desired: Desired, observer: Observer) -> None:
        self.eks = eks
        self.desired = desired
        self.observer = observer
        self.updates = Updates(eks, desired.name)
        self.token = str(uuid.uuid4())
        """Marks the cluster that this run creates, because the reply to the call can get lost."""

    def __call__(self, step: Step) -> None:
        waits = self.observer.waits
        if step.operation in EKS.operations:
            self._call(step)
        elif step.operation == "CreateCluster":
            self._create(step)
        elif step.operation == "DeleteCluster":
            self._delete(step, waits)
        else:
            self._update(step, waits)

    def _call(self, step: Step, **more: t.Any) -> dict[str, t.Any]:
        return self.eks.call(step.operation, about=self.desired.resource, **step.arguments, **more)

    def _create(self, step: Step) -> None:
        try:
            self._call(step, clientRequestToken=self.token)
        except AwsError as error:
            if error.code != IN_USE:
                raise
            self._check_ours(error)
        self.observer.until(
            lambda cluster: cluster is not None and cluster.status == ACTIVE,
            failed=_broken("then delete the cluster, and create it again"),
        )

    def _check_ours(self, error: AwsError) -> None:
        """Continue if this run, or another run with the same options, created the cluster.

        :raises Refused: if another caller created a different cluster in the meantime.
        """
        missing = repeated(lambda cluster: cluster is None or None, LAGGING)
        cluster = self.observer.until(lambda cluster: cluster is not None or bool(missing(cluster)))
        if cluster is None:
            raise LostRace  # it was deleted in the meantime: observe and plan again
        if cluster.status == DELETING:
            raise error
        names = left(self.desired, cluster)
        if cluster.token != self.token and names:
            raise Refused(
                f"{self.desired.resource} has just been created by another caller, and differs from the options: "
                f"{', '.join(names)}. Choose another name, or run again to change that cluster."
            )

    def _delete(self, step: Step, waits: Waits | None) -> None:
        try:
            self._call(step)
        except AwsError as error:
            if error.code == NOT_FOUND:
                return
            if error.code != IN_USE or waits is None:
                raise
            cluster = self.observer.look()
            if cluster is not None and cluster.status != DELETING:
                self._wait_for_others(waits)
                raise LostRace from None
        self.observer.until(lambda cluster: cluster is None, failed=_broken("then run again"))

    def _update(self, step: Step, waits: Waits | None) -> None:
        try:
            update = str((self._call(step).get("update") or {}).get("id", ""))
        except AwsError as error:
            if error.code != IN_USE or waits is None:
                raise
            self._wait_for_others(waits)
            if not _shows(step, self._settled(step)):
                raise LostRace from None
            return  # it was our own call, whose reply was lost
        if waits is not None:
            self.updates.wait(update, waits)
            self._settled(step)

    def _settled(self, step: Step) -> Cluster | None:
        """The cluster after an update. DescribeCluster may return an earlier state, which is accepted after some reads."""
        idle = repeated(_idle, LAGGING)
        return self.observer.until(lambda cluster: bool(idle(cluster)) or _shows(step, cluster))

    def _wait_for_others(self, waits: Waits) -> None:
        """Wait for the running update, the reason why EKS refused a call. It may be missing in the first replies."""
        seen = False
        idle = repeated(lambda running: not running or None, LAGGING)

        def over(running: str) -> bool:
            nonlocal seen
            seen = seen or bool(running)
            return (seen and not running) or bool(idle(running))

        subject = f"another update of {self.desired.resource}"
        waits.until(self._activity, done=over, subject=subject, state=lambda running: running or "not listed yet")

    def _activity(self) -> str:
        cluster = self.observer.look()
        busy = cluster.status if cluster is not None and cluster.is_busy else ""
        return (self.updates.running() if cluster is not None else "") or busy


def _idle(cluster: Cluster | None) -> bool | None:
    return cluster is None or not cluster.is_busy or None


def _shows(step: Step, cluster: Cluster | None) -> bool:
    """Whether the cluster has the values that the step sets, and EKS is not changing it."""
    if cluster is None or cluster.is_busy:
        return False
    return all(cluster.value(change.field or "") == change.after for change in step.changes)


def _broken(then: str) -> t.Callable[[Cluster | None], str | None]:
    """Returns the next step if the cluster has failed. EKS may return an earlier cluster of the same name for a while."""

    def broken(cluster: Cluster | None) -> str | None:
        if cluster is None or cluster.status != FAILED:
            return None
        return f"{'' if cluster.issues else 'EKS gives no reason; '}{cluster.way}, {then}"

    return repeated(broken, LAGGING)
