# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The plan as a value: what check mode returns, diff mode prints, tests compare and apply walks.

Every module observes the current state, computes a plan without any I/O, and applies it step by step.
Standard library only, Python 3.9 syntax: this file also runs on cluster nodes.
"""

from __future__ import annotations

import dataclasses
import hashlib
import typing as t
from dataclasses import dataclass, field

T = t.TypeVar("T")

KNOWN_AFTER_APPLY = "(known after apply)"


@dataclass(frozen=True)
class Secret:
    """Stands for a value that must never be printed; two secrets are equal when their fingerprints are."""

    fingerprint: str

    @classmethod
    def of(cls, text: str) -> Secret:
        return cls("SHA256:" + hashlib.sha256(text.encode()).hexdigest()[:16])

    def __str__(self) -> str:
        return f"(secret {self.fingerprint})"


@dataclass(frozen=True)
class Change:
    """One difference between what is and what is wanted, in words that a person can read."""

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


@dataclass(frozen=True)
class Step:
    """One operation, as data, and the changes that it brings about."""

    operation: str
    """Name of the API operation or of the action on the node, for example ``ModifyTargetGroupAttributes``."""
    arguments: t.Mapping[str, t.Any]
    changes: tuple[Change, ...]


@dataclass(frozen=True)
class Plan:
    """The steps that lead from the observed to the desired state, and the state they lead to."""

    steps: tuple[Step, ...] = ()
    predicted: t.Any = None
    notes: tuple[str, ...] = field(default=())
    """Sentences for the person who reads the result, shown as warnings."""

    @property
    def changes(self) -> tuple[Change, ...]:
        return tuple(change for step in self.steps for change in step.changes)

    def __bool__(self) -> bool:
        return bool(self.steps)

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


class Refused(Exception):
    """Input that is wrong in itself or against the observed state; raised before anything changes."""


class LostRace(Exception):
    """Somebody else made what we were about to make, between our look and our attempt."""


class Postponed(Exception):
    """A step that can't be done yet. It changed nothing, the steps after it go on, and a later run does it."""


def refuse_option(option: str, value: t.Any, allowed: str) -> t.NoReturn:
    """Refuse ``value`` for ``option`` in the one form of words that all modules use."""
    raise Refused(f"{option}: {_quoted(value)} is not allowed; {allowed}.")


class Module(t.Protocol):
    """What we use of AnsibleModule: neither way out returns."""

    params: dict[str, t.Any]
    check_mode: bool

    def warn(self, warning: str) -> None: ...

    def exit_json(self, **result: t.Any) -> t.NoReturn: ...

    def fail_json(self, msg: str, **result: t.Any) -> t.NoReturn: ...


def converge(
    module: Module,
    *,
    observe: t.Callable[[], t.Any],
    plan: t.Callable[[t.Any], Plan],
    apply: t.Callable[[Step], None],
    describe: t.Callable[[t.Any], dict[str, t.Any]],
) -> t.NoReturn:
    """Run one module: observe, plan, apply each step, observe again, exit.

    In check mode, and when there is nothing to do, nothing is applied. A failure while applying is reported by the
    caller's error boundary, which names the steps that were done before it (``APPLIED``). A step that is ``Postponed``
    counts for no change.
    """
    the_plan = plan(observe())
    for note in the_plan.notes:
        module.warn(note)
    if the_plan and not module.check_mode:
        the_plan = dataclasses.replace(the_plan, steps=tuple(_applied(the_plan.steps, apply)))
        final = observe()
    else:
        final = the_plan.predicted
    module.exit_json(
        changed=bool(the_plan),
        changes=[change.to_result() for change in the_plan.changes],
        diff=the_plan.diff(),
        **describe(final),
    )


def _applied(steps: t.Iterable[Step], apply: t.Callable[[Step], None]) -> t.Iterator[Step]:
    for step in steps:
        try:
            apply(step)
        except Postponed:
            continue
        APPLIED.extend(change.to_result() for change in step.changes)
        yield step


def retried(body: t.Callable[[], T], *, message: str, tries: int = 3) -> T:
    """Look again, and plan again, while others are faster.

    :raises Refused: with the message, if that goes on.
    """
    for _try in range(tries):
        try:
            return body()
        except LostRace:
            continue
    raise Refused(message)


APPLIED: list[dict[str, t.Any]] = []
"""Changes that this process has made so far; an error result names them."""


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


def _quoted(value: t.Any) -> str:
    return repr(str(value)) if isinstance(value, Secret) else repr(value)


def _diff_line(subject: str, value: t.Any) -> str:
    printable = _printable(value)
    return f"{subject}\n" if printable is None else f"{subject} = {printable}\n"
