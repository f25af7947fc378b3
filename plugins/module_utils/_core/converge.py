# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Observe, plan, apply: the way of every module that changes something.

Standard library only, Python 3.9 syntax: this file also runs on cluster nodes.
"""

from __future__ import annotations

import dataclasses
import typing as t
from dataclasses import dataclass

from .failure import Incomplete, LostRace, Postponed, Refused
from .plan import Plan, Step

T = t.TypeVar("T")

APPLIED: list[dict[str, t.Any]] = []
"""Changes that this process has made so far; an error result names them."""


class Module(t.Protocol):
    """What we use of AnsibleModule: neither way out returns."""

    params: dict[str, t.Any]
    check_mode: bool

    def warn(self, warning: str) -> None: ...

    def exit_json(self, **result: t.Any) -> t.NoReturn: ...

    def fail_json(self, msg: str, **result: t.Any) -> t.NoReturn: ...


@dataclass(frozen=True)
class Resource:
    """What one module manages, from its options on. State is whatever ``observe`` returns; nobody else looks into it."""

    observe: t.Callable[[], t.Any]
    """Read the state; changes nothing."""
    plan: t.Callable[[t.Any], Plan]
    """Compare the state with what is desired, without any I/O."""
    apply: t.Callable[[Step], None]
    """Do one step of the plan."""
    result: t.Callable[[t.Any], dict[str, t.Any]]
    """The module's return values for a state."""
    failed: t.Callable[[Exception], dict[str, t.Any]] = lambda error: {}
    """Return values beside ``msg`` and ``changes`` of a module that fails."""
    lost_race: str = ""
    """Why the module gives up when others were faster again and again; empty where no step can be overtaken."""
    tries: int = 3
    """How often it tries before."""


def converge(module: Module, resource: Resource) -> t.NoReturn:
    """Run one module: observe, plan, apply each step, observe again, exit.

    In check mode, and when there is nothing to do, nothing is applied, and the steps' effects tell the state. A failure
    while applying goes to the caller's error boundary, which names the steps that were done before it (``APPLIED``).
    A step that is ``Postponed`` counts for no change.
    """
    state = resource.observe()
    plan = resource.plan(state)
    for note in plan.notes:
        module.warn(str(note))
    if plan and not module.check_mode:
        plan = dataclasses.replace(plan, steps=tuple(_applied(plan.steps, resource.apply)))
        final = resource.observe()
    else:
        final = plan.after(state)
    module.exit_json(
        changed=bool(plan),
        changes=[change.to_result() for change in plan.changes],
        diff=plan.diff(),
        **resource.result(final),
    )


def _applied(steps: t.Iterable[Step], apply: t.Callable[[Step], None]) -> t.Iterator[Step]:
    for step in steps:
        try:
            apply(step)
        except Postponed:
            continue
        except Incomplete as error:
            APPLIED.extend(change.to_result() for change in error.done)
            raise
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
