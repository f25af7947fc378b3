# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""One step towards the wanted endpoint, what it cuts, and what the endpoint is after it."""

from __future__ import annotations

import dataclasses
import itertools
import typing as t
from dataclasses import dataclass

from ..._core.finding import Finding, pending
from ..._core.plan import Change, Step
from .model import Desired, Endpoint, Settings, State
from .settings import CONNECTIONS, PROFILES

Effect = t.Callable[[Endpoint], Endpoint]

TOGETHER = "Together"
"""Argument of a step that is several: all of them are begun before one is waited for."""
SLOW = ("AssociateClientVpnTargetNetwork", "DisassociateClientVpnTargetNetwork")
"""What takes AWS minutes, each."""


def unchanged(endpoint: Endpoint) -> Endpoint:
    return endpoint


@dataclass(frozen=True)
class Move:
    """A step with its effect. ``cuts`` is empty, or says what people lose by it."""

    step: Step
    effect: Effect = unchanged
    cuts: str = ""


@dataclass(frozen=True)
class Deferred:
    """A change that was kept back, and the people it would have disconnected."""

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
        return pending("vpn-change-waits", f"To {what} waits, since it would {' and '.join(reasons)}.", subject=what)


def sorted_out(
    moves: t.Iterable[Move], desired: Desired, state: State
) -> tuple[tuple[Move, ...], tuple[Deferred, ...]]:
    """The moves to make now, and the changes to keep back.

    What only resets connections is no harm where nobody is connected.
    """
    now: list[Move] = []
    later: list[Deferred] = []
    for move in moves:
        if desired.disruptive or not harms(move.cuts, state):
            now.append(move)
            continue
        profiles = move.cuts == PROFILES
        later.extend(Deferred(change, state.connected, profiles) for change in move.step.changes)
    return tuple(now), tuple(later)


def together(steps: t.Iterable[Step]) -> tuple[Step, ...]:
    """The steps, with those of one slow operation that follow each other as one."""
    joined: list[Step] = []
    for operation, group in itertools.groupby(steps, key=lambda step: step.operation):
        parts = tuple(group)
        if operation in SLOW and len(parts) > 1:
            changes = tuple(change for part in parts for change in part.changes)
            parts = (Step(operation, {TOGETHER: parts}, changes),)
        joined.extend(parts)
    return tuple(joined)


def harms(cuts: str, state: State) -> bool:
    return cuts == PROFILES or (cuts == CONNECTIONS and bool(state.connected))


def with_settings(values: Settings) -> Effect:
    return lambda endpoint: dataclasses.replace(endpoint, settings={**endpoint.settings, **values})
