# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""One writer a cluster: the lock as a value, and the plan to take or leave it.

Parameter Store can create a parameter only if it does not exist, and can't compare before it overwrites. So a lock is
a row of generations, ``.../lock/1``, ``.../lock/2``: whoever creates the next one has it. The holder is the highest
generation that is neither released nor expired. The top one is never deleted, so numbers only grow.

Times are the controllers' own. AWS refuses requests whose clock is more than five minutes off, which bounds the error.
"""

from __future__ import annotations

import datetime
import json
import typing as t
from dataclasses import dataclass, replace

from .._core.failure import Refused
from .._core.plan import Change, Plan, Step
from .._core.times import moment_of

_FIELDS = ("owner", "token", "host", "place", "pid", "started", "acquired", "expires", "released")
ACQUIRE = "PutParameter"
OVERWRITE = "PutParameter (overwrite)"


def lock_path(cluster_id: str) -> str:
    return f"/mlfleet/hyperpod/{cluster_id}/lock"


@dataclass(frozen=True)
class Claim:
    """What a parameter's value says: who took the lock, from where, and until when."""

    owner: str
    token: str
    host: str
    place: str
    pid: int
    started: int
    acquired: str
    expires: str
    released: bool = False

    @classmethod
    def from_json(cls, name: str, text: str) -> Claim:
        """
        :raises Refused: for a value that is no claim; it is named, and never overwritten.
        """
        try:
            data = json.loads(text)
            claim = cls(**{key: data[key] for key in _FIELDS})
            moment_of(claim.expires)
        except (ValueError, KeyError, TypeError) as error:
            raise Refused(f"Parameter {name} is not a lock of this collection; look at it and delete it.") from error
        return claim

    def to_json(self) -> str:
        return json.dumps(self.to_result(), sort_keys=True)

    def to_result(self) -> dict[str, t.Any]:
        return {key: getattr(self, key) for key in _FIELDS}

    def expired(self, now: datetime.datetime) -> bool:
        return moment_of(self.expires) <= now


@dataclass(frozen=True)
class Locks:
    """All generations of a cluster's lock, as they were at ``now``."""

    path: str
    now: datetime.datetime
    generations: tuple[tuple[int, Claim], ...] = ()
    gone: frozenset[int] = frozenset()
    """Generations whose run has certainly ended without releasing them."""

    @property
    def top(self) -> int:
        return max((number for number, _claim in self.generations), default=0)

    @property
    def holder(self) -> tuple[int, Claim] | None:
        """The highest generation that counts, whether or not its run has ended."""
        live = [each for each in self.generations if not each[1].released and not each[1].expired(self.now)]
        return max(live, key=lambda each: each[0], default=None)

    def held_by(self, token: str) -> bool:
        return self.holder is not None and self.holder[1].token == token

    def with_claim(self, number: int, claim: Claim) -> Locks:
        others = tuple(each for each in self.generations if each[0] != number)
        return replace(self, generations=(*others, (number, claim)))


def plan_acquire(locks: Locks, wanted: Claim, *, force: bool) -> Plan:
    """Take the lock unless somebody else's run holds it; renew our own once half of its time has passed."""
    holder = locks.holder
    if holder is not None and holder[1].token == wanted.token:
        number, ours = holder
        half = moment_of(wanted.expires) - (moment_of(wanted.expires) - moment_of(wanted.acquired)) / 2
        if moment_of(ours.expires) >= half:
            return Plan(predicted=locks)
        renewed = replace(ours, expires=wanted.expires)
        change = Change("update", f"lock {locks.path}/{number}", "expires", ours.expires, renewed.expires)
        return _plan(locks, OVERWRITE, number, renewed, change)
    notes: tuple[str, ...] = ()
    if holder is not None:
        number, theirs = holder
        if number in locks.gone:
            notes = (f"The run of {theirs.owner} that held the lock since {theirs.acquired} has ended without it.",)
        elif force:
            notes = (f"The lock that {theirs.owner} holds since {theirs.acquired} is taken by force.",)
        else:
            return Plan(predicted=locks)
    number = locks.top + 1
    change = Change("create", f"lock {locks.path}/{number}", "owner", None, wanted.owner)
    return _plan(locks, ACQUIRE, number, wanted, change, notes)


def plan_release(locks: Locks, token: str | None, *, force: bool, generation: int | None = None) -> Plan:
    """Give the lock back if it is ours or its run has ended, or with ``force`` whoever has it.

    :param generation: if it is held, it must be this one.
    """
    holder = locks.holder
    if holder is None:
        return Plan(predicted=locks)
    if holder[1].token != token and holder[0] not in locks.gone and not force:
        return Plan(predicted=locks)
    if generation is not None and holder[0] != generation:
        theirs = f"the lock that is held now is {holder[0]}, of {holder[1].owner}"
        raise Refused(f"generation: {generation} is not allowed; {theirs}. Nothing was changed.")
    number, claim = holder
    change = Change("delete", f"lock {locks.path}/{number}", "owner", claim.owner, None)
    return _plan(locks, OVERWRITE, number, replace(claim, released=True), change)


def _plan(
    locks: Locks, operation: str, number: int, claim: Claim, change: Change, notes: tuple[str, ...] = ()
) -> Plan:
    step = Step(operation, {"number": number, "claim": claim}, (change,))
    return Plan(steps=(step,), predicted=locks.with_claim(number, claim), notes=notes)
