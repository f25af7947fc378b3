# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Common parts of objects in Kubernetes: names, labels, conditions."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from .._core.times import moment_of

Object = t.Mapping[str, t.Any]
MANAGED_BY, US = "app.kubernetes.io/managed-by", "mlfleet.hyperpod"
"""The label of objects that this collection created, and its value."""


@dataclass(frozen=True)
class Condition:
    status: str
    """``True``, ``False`` or ``Unknown``."""
    reason: str
    message: str
    since: str
    generation: int | None = None
    """The object's generation that the condition describes; None if the condition does not report a generation."""


@dataclass(frozen=True)
class Meta:
    name: str
    created: str
    leaving: bool
    """Whether the object is being deleted."""
    labels: t.Mapping[str, str]

    @classmethod
    def of(cls, item: Object) -> Meta:
        meta = item["metadata"]
        return cls(meta["name"], meta.get("creationTimestamp", ""), "deletionTimestamp" in meta, meta.get("labels") or {})

    @property
    def managed(self) -> bool:
        return self.labels.get(MANAGED_BY) == US


@dataclass(frozen=True)
class Status:
    """The status of an object, from its conditions."""

    conditions: t.Mapping[str, Condition]
    generation: int = 0
    """The object's generation, which each change of its spec raises."""
    leaving: bool = False

    @classmethod
    def of(cls, item: Object) -> Status:
        meta, status = item["metadata"], item.get("status") or {}
        found = {
            each["type"]: Condition(
                each["status"],
                each.get("reason", ""),
                each.get("message", ""),
                each.get("lastTransitionTime", ""),
                each.get("observedGeneration", status.get("observedGeneration")),
            )
            for each in status.get("conditions") or ()
        }
        return cls(found, meta.get("generation") or 0, "deletionTimestamp" in meta)

    def holds(self, condition: str) -> bool:
        return condition in self.conditions and self.conditions[condition].status == "True"

    @property
    def ready(self) -> bool:
        """Whether the current generation is Ready. An object that is being deleted is never ready."""
        return self.holds("Ready") and not self.leaving and not self.outdated

    @property
    def outdated(self) -> bool:
        """Whether the object's controller has not processed the last change yet."""
        seen = self.conditions["Ready"].generation if "Ready" in self.conditions else None
        return seen is not None and seen < self.generation and not self.leaving

    @property
    def why_not_ready(self) -> str:
        """The reason, from the first condition that is not True and has one; empty if there is no such condition."""
        if self.leaving:
            return "it is being deleted"
        if self.outdated:
            return "its last change was not processed yet"
        wrong = [each for each in self.conditions.values() if each.status != "True"]
        return next((each.message or each.reason for each in wrong if each.message or each.reason), "")


def not_before(at: str, since: str) -> bool:
    """Whether ``at`` is the same as or later than ``since``; also true if one of these times is missing or invalid."""
    try:
        return moment_of(at) >= moment_of(since)
    except ValueError:
        return True
