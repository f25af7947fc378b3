# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Cordons and uncordons nodes, requests repairs from HyperPod, and waits until Pods end, kubelets are ready, or HyperPod acts."""

from __future__ import annotations

import dataclasses
import typing as t
import urllib.parse

from ..._core.converge import APPLIED
from ..._core.plan import Plan, Step
from ..._core.wait import WaitTimeout
from ..._core.waits import Waits
from ..client import Kubernetes, KubernetesError
from ..objects.model import US
from .labels import NODES
from .model import ASKED, UNCORDONED, Desired, State
from .observe import Observer
from .plan import at_work, nodes_of, not_ready, plan, unheard

BY_US = urllib.parse.urlencode({"fieldManager": US})
PASSING = 5
"""Consecutive failed reads after which a wait ends with the error."""


class Cordons:
    def __init__(self, kubernetes: Kubernetes, desired: Desired, waits: Waits) -> None:
        self.kubernetes = kubernetes
        self.desired = desired
        self.waits = waits
        self._observe = Observer(kubernetes)
        self._steps: list[Step] = []

    def planned(self) -> tuple[Plan, State]:
        """The planned changes, and the state after them.

        :raises Refused: as ``plan``. :raises KubernetesError:
        """
        state = self._observe()
        made = plan(self.desired, state)
        return made, made.after(state)

    def done(self) -> tuple[Plan, State]:
        """Apply the plan. Return the changes, and the state once the nodes are idle or ready, or the timeout ends.

        :raises Refused: as ``plan``.
        :raises KubernetesError: if the API server refuses a request, or does not reply for too long.
        :raises WaitTimeout: if HyperPod did not act in time.
        """
        state = self._changed(self.desired)
        if self.desired.state != UNCORDONED:
            state = self._waited(state)
        return Plan(tuple(self._steps)), state

    def _changed(self, desired: Desired) -> State:
        state = self._observe()
        made = plan(desired, state)
        for step in made.steps:
            self.kubernetes.merge(f"{NODES}/{step.arguments['node']}?{BY_US}", step.arguments["patch"])
            self._steps.append(step)
            APPLIED.extend(change.to_result() for change in step.changes)
        return t.cast(State, made.after(state))

    def _waited(self, last: State) -> State:
        again = dataclasses.replace(self.desired, refuses_pods=False)
        failed = 0

        def look() -> State:
            """Read the nodes. If the wait is for readiness, nodes that are new in Kubernetes are also cordoned."""
            nonlocal last, failed
            try:
                last = self._changed(again) if again.until_ready else self._observe()
                failed = 0
            except KubernetesError as error:
                failed += 1
                if not error.passes or failed >= PASSING:
                    raise
            return last

        count = len(self.desired.instance_ids)
        subject = "1 node" if count == 1 else f"at least one of {count} nodes"
        try:
            return self.waits.until(look, done=lambda seen: not self._lacks(seen), subject=subject, state=self._described)
        except WaitTimeout:
            if self.desired.state == ASKED:
                raise
            return last

    def _lacks(self, state: State) -> str:
        desired = self.desired
        if desired.state == ASKED:
            return unheard(nodes_of(desired, state))
        return not_ready(desired, state) if desired.until_ready else at_work(nodes_of(desired, state))

    def _described(self, state: State) -> str:
        waits = "waiting for HyperPod" if self.desired.state == ASKED else "not ready" if self.desired.until_ready else "not idle"
        return f"{waits} ({self._lacks(state)}; at most {self.waits.timeout:.0f} s)"
