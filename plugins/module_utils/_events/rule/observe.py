# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads a rule with its targets and tags. EventBridge may return a new rule only after a moment."""

from __future__ import annotations

from ..._aws.client import Api, AwsError
from ..._aws.tags import plain_tags
from ..._core.wait import Clock
from .apply import NOT_FOUND, PAUSES, Applier
from .model import Desired, Rule, State


class Observer:
    def __init__(self, events: Api, desired: Desired, apply: Applier, *, clock: Clock = Clock()) -> None:
        self._events = events
        self._desired = desired
        self._apply = apply
        self._clock = clock

    def __call__(self) -> State:
        """The state. If it contradicts the calls of this run, it is read again a few times."""
        for pause in PAUSES:
            state = read(self._events, self._desired.name)
            if self._apply.there in (None, state.rule is not None):
                return state
            self._clock.sleep(pause)
        return read(self._events, self._desired.name)


def read(events: Api, name: str) -> State:
    """:raises AwsError: for any error except that the rule does not exist."""
    about = f"event rule {name}"
    try:
        found = events.call("DescribeRule", about=about, Name=name)
        targets = events.pages("ListTargetsByRule", "Targets", about=about, Rule=name)
        tags = events.call("ListTagsForResource", about=about, ResourceARN=found["Arn"])
    except AwsError as error:
        if error.code == NOT_FOUND:
            return State()
        raise
    return State(Rule.from_api(found, targets, plain_tags(tags.get("Tags"))))
