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

    @classmethod
    def of(cls, item: Object) -> Standing:
        found = (item.get("status") or {}).get("conditions") or ()
        return cls(
            {
                each["type"]: Condition(
                    each["status"], each.get("reason", ""), each.get("message", ""), each.get("lastTransitionTime", "")
                )
                for each in found
            }
        )

    def holds(self, condition: str) -> bool:
        return condition in self.conditions and self.conditions[condition].status == "True"

    @property
    def why_not_ready(self) -> str:
        """The first message of what does not hold; empty where all does."""
        wrong = [each for each in self.conditions.values() if each.status != "True"]
        return next((each.message or each.reason for each in wrong if each.message or each.reason), "")


def not_before(at: str, since: str) -> bool:
    """Of two moments as Kubernetes and AWS tell them; what has none is of now."""
    try:
        return moment_of(at) >= moment_of(since)
    except ValueError:
        return True
