# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Waits until our device plugins work on all ready nodes that need them."""

from __future__ import annotations

from ..._core.failure import Failure
from ..._core.plan import Step
from ..._core.wait import WaitTimeout
from ..._core.waits import Waits
from ..client import Kubernetes
from ..objects.apply import Applier
from ..patience import until
from .model import Desired, State
from .observe import Observer
from .plan import plan
from .readiness import awaited, named, progress


class Rollout:
    """:param waits: None to wait for nothing."""

    def __init__(self, kubernetes: Kubernetes, desired: Desired, waits: Waits | None) -> None:
        self.desired = desired
        self.waits = waits
        self._observer = Observer(kubernetes, desired, waits=waits)
        self._applier = Applier(kubernetes)
        self._applied = False

    def observe(self) -> State:
        """Read the state. Also wait until the plugins work, unless the plan has steps that were not applied yet.

        :raises KubernetesError: also if the caller may not list an object.
        :raises Refused: as ``plan``.
        :raises Failure: if the plugins do not work in time.
        """
        state = self._observer()
        if self.waits is None or not self.desired.present or not (self._applied or not plan(self.desired, state)):
            return state
        last = state

        def look() -> State:
            nonlocal last
            last = self._observer.rollout(state)
            return last

        try:
            subject = "the rollout of the device plugins"
            return until(self.waits, look, done=lambda seen: not awaited(seen), subject=subject, state=progress)
        except WaitTimeout as error:
            raise Failure(
                f"{error}. Nodes without a working plugin: {named(awaited(last))}. Read the events and the logs of the Pods, then "
                "run again."
            ) from error

    def apply(self, step: Step) -> None:
        """:raises KubernetesError:"""
        self._applier(step)
        self._applied = True
