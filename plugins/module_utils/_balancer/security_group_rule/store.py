# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""One rule of a security group, read and changed at EC2.

EC2 tells of what was just made a moment later: a group by its name, a group for a rule, a rule of a group. So an answer
that lacks what should be there is asked for again, some times, before it is believed.
"""

from __future__ import annotations

from ..._aws.client import AwsError
from ..._core.plan import Step
from ..._core.wait import Clock
from ..network import Network
from .plan import Desired, State

CREATIONS = ("AuthorizeSecurityGroupIngress", "AuthorizeSecurityGroupEgress")
REMOVALS = ("RevokeSecurityGroupIngress", "RevokeSecurityGroupEgress")
DONE_ALREADY = {
    **dict.fromkeys(CREATIONS, ("InvalidPermission.Duplicate",)),
    **dict.fromkeys(REMOVALS, ("InvalidSecurityGroupRuleId.NotFound", "InvalidPermission.NotFound")),
}
"""A reply can get lost after the call took effect; the call is then repeated."""
UNKNOWN_GROUP = "InvalidGroup.NotFound"
PAUSES = (0.5, 1.5, 3.0)
"""Seconds between looks at an odd answer; the one after the last is believed."""


class RuleStore:
    """``needs_groups``: the two groups that the rule joins should exist, and a missing one is an odd answer."""

    def __init__(self, network: Network, desired: Desired, *, needs_groups: bool, clock: Clock = Clock()) -> None:
        self._network = network
        self._desired = desired
        self._needs_groups = needs_groups
        self._clock = clock
        self._there: bool | None = None
        """Whether there is a rule, as far as it is known from what was done here."""

    def observe(self) -> State:
        for pause in PAUSES:
            state = self._network.rule_state(self._desired)
            if not self._is_odd(state):
                return state
            self._clock.sleep(pause)
        return self._network.rule_state(self._desired)

    def apply(self, step: Step) -> None:
        for pause in PAUSES:
            try:
                self._call(step)
                return
            except AwsError as error:
                if step.operation not in CREATIONS or error.code != UNKNOWN_GROUP:
                    raise
            self._clock.sleep(pause)
        self._call(step)

    def _call(self, step: Step) -> None:
        try:
            self._network.call(step.operation, about=self._desired.resource, **step.arguments)
        except AwsError as error:
            if error.code not in DONE_ALREADY.get(step.operation, ()):
                raise
        if step.operation in CREATIONS + REMOVALS:
            self._there = step.operation in CREATIONS

    def _is_odd(self, state: State) -> bool:
        if state.group_id is None or state.peer is None:
            return self._needs_groups
        return self._there not in (None, state.rule is not None)
