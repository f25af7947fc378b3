# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Walks a plan of a cluster: each call, and then the wait until AWS has done what it says.

A reply can get lost after the call took effect: botocore then calls again, and the second call finds what the first one did.
So an answer that says "is there already", "is gone already" or "is being changed" is looked into, not reported.
"""

from __future__ import annotations

import typing as t

from ..._aws.client import AwsError
from ..._core.failure import Failure, LostRace
from ..._core.plan import Step
from ..._core.settings import has
from ..api import NOT_FOUND, HyperPod
from .model import LISTS, Desired, Found
from .observe import Observer
from .table import CLUSTER

BUSY = "ConflictException"
TAKEN = "ResourceInUse"


class RolledBack(Failure):
    """AWS took a change back, and the cluster is as it was before."""


class Applier:
    """Applies the steps of one cluster; where ``observer`` waits, until each of them has ended."""

    def __init__(self, api: HyperPod, desired: Desired, observer: Observer) -> None:
        self.api = api
        self.desired = desired
        self.observer = observer
        self.gone: frozenset[str] = frozenset()
        """Groups that the plan removes."""

    def __call__(self, step: Step) -> None:
        arguments = dict(step.arguments)
        self.gone = self.gone.union(arguments.get("InstanceGroupsToDelete", ()))
        if step.operation == "UpdateCluster":
            self._update(arguments)
        elif step.operation == "CreateCluster":
            self._tolerant(step.operation, arguments, TAKEN)
            self.observer.settled()
        elif step.operation == "DeleteCluster":
            self._tolerant(step.operation, arguments, BUSY, *NOT_FOUND)
            self.observer.settled()
        else:
            self._call(step.operation, arguments)

    def _update(self, arguments: dict[str, t.Any]) -> None:
        self._with_counts_of_now(arguments)
        try:
            self._call("UpdateCluster", arguments)
        except AwsError as error:
            if error.code != BUSY or self.observer.waits is None:
                raise
            found = self.observer.settled()
            if found is None or not self._is_as_wanted(found):
                raise LostRace from None  # somebody else's change: look again, and plan again
            return
        found = self.observer.settled()
        if found is not None and self.observer.waits is not None and not self._is_as_wanted(found):
            raise RolledBack(
                f"{self.desired.resource} is not as it was asked for: AWS rolled the change back. {found.failure}".rstrip()
            )

    def _with_counts_of_now(self, arguments: dict[str, t.Any]) -> None:
        """A group whose count nobody named gets the one that it has at this moment: an autoscaler may have changed it."""
        named = {
            name for groups in self.desired.groups.values() for name, group in groups.items() if "instance_count" in group
        }
        kept = [group for _o, api, _t in LISTS for group in arguments.get(api, ()) if group["InstanceGroupName"] not in named]
        if not kept:
            return
        found = self.observer.look()
        for group in kept:
            now = found.progress.get(group["InstanceGroupName"]) if found else None
            group["InstanceCount"] = now.target if now else group["InstanceCount"]

    def _is_as_wanted(self, found: Found) -> bool:
        gone = found.groups_now.isdisjoint(self.gone)
        groups = gone and all(
            name in found.groups[option] and has(table, found.groups[option][name], group)
            for option, _api, table in LISTS
            for name, group in self.desired.groups.get(option, {}).items()
        )
        return groups and has(CLUSTER, found.settings, self.desired.settings)

    def _tolerant(self, operation: str, arguments: dict[str, t.Any], *codes: str) -> None:
        try:
            self._call(operation, arguments)
        except AwsError as error:
            if error.code not in codes:
                raise

    def _call(self, operation: str, arguments: dict[str, t.Any]) -> None:
        self.api.call(operation, about=self.desired.resource, **arguments)
