# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Applies the plan of an extension: makes each call, then waits until the extension is active, or no longer listed."""

from __future__ import annotations

import typing as t

from ..._aws.client import AwsError
from ..._core.failure import LostRace
from ..._core.plan import Step
from ..._core.waits import repeated
from ..api import BUSY, NOT_FOUND, HyperPod
from ..statuses import ACTIVE, EXTENSION
from ..waits import LAGGING
from .model import Desired, Extension
from .observe import Observer
from .plan import left

TAKEN = (BUSY, "ResourceInUse")


class Applier:
    """Applies the steps of one extension. If ``observer`` waits, each step ends before the next begins."""

    def __init__(self, api: HyperPod, desired: Desired, observer: Observer) -> None:
        self.api = api
        self.desired = desired
        self.observer = observer

    def __call__(self, step: Step) -> None:
        done = _gone if step.operation == "DeleteClusterExtension" else self._works
        if not self._overtaken(step):
            self.observer.until(done, failed=self._broken())
        elif not done(self.observer.until(lambda found: found is None or not EXTENSION.is_busy(found.status))):
            raise LostRace  # a concurrent change: observe and plan again

    def _overtaken(self, step: Step) -> bool:
        """Make the call. True if AWS is already changing the extension, possibly because of our own call whose reply was lost."""
        try:
            self.api.call(step.operation, about=f"{self.desired.resource} of cluster {self.desired.cluster_arn}", **step.arguments)
        except AwsError as error:
            if error.code in TAKEN and self.observer.waits is not None:
                return True
            if step.operation != "DeleteClusterExtension" or error.code not in NOT_FOUND:
                raise
        return False

    def _works(self, found: Extension | None) -> bool:
        return found is not None and found.status == ACTIVE and not left(self.desired, found)

    def _broken(self) -> t.Callable[[Extension | None], str | None]:
        """Reports a failure that AWS returns repeatedly, because AWS may return an earlier operation's failure for a while."""

        def judge(found: Extension | None) -> str | None:
            if found is None or found.status not in EXTENSION.failed:
                return None
            return "; ".join(found.issues) or "AWS gives no reason"

        return repeated(judge, LAGGING)


def _gone(found: Extension | None) -> bool:
    return found is None
