# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Applies the plan of a file system: makes each call, then waits until FSx has created, changed or removed the file system."""

from __future__ import annotations

import typing as t

from ..._aws.client import Api, AwsError
from ..._aws.tag_steps import FSX
from ..._core.failure import LostRace
from ..._core.plan import Step
from ..._core.waits import repeated
from ..._hyperpod.waits import LAGGING
from .model import ACTION, AVAILABLE, DELETING, LIFECYCLE, UPDATE, Action, Desired, FileSystem
from .observe import NOT_FOUND, Observer
from .plan import REMOVE, left

REFUSED = "BadRequest"
"""FSx's error code for a wrong request, and for a request while another update is in progress."""


class Applier:
    """Applies the steps of one file system. If ``observer`` waits, each step ends before the next begins."""

    def __init__(self, fsx: Api, desired: Desired, observer: Observer) -> None:
        self.fsx = fsx
        self.desired = desired
        self.observer = observer

    def __call__(self, step: Step) -> None:
        if step.operation in FSX.operations:
            self._call(step)
        elif step.operation == "CreateFileSystem":
            self._create(step)
        elif step.operation == "DeleteFileSystem":
            self._delete(step)
        else:
            self._update(step)

    def _call(self, step: Step) -> dict[str, t.Any]:
        return self.fsx.call(step.operation, about=self.desired.resource, **step.arguments)

    def _create(self, step: Step) -> None:
        """Create the file system. The token makes FSx return an existing one if the reply to an earlier call was lost."""
        made = FileSystem.from_api(self._call(step)["FileSystem"])
        self.observer.made, self.observer.id = made, made.id
        self.observer.until(made.id, _is_available, failed=_broken)

    def _update(self, step: Step) -> None:
        key = step.arguments["FileSystemId"]
        before = self.observer.until(key, lambda seen: seen is None or seen.is_settled)
        if before is None:
            raise LostRace
        try:
            self._call(step)
        except AwsError as error:
            if error.code != REFUSED or self.observer.waits is None or not self._other_update(key, before):
                raise
            raise LostRace from None  # another caller's update began after the plan: observe and plan again
        wanted = {change.field: change.after for change in step.changes if change.field is not None}
        self.observer.until(
            key,
            lambda seen: seen is not None and seen.lifecycle == AVAILABLE and seen.is_settled and not left(wanted, seen),
            failed=_any(_failed_update(before, step.arguments), repeated(_gone_or_broken, LAGGING)),
        )

    def _other_update(self, key: str, before: FileSystem) -> bool:
        seen = self.observer.look(key)
        return seen is not None and bool(_new_updates(before, seen))

    def _delete(self, step: Step) -> None:
        key = step.arguments["FileSystemId"]
        try:
            self._call(step)
        except AwsError as error:
            if error.code != NOT_FOUND and not (error.code == REFUSED and self._is_going(key)):
                raise
        self.observer.until(key, lambda seen: seen is None, failed=repeated(_stays, LAGGING))
        if self.observer.waits is not None:
            self.observer.removed.add(key)

    def _is_going(self, key: str) -> bool:
        """Whether FSx is already deleting the file system, possibly because of our own call whose reply was lost."""
        seen = self.observer.look(key)
        return seen is None or seen.lifecycle == DELETING


def _is_available(seen: FileSystem | None) -> bool:
    return seen is not None and seen.lifecycle == AVAILABLE


def _broken(seen: FileSystem | None) -> str | None:
    """The next step if a new file system has failed."""
    if seen is None or seen.lifecycle not in LIFECYCLE.failed:
        return None
    return REMOVE if seen.failure else f"FSx gives no reason. {REMOVE}"


def _gone_or_broken(seen: FileSystem | None) -> str | None:
    if seen is None:
        return "it was removed during the update"
    return None if seen.lifecycle not in LIFECYCLE.failed else "the update did not complete. Correct the cause and run again"


def _stays(seen: FileSystem | None) -> str | None:
    if seen is None or seen.lifecycle == DELETING:
        return None
    return "FSx did not remove it. Correct the cause and run again"


def _new_updates(before: FileSystem, seen: FileSystem) -> list[Action]:
    """Updates that began after ``before`` was read."""
    old = {action.requested for action in before.actions if action.kind == UPDATE}
    return [action for action in seen.actions if action.kind == UPDATE and action.requested not in old]


def _failed_update(before: FileSystem, arguments: t.Mapping[str, t.Any]) -> t.Callable[[FileSystem | None], str | None]:
    """Why our own update failed; None if it has not failed."""
    asked = {name: value for name, value in arguments.items() if name != "FileSystemId"}

    def failed(seen: FileSystem | None) -> str | None:
        for action in _new_updates(before, seen) if seen is not None else ():
            if action.status in ACTION.failed and _includes(action.target, asked):
                reason = action.failure.rstrip(".") or "FSx gives no reason"
                return f"the update is {action.status}: {reason}. Correct the cause and run again"
        return None

    return failed


def _includes(values: t.Any, asked: t.Any) -> bool:
    """Whether the values of an action contain the values of the request."""
    if not isinstance(asked, dict):
        return bool(values == asked)
    return isinstance(values, dict) and all(_includes(values.get(name), each) for name, each in asked.items())


def _any(*reasons: t.Callable[[FileSystem | None], str | None]) -> t.Callable[[FileSystem | None], str | None]:
    """The first reason. Each function is called for each reply, because it may count them."""

    def failed(seen: FileSystem | None) -> str | None:
        return next((reason for reason in [each(seen) for each in reasons] if reason), None)

    return failed
