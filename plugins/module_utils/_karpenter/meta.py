# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""What all objects in Kubernetes have: a name, labels, conditions."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from .._core.times import moment_of

Object = t.Mapping[str, t.Any]
MANAGED_BY, US = "app.kubernetes.io/managed-by", "mlfleet.hyperpod"
"""Label of what this collection made, and its value."""


@dataclass(frozen=True)
class Condition:
    status: str
    """``True``, ``False`` or ``Unknown``."""
    reason: str
    message: str
    since: str
    generation: int | None = None
    """Of the object as it was when this was said of it; None where nobody tells."""


@dataclass(frozen=True)
class Meta:
    name: str
    created: str
    leaving: bool
    """Deleted, and not gone yet."""
    labels: t.Mapping[str, str]

    @classmethod
    def of(cls, item: Object) -> Meta:
        meta = item["metadata"]
        return cls(meta["name"], meta.get("creationTimestamp", ""), "deletionTimestamp" in meta, meta.get("labels") or {})

    @property
    def ours(self) -> bool:
        return self.labels.get(MANAGED_BY) == US


@dataclass(frozen=True)
class Standing:
    """What an object's conditions say."""

    conditions: t.Mapping[str, Condition]
    generation: int = 0
    """Of the object, which each change of what is asked for raises."""
    leaving: bool = False

    @classmethod
    def of(cls, item: Object) -> Standing:
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
        """As it is asked for now: what was Ready before its last change is not, nor what is leaving."""
        return self.holds("Ready") and not self.leaving and not self.outdated

    @property
    def outdated(self) -> bool:
        """Whoever works for it has not looked at its last change yet."""
        seen = self.conditions["Ready"].generation if "Ready" in self.conditions else None
        return seen is not None and seen < self.generation and not self.leaving

    @property
    def why_not_ready(self) -> str:
        """The first message of what does not hold; empty where all does."""
        if self.leaving:
            return "it is being deleted"
        if self.outdated:
            return "its last change was not looked at yet"
        wrong = [each for each in self.conditions.values() if each.status != "True"]
        return next((each.message or each.reason for each in wrong if each.message or each.reason), "")


def not_before(at: str, since: str) -> bool:
    """Of two moments as Kubernetes and AWS tell them; what has none is of now."""
    try:
        return moment_of(at) >= moment_of(since)
    except ValueError:
        return True
