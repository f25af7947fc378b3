# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Applies the plan of a cluster: makes each call, then waits until AWS has completed it.

A reply can get lost after the call took effect. botocore then repeats the call, and the second call fails because of the first.
The errors "already exists", "already deleted" and "is being changed" are therefore compared with the cluster, not reported.
"""

from __future__ import annotations

import re
import typing as t

from ..._aws.client import AwsError
from ..._core.failure import LostRace
from ..._core.plan import Change, Step
from ..._core.waits import repeated
from ..api import BUSY, NOT_FOUND, HyperPod
from ..waits import LAGGING
from .counts import Counts
from .model import LISTS, Desired, Found
from .observe import Observer
from .plan import left

TAKEN = "ResourceInUse"
ABOUT_SCRIPTS = re.compile(r"life.?cycle", re.IGNORECASE)
WAY = "Set source_s3_uri to a folder in S3, and on_create to a script in it. The script may do nothing (#!/bin/bash, exit 0)"


class Applier:
    """Applies the steps of one cluster. If ``observer`` waits, each step ends before the next begins."""

    def __init__(self, api: HyperPod, desired: Desired, observer: Observer, *, warn: t.Callable[[str], None]) -> None:
        self.api = api
        self.desired = desired
        self.observer = observer
        self.warn = warn

    def __call__(self, step: Step) -> None:
        if step.operation == "CreateCluster":
            self._create(step)
        elif step.operation == "UpdateCluster":
            self._update(step)
        elif step.operation == "DeleteCluster":
            self._tolerant(step.operation, step.arguments, BUSY, *NOT_FOUND)
            self.observer.until(lambda found: found is None, failed=self.observer.broken())
        else:
            self.api.call(step.operation, about=self.desired.resource, **step.arguments)

    def _create(self, step: Step) -> None:
        taken = self._tolerant(step.operation, step.arguments, TAKEN)
        found = self.observer.until(lambda found: found is not None and found.settled, failed=self.observer.broken())
        if taken and found is not None and left(self.desired, found):
            raise LostRace  # a different cluster with this name, created after the plan was made

    def _update(self, step: Step) -> None:
        """Checks only the changes of this step, because the plan may have a second step."""
        tolerated = () if self.observer.waits is None else (BUSY,)
        counts = self._counts(step.arguments)
        overtaken = self._tolerant(step.operation, _counted(step.arguments, counts), *tolerated)
        requested = {(change.resource, change.field) for change in step.changes}

        def undone(found: Found | None) -> tuple[Change, ...]:
            if found is None:
                return step.changes
            rest = left(self.desired, found) if found.settled else ()
            return tuple(change for change in rest if (change.resource, change.field) in requested)

        believed, broken = repeated(undone, LAGGING), self.observer.broken()

        def failed(found: Found | None) -> str | None:
            changes = believed(found)
            if changes and overtaken:
                raise LostRace  # a concurrent change: observe and plan again
            return self._rolled_back(found, changes) if changes else broken(found)

        def done(found: Found | None) -> bool:
            kept = found is None or overtaken or counts is None or counts.kept(found)
            return kept and found is not None and found.settled and not undone(found)

        try:
            seen = self.observer.until(done, failed=failed)
            if self.observer.waits is None:
                done(seen)
        finally:
            if counts is not None:
                counts.end()

    def _rolled_back(self, found: Found | None, changes: tuple[Change, ...]) -> str:
        if found is None:
            return "it was deleted while AWS was changing it; run again"
        parts = ", ".join(f"{each.resource}: {each.field}" if each.field else each.resource for each in changes)
        why = self.observer.explained(found, found.failure or "fix the cause and run again")
        return f"AWS rolled back a change ({parts}); {why}"

    def _counts(self, arguments: t.Mapping[str, t.Any]) -> Counts | None:
        """The current counts of groups without a declared count, which an autoscaler may be changing. None without such groups."""
        named = {
            name for groups in self.desired.groups.values() for name, group in groups.items() if "instance_count" in group
        }
        unnamed = {
            group["InstanceGroupName"] for _option, api, _table in LISTS for group in arguments.get(api, ())
        } - named
        found = self.observer.look() if unnamed else None
        return Counts(self.api, found, unnamed, self.warn) if found is not None else None

    def _tolerant(self, operation: str, arguments: t.Mapping[str, t.Any], *codes: str) -> bool:
        """Make the call. True if AWS refused it with one of these codes."""
        try:
            self.api.call(operation, about=self.desired.resource, **arguments)
        except AwsError as error:
            if error.code in codes:
                return True
            without = _without_scripts(arguments)
            if error.code != "ValidationException" or not without or not ABOUT_SCRIPTS.search(str(error)):
                raise
            lack = f"instance groups {', '.join(without)} have no life_cycle_config. {WAY}"
            raise AwsError(message=f"{operation} for {self.desired.resource} failed: {lack}", exception=error.exception) from error
        return False


def _without_scripts(arguments: t.Mapping[str, t.Any]) -> list[str]:
    return [group["InstanceGroupName"] for group in arguments.get("InstanceGroups", ()) if "LifeCycleConfig" not in group]


def _counted(arguments: t.Mapping[str, t.Any], counts: Counts | None) -> t.Mapping[str, t.Any]:
    """The arguments of the call, with the current counts."""
    if counts is None:
        return arguments
    lists = {api: [counts.sent(group) for group in arguments[api]] for _option, api, _table in LISTS if api in arguments}
    return {**arguments, **lists}
