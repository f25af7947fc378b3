# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Changes one rule of a security group. For a moment after a group was created, EC2 may not find the group."""

from __future__ import annotations

from ..._core.plan import Step
from ..._core.wait import Clock
from ..client import Api, AwsError
from .model import Desired

CREATIONS = ("AuthorizeSecurityGroupIngress", "AuthorizeSecurityGroupEgress")
REMOVALS = ("RevokeSecurityGroupIngress", "RevokeSecurityGroupEgress")
DONE_ALREADY = {
    **dict.fromkeys(CREATIONS, ("InvalidPermission.Duplicate",)),
    **dict.fromkeys(REMOVALS, ("InvalidSecurityGroupRuleId.NotFound", "InvalidPermission.NotFound")),
}
"""Error codes of a repeated call whose first reply was lost after the call took effect."""
UNKNOWN_GROUP = "InvalidGroup.NotFound"
PAUSES = (0.5, 1.5, 3.0)
"""Seconds between attempts while the reply is unexpected. The reply after the last pause counts."""


class Applier:
    def __init__(self, ec2: Api, desired: Desired, *, clock: Clock = Clock()) -> None:
        self._ec2 = ec2
        self._desired = desired
        self._clock = clock
        self.there: bool | None = None
        """Whether the rule exists, according to the calls made here; None before any call."""

    def __call__(self, step: Step) -> None:
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
            self._ec2.call(step.operation, about=self._desired.resource, **step.arguments)
        except AwsError as error:
            if error.code not in DONE_ALREADY.get(step.operation, ()):
                raise
        if step.operation in CREATIONS + REMOVALS:
            self.there = step.operation in CREATIONS
