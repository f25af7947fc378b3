# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Applies a plan of task governance: makes each call, then waits until AWS has completed it."""

from __future__ import annotations

import typing as t

from ..._aws.client import AwsError
from ..._aws.tag_steps import SAGEMAKER
from ..._core.failure import LostRace
from ..._core.plan import Step
from ..._core.waits import ANSWERS, repeated
from ..api import BUSY, NOT_FOUND, HyperPod
from ..statuses import CREATED, DELETING, GOVERNANCE, UPDATED
from ..waits import LAGGING
from .model import HOPELESS, Desired, Found
from .observe import Judge, Observer
from .plan import left

REFUSED = (BUSY, "ValidationException")
"""Error codes for a resource that AWS is changing. AWS returns the second code if the operation does not declare the first."""


class Applier:
    """Applies the steps. If ``observer`` waits, each step ends before the next begins."""

    def __init__(self, api: HyperPod, desired: Desired, observer: Observer) -> None:
        self.api = api
        self.desired = desired
        self.observer = observer

    def __call__(self, step: Step) -> None:
        if step.operation in SAGEMAKER.operations:
            self.api.call(step.operation, about=self.observer.about, **step.arguments)
            return
        answer = self._answer(step)
        self.observer.until(lambda found: self._ended(step, found, answer), failed=self._failed(step, answer))

    def _answer(self, step: Step) -> t.Mapping[str, t.Any]:
        """AWS's answer; empty if the step is already done, or was started by our own call whose reply was lost.

        :raises LostRace: after a concurrent change.
        :raises AwsError: if AWS refuses the call for a different reason.
        """
        try:
            return self.api.call(step.operation, about=self.observer.about, **step.arguments)
        except AwsError as error:
            if step.operation == self.desired.kind.delete and error.code in NOT_FOUND:
                return {}
            if error.code not in REFUSED:
                raise
            found = self._after_refusal(step)
            if self._ended(step, found, {}) or self._begun(step, found):
                return {}
            if self._as_planned(step, found):
                raise
            raise LostRace from error

    def _after_refusal(self, step: Step) -> Found | None:
        """The resource once AWS has finished changing it. An unchanged resource counts only after several equal answers."""

        def unchanged(found: Found | None) -> bool | None:
            return (_settled(found) and self._as_planned(step, found)) or None

        surely = repeated(unchanged)

        def done(found: Found | None) -> bool:
            return bool(surely(found)) or (_settled(found) and not unchanged(found))

        return self.observer.until(done)

    def _ended(self, step: Step, found: Found | None, answer: t.Mapping[str, t.Any]) -> bool:
        """Whether the step is done. An ID or version in ``answer`` decides, because AWS may store settings in a different form."""
        kind = self.desired.kind
        if step.operation == kind.delete:
            return found is None or found.id != step.arguments[kind.id]
        if found is None or found.status not in (CREATED, UPDATED):
            return False
        if kind.version in answer:
            return found.version >= answer[kind.version]
        return found.id == answer[kind.id] if kind.id in answer else not left(self.desired, found)

    def _begun(self, step: Step, found: Found | None) -> bool:
        """Whether the change is in progress, which is enough if the module does not wait."""
        if self.observer.waits is not None or found is None or not GOVERNANCE.is_busy(found.status):
            return False
        deletes = step.operation == self.desired.kind.delete
        return (found.status == DELETING) if deletes else not left(self.desired, found)

    def _as_planned(self, step: Step, found: Found | None) -> bool:
        """Whether the resource is still as it was for the plan. AWS then refused the call for a reason other than a change."""
        kind = self.desired.kind
        if step.operation == kind.create:
            return found is None
        if found is None or found.id != step.arguments[kind.id]:
            return False
        return step.operation == kind.delete or found.version == step.arguments["TargetVersion"]

    def _failed(self, step: Step, answer: t.Mapping[str, t.Any]) -> Judge:
        """Reports a failure. AWS may return an earlier operation's failure for a while, but not with a new ID or version."""
        kind = self.desired.kind

        def judge(found: Found | None) -> str | None:
            if found is None or found.status not in GOVERNANCE.failed:
                return None
            if step.operation == kind.delete:
                then = "run again to delete it"
            elif found.status in HOPELESS:
                then = "recreate it with recreate: true"
            else:
                then = "run again"
            return f"{found.failure.rstrip('.') or 'AWS gives no reason'}; fix the cause, then {then}"

        late = repeated(judge, ANSWERS if step.operation == kind.delete else LAGGING)

        def judged(found: Found | None) -> str | None:
            new = found is not None and (found.id == answer.get(kind.id) or 0 < answer.get(kind.version, 0) <= found.version)
            return judge(found) if new else late(found)

        return judged


def _settled(found: Found | None) -> bool:
    return found is None or not GOVERNANCE.is_busy(found.status)
