# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Applies the plan of a node group: makes each call, then waits until EKS has created, changed or removed the group."""

from __future__ import annotations

import typing as t

from ..._aws.client import Api, AwsError
from ..._aws.tag_steps import EKS
from ..._core.failure import Failure, LostRace, Postponed
from ..._core.plan import Step
from ..._core.settings import has
from ..._core.waits import repeated
from ..._hyperpod.waits import LAGGING
from ..common import IN_USE, NOT_FOUND, UPDATE, Answer, found
from .health import Issue, next_steps
from .model import ACTIVE, CREATE_FAILED, DEGRADED, NODEGROUP, Desired, Nodegroup
from .observe import Observer
from .plan import left
from .table import CONFIGURATION, SETTINGS, VERSIONS

CREATE, DELETE = "CreateNodegroup", "DeleteNodegroup"
CHANGES = {"UpdateNodegroupConfig": CONFIGURATION, "UpdateNodegroupVersion": VERSIONS}
"""The options that each operation changes."""


class Applier:
    """Applies the steps of one node group. If ``observer`` waits, each step ends before the next begins."""

    def __init__(self, eks: Api, desired: Desired, observer: Observer) -> None:
        self.eks = eks
        self.desired = desired
        self.observer = observer
        self.started = False
        """Whether this run has started an operation."""

    def __call__(self, step: Step) -> None:
        if step.operation in EKS.operations:
            self.eks.call(step.operation, about=self.desired.about, **step.arguments)
            return
        answer = self._answer(step)
        self.started = True
        if answer is None:
            self._settle(step)
        else:
            watch = Watch(self, step, str((answer.get("update") or {}).get("id", "")))
            self.observer.until(watch.done, failed=watch.failed)

    def matches(self, step: Step, group: Nodegroup) -> bool:
        """Whether the group has the settings of the step."""
        if step.operation == CREATE:
            return has(SETTINGS, group.settings, self.desired.settings)
        return not left(self.desired, group, CHANGES[step.operation])

    def described_update(self, update: str) -> Answer:
        """The update; empty if EKS does not return it yet."""
        desired = self.desired
        named = {"name": desired.cluster, "nodegroupName": desired.name, "updateId": update}
        answer = found(self.eks, "DescribeUpdate", about=f"an update of {desired.about}", **named)
        return answer["update"] if answer else {}

    def _answer(self, step: Step) -> Answer | None:
        """EKS's answer; None if EKS refuses the call because of the group's status, possibly after our own call whose reply was
        lost.

        :raises Postponed: without waits, if the operation of an earlier step of this run has not ended yet.
        """
        try:
            return self.eks.call(step.operation, about=self.desired.about, **step.arguments)
        except AwsError as error:
            if step.operation == DELETE and error.code == NOT_FOUND:
                return {}
            if error.code != IN_USE:
                raise
            if self.observer.waits is not None:
                return None
            if self.started:
                raise Postponed from error
            raise

    def _settle(self, step: Step) -> None:
        """Wait until the current operation of EKS has ended. The step is complete if the group is then as desired.

        :raises LostRace: if another caller changed the group, to observe and plan again.
        :raises Failure: if EKS refuses to update a degraded group.
        """
        absent = repeated(lambda group: group is None or None, LAGGING)

        def done(group: Nodegroup | None) -> bool:
            if group is None:
                return step.operation == DELETE or bool(absent(group))
            return not NODEGROUP.is_busy(group.status)

        group = self.observer.until(done)
        if step.operation == DELETE:
            complete = group is None
        else:
            complete = group is not None and group.status == ACTIVE and self.matches(step, group)
        if complete:
            return
        if group is not None and group.status == DEGRADED and step.operation in CHANGES:
            raise Failure(
                f"EKS refuses {step.operation} for {self.desired.about}, because the group is {group.described}. Next step: "
                f"{self.observer.next_steps(group)}; then run again."
            )
        raise LostRace


class Watch:
    """One wait for a step.

    :param update: ID of the update that the step has started; empty if it has started none.
    """

    def __init__(self, applier: Applier, step: Step, update: str) -> None:
        self.applier = applier
        self.step = step
        self.update = update
        self.seen: Answer = {}
        self.judged: t.Callable[[Nodegroup | None], str | LostRace | None] = repeated(self._judge, LAGGING)

    def done(self, group: Nodegroup | None) -> bool:
        if self.update and self.seen.get("status") not in UPDATE.settled:
            self.seen = self.applier.described_update(self.update)
        if self.step.operation == DELETE:
            return group is None
        if group is None or group.status != ACTIVE or not self._updated:
            return False
        return self.step.operation == CREATE or self.applier.matches(self.step, group)

    def failed(self, group: Nodegroup | None) -> str | None:
        """Why the wait can't succeed; None if it still can.

        :raises LostRace: if another caller has removed or changed the group.
        """
        if self.seen.get("status") in UPDATE.failed:
            issues = [Issue.from_api(each) for each in self.seen.get("errors") or ()]
            listed = f" ({'; '.join(map(str, issues))})" if issues else ""
            return f"the update is {self.seen['status']}{listed}; {self._next_steps(group, issues)}"
        if self.step.operation == CREATE and group is not None and group.status == CREATE_FAILED:
            steps = f"{self._next_steps(group)}; then remove the group with eks_nodegroup and state=absent, and run again"
            return f"{steps} (the next run of training_cluster removes it itself)"
        reason = self.judged(group)
        if isinstance(reason, LostRace):
            raise reason
        return reason

    def _next_steps(self, group: Nodegroup | None, issues: t.Sequence[Issue] | None = None) -> str:
        return self.applier.observer.next_steps(group, issues) if group is not None else next_steps(issues or ())

    @property
    def _updated(self) -> bool:
        return not self.update or self.seen.get("status") in UPDATE.settled

    def _judge(self, group: Nodegroup | None) -> str | LostRace | None:
        """The meaning of a reply if it does not change. EKS may return the state from before a call for some time."""
        if self.step.operation == DELETE:
            return self._next_steps(group) if group is not None and group.status in NODEGROUP.failed else None
        if group is None:
            return LostRace()
        if not self._updated:
            return None
        if group.status == DEGRADED or group.status in NODEGROUP.failed:
            return self._next_steps(group)
        return None if NODEGROUP.is_busy(group.status) else LostRace()
