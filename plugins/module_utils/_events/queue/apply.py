# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Changes one queue. SQS may need a minute until it returns a change, so the run waits for each change."""

from __future__ import annotations

import typing as t

from ..._aws.client import Api, AwsError
from ..._core.failure import LostRace
from ..._core.plan import Step
from ..._core.wait import Clock, wait_for
from .model import Desired, Queue
from .observe import NOT_FOUND

EXISTS = ("QueueAlreadyExists", "QueueNameExists")
"""The error code of CreateQueue for a queue that exists with other attributes, in the protocols of SQS."""
DELETED_RECENTLY = ("AWS.SimpleQueueService.QueueDeletedRecently", "QueueDeletedRecently")
SECONDS, INTERVAL = 90.0, 5.0
"""The longest wait. AWS documents 60 seconds for changes and removals, and before the name of a removed queue can be used again."""


class Applier:
    """
    :param look: reads the queue.
    :param is_as_wanted: whether a queue has the desired settings.
    """

    def __init__(
        self,
        sqs: Api,
        desired: Desired,
        *,
        look: t.Callable[[], Queue | None],
        is_as_wanted: t.Callable[[Queue | None], bool],
        clock: Clock = Clock(),
    ) -> None:
        self._sqs = sqs
        self._desired = desired
        self._look = look
        self._is_as_wanted = is_as_wanted
        self._clock = clock

    def __call__(self, step: Step) -> None:
        if step.operation == "CreateQueue":
            self._create(step)
        elif step.operation == "DeleteQueue":
            self._delete(step)
        else:
            self._sqs.call(step.operation, about=self._desired.resource, **step.arguments)
        if step.operation in ("CreateQueue", "SetQueueAttributes"):
            self._wait(self._look, self._is_as_wanted, state="not returned with its new settings")

    def _create(self, step: Step) -> None:
        def called() -> bool:
            try:
                self._sqs.call("CreateQueue", about=self._desired.resource, **step.arguments)
            except AwsError as error:
                if error.code in EXISTS:
                    raise LostRace from None
                if error.code not in DELETED_RECENTLY:
                    raise
                return False
            return True

        self._wait(called, bool, state="not created, because a queue of this name was removed a moment ago, and")

    def _delete(self, step: Step) -> None:
        try:
            self._sqs.call("DeleteQueue", about=self._desired.resource, **step.arguments)
        except AwsError as error:
            if error.code not in NOT_FOUND:  # removed by a call whose reply was lost
                raise
        self._wait(self._look, lambda queue: queue is None, state="returned, although it was removed,")

    def _wait(self, look: t.Callable[[], t.Any], done: t.Callable[[t.Any], bool], *, state: str) -> None:
        wait_for(
            look,
            done=done,
            subject=self._desired.resource,
            timeout=SECONDS,
            interval=INTERVAL,
            state=lambda _seen: state,
            clock=self._clock,
        )
