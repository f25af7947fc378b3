# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The plan as a value: check mode returns it, diff mode prints it, tests compare it, and apply executes it.

Every module observes the current state, computes a plan without any I/O, and applies it step by step.
Standard library only, Python 3.9 syntax: this file also runs on cluster nodes.
"""

from __future__ import annotations

import hashlib
import typing as t
from dataclasses import dataclass, field

from .finding import Finding

T = t.TypeVar("T")

KNOWN_AFTER_APPLY = "(known after apply)"


@dataclass(frozen=True)
class Secret:
    """Placeholder for a value that must never be printed. Two secrets are equal if their fingerprints are equal."""

    fingerprint: str

    @classmethod
    def of(cls, text: str) -> Secret:
        return cls("SHA256:" + hashlib.sha256(text.encode()).hexdigest()[:16])

    def __str__(self) -> str:
        return f"(secret {self.fingerprint})"

    def __repr__(self) -> str:
        return repr(str(self))


@dataclass(frozen=True)
class Change:
    """One difference between the observed and the desired state, in a form that people can read."""

    action: str
    """``create``, ``update`` or ``delete``."""
    resource: str
    """Kind and name, for example ``target group hp-ml-0a1b2c3d``."""
    field: str | None = None
    before: t.Any = None
    after: t.Any = None

    def to_result(self) -> dict[str, t.Any]:
        return {
            "action": self.action,
            "resource": self.resource,
            "field": self.field,
            "before": _printable(self.before),
            "after": _printable(self.after),
        }


Effect = t.Callable[[t.Any], t.Any]


def _unchanged(state: t.Any) -> t.Any:
    return state


@dataclass(frozen=True)
class Step:
    """One operation, as data, and the changes that it makes."""

    operation: str
    """Name of the API operation or of the action on the node, for example ``ModifyTargetGroupAttributes``."""
    arguments: t.Mapping[str, t.Any]
    changes: tuple[Change, ...]
    effect: Effect = field(default=_unchanged, compare=False)
    """Predicts the state after the operation, from the state before the operation."""


@dataclass(frozen=True)
class Plan:
    """The steps that lead from the observed to the desired state."""

    steps: tuple[Step, ...] = ()
    predicted: t.Any = None
    notes: tuple[str | Finding, ...] = field(default=())
    """Texts for the operator, shown as warnings."""

    @property
    def changes(self) -> tuple[Change, ...]:
        return tuple(change for step in self.steps for change in step.changes)

    def __bool__(self) -> bool:
        return bool(self.steps)

    def after(self, state: t.Any) -> t.Any:
        """The state that is predicted after all steps; check mode returns it."""
        if self.predicted is not None:
            return self.predicted
        for step in self.steps:
            state = step.effect(state)
        return state

    def diff(self) -> dict[str, str]:
        """The ``before``/``after`` texts that ``--diff`` prints."""
        before, after = [], []
        for change in self.changes:
            subject = change.resource if change.field is None else f"{change.resource}: {change.field}"
            if change.action != "create":
                before.append(_diff_line(subject, change.before))
            if change.action != "delete":
                after.append(_diff_line(subject, change.after))
        return {"before": "".join(before), "after": "".join(after)}


def _printable(value: t.Any) -> t.Any:
    if isinstance(value, Secret):
        return str(value)
    if isinstance(value, t.Mapping):
        return {str(key): _printable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_printable(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted(_printable(item) for item in value)
    return value


def _diff_line(subject: str, value: t.Any) -> str:
    printable = _printable(value)
    return f"{subject}\n" if printable is None else f"{subject} = {printable}\n"
