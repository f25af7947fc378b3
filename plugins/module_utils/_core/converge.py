# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Observe, plan, apply: the procedure of every module that changes something.

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
"""Changes that this process has made so far; the result of a failed module lists them."""


class Module(t.Protocol):
    """The part of AnsibleModule that this collection uses. ``exit_json`` and ``fail_json`` do not return."""

    params: dict[str, t.Any]
    check_mode: bool

    def warn(self, warning: str) -> None: ...

    def exit_json(self, **result: t.Any) -> t.NoReturn: ...

    def fail_json(self, msg: str, **result: t.Any) -> t.NoReturn: ...


@dataclass(frozen=True)
class Resource:
    """The resource that one module manages. ``observe`` returns a state, which only the other functions read."""

    observe: t.Callable[[], t.Any]
    """Read the state, without changes."""
    plan: t.Callable[[t.Any], Plan]
    """Compare the observed with the desired state, without I/O."""
    apply: t.Callable[[Step], None]
    """Execute one step of the plan."""
    result: t.Callable[[t.Any], dict[str, t.Any]]
    """The module's return values for a state."""
    failed: t.Callable[[Exception], dict[str, t.Any]] = lambda error: {}
    """More return values for a failed module, in addition to ``msg`` and ``changes``."""
    lost_race: str = ""
    """Message if every try loses a race against concurrent changes; empty if no step can lose a race."""
    tries: int = 3
    """Maximum number of tries."""


def converge(module: Module, resource: Resource) -> t.NoReturn:
    """Run one module: observe, plan, apply each step, observe again, exit.

    In check mode, or if the plan is empty, no step is applied. The effects of the steps then predict the final state.
    If a step fails, the exception reaches the caller's error boundary, which lists the completed steps (``APPLIED``).
    A ``Postponed`` step does not count as a change.
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
    """Call ``body``, which observes, plans and applies. After a lost race, call it again, up to ``tries`` times in all.

    :raises Refused: with ``message``, if every try loses a race.
    """
    for _try in range(tries):
        try:
            return body()
        except LostRace:
            continue
    raise Refused(message)
