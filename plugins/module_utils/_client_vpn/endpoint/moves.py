# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Steps towards the desired endpoint, their impact on users, and the deferred changes."""

from __future__ import annotations

import dataclasses
import itertools
import typing as t
from dataclasses import dataclass

from ..._core.finding import Finding, pending
from ..._core.plan import Change, Effect, Plan, Step
from .model import Desired, Endpoint, State
from .settings import CONNECTIONS, PROFILES

TOGETHER = "Together"
"""The name of the argument that contains the parts of a combined step. All parts are started before the first wait."""
SLOW = ("AssociateClientVpnTargetNetwork", "DisassociateClientVpnTargetNetwork")
"""Operations that take AWS minutes."""


@dataclass(frozen=True)
class Move(Step):
    """A step that may be deferred. ``cuts`` is its impact on users: ``CONNECTIONS``, ``PROFILES``, or empty for none."""

    cuts: str = ""


@dataclass(frozen=True)
class Deferred:
    """A deferred change, the people that it would disconnect, and whether it would make every profile useless."""

    change: Change
    disconnects: tuple[str, ...]
    profiles: bool

    def to_result(self) -> dict[str, t.Any]:
        return {**self.change.to_result(), "disconnects": list(self.disconnects), "profiles": self.profiles}

    @property
    def finding(self) -> Finding:
        what = f"{self.change.action} {self.change.resource}" + (f": {self.change.field}" if self.change.field else "")
        reasons = []
        if self.profiles:
            reasons.append("make every profile useless")
        if self.disconnects:
            reasons.append(f"disconnect {', '.join(self.disconnects)}")
        text = f"The change '{what}' is deferred, because it would {' and '.join(reasons)}."
        return pending("vpn-change-waits", text, subject=what)


@dataclass(frozen=True)
class EndpointPlan(Plan):
    """A plan with its deferred changes."""

    deferred: tuple[Deferred, ...] = ()


def sorted_out(
    moves: t.Iterable[Move], desired: Desired, state: State
) -> tuple[tuple[Move, ...], tuple[Deferred, ...]]:
    """The moves to make now, and the changes to defer.

    A reset of connections is harmless if no connections exist.
    """
    now: list[Move] = []
    later: list[Deferred] = []
    for move in moves:
        if desired.disruptive or not harms(move.cuts, state):
            now.append(move)
            continue
        profiles = move.cuts == PROFILES
        later.extend(Deferred(change, state.connected, profiles) for change in move.changes)
    return tuple(now), tuple(later)


def together(steps: t.Iterable[Step]) -> tuple[Step, ...]:
    """The steps. Consecutive steps of the same slow operation are combined."""
    joined: list[Step] = []
    for operation, group in itertools.groupby(steps, key=lambda step: step.operation):
        parts = tuple(group)
        if operation in SLOW and len(parts) > 1:
            changes = tuple(change for part in parts for change in part.changes)
            parts = (Step(operation, {TOGETHER: parts}, changes, Plan(parts).after),)
        joined.extend(parts)
    return tuple(joined)


def harms(cuts: str, state: State) -> bool:
    return cuts == PROFILES or (cuts == CONNECTIONS and bool(state.connected))


def of_endpoint(effect: t.Callable[[Endpoint], Endpoint]) -> Effect:
    """The effect on a state, from an effect on its endpoint."""
    return lambda state: dataclasses.replace(state, endpoint=effect(state.endpoint).in_order())
