# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Applies a plan of targets. A node stays a target at its former login port until it is healthy at the desired port."""

from __future__ import annotations

import dataclasses
import typing as t

from ..._core.failure import Postponed
from ..._core.plan import Step
from ..._core.wait import Clock
from ..api import Balancing
from ..apply import Applier as BalancingApplier
from .model import HEALTHY, NEVER_HEALTHY, Desired, State
from .observe import Observer
from .plan import LEAVE_FORMER_PORT


class Applier:
    """Applies the steps. ``timeout``: seconds of the single wait until all targets are healthy; 0 for a check without a wait."""

    def __init__(
        self, balancing: Balancing, observer: Observer, desired: Desired, *, timeout: float, clock: Clock = Clock()
    ) -> None:
        self._observer = observer
        self._desired = desired
        self._timeout = timeout
        self._clock = clock
        self._call = BalancingApplier(balancing, about=desired.resource, timeout=timeout, clock=clock)
        self._settled: State | None = None

    @property
    def registered(self) -> t.Collection[tuple[str, int]]:
        """The addresses and ports that this run registered."""
        return self._call.registered

    def __call__(self, step: Step) -> None:
        """:raises Postponed: if a node must stay at its former port, because it is not healthy at the desired port yet."""
        if step.operation == LEAVE_FORMER_PORT:
            taken = self._taken_in()
            if not all((target["Id"], self._desired.port) in taken for target in step.arguments["Targets"]):
                raise Postponed
            step = dataclasses.replace(step, operation="DeregisterTargets")
        self._call(step)

    def settled(self, state: State) -> State:
        """The state once every desired target is healthy, or at the end of the timeout."""
        timeout = self._timeout if self._settled is None else 0
        return self._observer.settled(state, timeout=timeout, clock=self._clock)

    def _taken_in(self) -> set[tuple[str, int]]:
        if self._settled is None:
            self._settled = self.settled(self._observer())
        fine = (HEALTHY, *NEVER_HEALTHY)
        return {(target.ip, target.port) for target in self._settled.registered if target.health in fine}
