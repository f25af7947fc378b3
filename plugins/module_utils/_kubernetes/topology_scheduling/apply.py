# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Writes the file of Kueue's manager, restarts the manager, and restores the file if the manager does not become ready."""

from __future__ import annotations

import datetime
import typing as t
import urllib.parse

from ..._core.converge import APPLIED
from ..._core.failure import Failure, LostRace
from ..._core.plan import Plan
from ..._core.wait import WaitFailed, WaitTimeout
from ..._core.waits import Waits
from ..client import CONFLICT, Kubernetes, KubernetesError, Object
from ..kueue import BEFORE, FILE, MANAGER
from ..objects.model import US
from .model import Desired, Manager, State
from .observe import RESTARTED, observe
from .plan import RESOURCE, WRITE, plan

BY_US = urllib.parse.urlencode({"fieldManager": US})


class Switch:
    """:param seen: called with each state from which a plan is made."""

    def __init__(self, kubernetes: Kubernetes, desired: Desired, waits: Waits, seen: t.Callable[[State], object]) -> None:
        self.seen = seen
        self.kubernetes = kubernetes
        self.desired = desired
        self.waits = waits

    def planned(self) -> tuple[Plan, State]:
        """The planned changes, and the state after them.

        :raises Refused: as ``plan``. :raises KubernetesError:
        """
        state = observe(self.kubernetes)
        self.seen(state)
        made = plan(self.desired, state)
        return made, made.after(state)

    def done(self) -> tuple[Plan, State]:
        """Apply the plan. Return the changes, and the state once Kueue's manager is ready.

        :raises Refused: as ``plan``. :raises KubernetesError:
        :raises LostRace: if the file was changed concurrently.
        :raises Failure: if the manager did not become ready. The file is then restored, unless it was changed concurrently.
        """
        made, state = self.planned()
        if not made:
            if state.manager and state.manager.not_up:
                self._until_up()
            return made, state
        for step in made.steps:
            if step.operation == WRITE:
                self._write(**step.arguments)
            else:
                self._restart()
            APPLIED.extend(change.to_result() for change in step.changes)
        try:
            self._until_up()
        except (WaitFailed, WaitTimeout) as error:
            self._put_back(error, **made.steps[-1].arguments)
        self._forget()
        return made, observe(self.kubernetes)

    def _write(self, text: str, before: str, version: str) -> None:
        """Write the file. The API server refuses the change if the file has changed since it was read."""
        meta = {"resourceVersion": version, "annotations": {BEFORE: before}}
        self._merge(FILE, {"metadata": meta, "data": {self._manager().key: text}})

    def _forget(self) -> None:
        if self._manager().before is not None:
            self._merge(FILE, {"metadata": {"annotations": {BEFORE: None}}})

    def _restart(self) -> None:
        now = datetime.datetime.now(datetime.timezone.utc).isoformat()
        self._merge(MANAGER, {"spec": {"template": {"metadata": {"annotations": {RESTARTED: now}}}}})

    def _merge(self, path: str, patch: Object) -> None:
        try:
            self.kubernetes.merge(f"{path}?{BY_US}", patch)
        except KubernetesError as error:
            if error.status == CONFLICT:
                raise LostRace from None
            raise

    def _manager(self) -> Manager:
        manager = observe(self.kubernetes).manager
        if manager is None:
            raise Failure(f"{RESOURCE} was removed during the run.")
        return manager

    def _until_up(self) -> None:
        self.waits.until(
            self._manager,
            done=lambda seen: not seen.not_up,
            failed=lambda seen: seen.crashed or None,
            subject=RESOURCE,
            state=lambda seen: f"not ready ({seen.not_up}; at most {self.waits.timeout:.0f} s)",
        )

    def _put_back(self, error: Failure, text: str, before: str) -> None:
        """:raises Failure: always, with the state of the file."""
        if text == before:
            raise Failure(f"{error}. This run had not changed the manager's file. Correct the file by hand.") from error
        there = self._manager()
        if there.text != text:
            problem = "The manager's file was changed concurrently and was not restored"
            raise Failure(f"{error}. {problem}. Correct the file by hand.") from error
        self._write(before, before, there.resource_version)
        self._restart()
        try:
            self._until_up()
        except (WaitFailed, WaitTimeout) as again:
            raise Failure(
                f"{error}. The manager's file was restored, but the manager does not become ready: {again}. "
                "The next run continues from this state."
            ) from again
        self._forget()
        raise Failure(f"{error}. The manager's file was restored and the manager is ready again. Nothing has changed.") from error
