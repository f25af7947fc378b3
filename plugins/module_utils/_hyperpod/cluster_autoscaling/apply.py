# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Applies the plan of an autoscaler: makes each call, then waits until the autoscaler works or is removed."""

from __future__ import annotations

import typing as t

from ..._aws.client import AwsError
from ..._core.failure import LostRace
from ..._core.plan import Step
from ..._core.waits import repeated
from ..api import BUSY, HyperPod
from ..cluster.events import failures
from ..statuses import FAILED
from ..waits import LAGGING
from .model import ENABLE, Desired, State
from .observe import Observer


class Applier:
    """Applies the steps. If ``observer`` waits, each step ends before the next begins."""

    def __init__(self, api: HyperPod, desired: Desired, observer: Observer) -> None:
        self.api = api
        self.desired = desired
        self.observer = observer

    def __call__(self, step: Step) -> None:
        done = self._works if step.arguments["AutoScaling"]["Mode"] == ENABLE else _gone
        if not self._overtaken(step):
            self.observer.until(done, failed=self._broken())
        elif not done(self.observer.until(lambda state: not state.under_way)):
            raise LostRace  # a concurrent change: observe and plan again

    def _overtaken(self, step: Step) -> bool:
        """Make the call. True if AWS is already changing the cluster, possibly because of our own call whose reply was lost."""
        try:
            self.api.call(step.operation, about=f"cluster {self.desired.cluster_arn}", **step.arguments)
        except AwsError as error:
            if error.code != BUSY or self.observer.waits is None:
                raise
            return True
        return False

    def _works(self, state: State) -> bool:
        return state.works and state.role == self.desired.role and not state.under_way

    def _broken(self) -> t.Callable[[State], str | None]:
        """Reports a failure that AWS returns repeatedly, because AWS may return an earlier attempt's failure for a while."""

        def has_failed(state: State) -> bool:
            return state.status == FAILED and not state.under_way

        judged = repeated(has_failed, LAGGING)

        def reason(state: State) -> str | None:
            if not judged(state):
                return None
            return "; ".join([state.failure or "AWS gives no reason", *failures(self.api, state.cluster.arn)])

        return reason


def _gone(state: State) -> bool:
    return not state.on and not state.under_way
