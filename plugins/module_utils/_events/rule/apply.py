# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Changes one rule. EventBridge returns some errors only for a moment after a change, so a call with such an error is repeated."""

from __future__ import annotations

import typing as t

from ..._aws.client import Api, AwsError
from ..._core.failure import Failure
from ..._core.plan import Step
from ..._core.wait import Clock
from .model import Desired

NOT_FOUND = "ResourceNotFoundException"
CONCURRENT = "ConcurrentModificationException"
HAS_TARGETS = "ValidationException"
"""The error code of DeleteRule while the rule still has targets. Removed targets count for a moment."""
PAUSES = (0.5, 1.0, 2.0, 4.0, 8.0)
"""Seconds between two tries. The reply after the last pause counts."""


class EntryFailed(Failure):
    """EventBridge accepted a call, but refused the target in it."""

    def __init__(self, operation: str, resource: str, entry: t.Mapping[str, t.Any]) -> None:
        self.code = str(entry.get("ErrorCode") or "")
        text = entry.get("ErrorMessage") or "EventBridge returned no message"
        super().__init__(f"{operation} for {resource} failed: {self.code or 'no code'}: {text}")


class Applier:
    def __init__(self, events: Api, desired: Desired, *, clock: Clock = Clock()) -> None:
        self._events = events
        self._desired = desired
        self._clock = clock
        self.there: bool | None = None
        """Whether the rule exists, according to the calls made here; None before any call."""

    def __call__(self, step: Step) -> None:
        for pause in PAUSES:
            try:
                return self._call(step)
            except (AwsError, EntryFailed) as error:
                if not self._passes(step, error.code):
                    raise
            self._clock.sleep(pause)
        return self._call(step)

    def _call(self, step: Step) -> None:
        try:
            answer = self._events.call(step.operation, about=self._desired.resource, **step.arguments)
        except AwsError as error:
            if error.code != NOT_FOUND or step.operation not in ("RemoveTargets", "DeleteRule"):
                raise
            answer = {}  # removed by a call whose reply was lost
        for entry in answer.get("FailedEntries") or ():
            raise EntryFailed(step.operation, self._desired.resource, entry)
        if step.operation in ("PutRule", "DeleteRule"):
            self.there = step.operation == "PutRule"

    def _passes(self, step: Step, code: str) -> bool:
        """Whether the same call may succeed a moment later."""
        if code == NOT_FOUND:
            return self.there is True
        return code == CONCURRENT or (code == HAS_TARGETS and step.operation == "DeleteRule")
