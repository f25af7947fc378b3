# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The plan to acquire, renew or release the lock."""

from __future__ import annotations

import typing as t
from dataclasses import replace

from .._core.failure import refuse_option
from .._core.plan import Change, Plan, Step
from .._core.times import moment_of
from .model import Claim, Desired, Locks

ACQUIRE = "PutParameter"
OVERWRITE = "PutParameter (overwrite)"


def plan(desired: Desired, locks: Locks, *, claim: t.Callable[[], Claim]) -> Plan:
    """:param claim: returns the claim that this run would write now."""
    if desired.state == "present":
        return plan_acquire(locks, claim(), force=desired.force)
    if desired.state == "absent":
        return plan_release(locks, desired.token, force=desired.force, generation=desired.generation)
    return Plan()


def plan_acquire(locks: Locks, wanted: Claim, *, force: bool) -> Plan:
    """Acquire the lock unless another run holds it. If this run holds it, renew it after half of its lifetime."""
    holder = locks.holder
    if holder is not None and holder[1].token == wanted.token:
        return _renewal(locks, holder, wanted)
    notes: tuple[str, ...] = ()
    if holder is not None:
        number, theirs = holder
        if number in locks.gone:
            notes = (f"The run of {theirs.owner} that acquired the lock at {theirs.acquired} ended without releasing it.",)
        elif force:
            notes = (f"The lock that {theirs.owner} acquired at {theirs.acquired} is taken over because force is set.",)
        else:
            return Plan()
    number = locks.top + 1
    change = Change("create", f"lock {locks.path}/{number}", "owner", None, wanted.owner)
    return Plan(steps=(_put(ACQUIRE, number, wanted, change),), notes=notes)


def _renewal(locks: Locks, held: tuple[int, Claim], wanted: Claim) -> Plan:
    number, ours = held
    half = moment_of(wanted.expires) - (moment_of(wanted.expires) - moment_of(wanted.acquired)) / 2
    if moment_of(ours.expires) >= half:
        return Plan()
    change = Change("update", f"lock {locks.path}/{number}", "expires", ours.expires, wanted.expires)
    return Plan(steps=(_put(OVERWRITE, number, replace(ours, expires=wanted.expires), change),))


def plan_release(locks: Locks, token: str | None, *, force: bool, generation: int | None = None) -> Plan:
    """Release the lock if this run holds it or if the holder's run has ended; with ``force``, release it in any case.

    :param generation: if given, the release is refused if the lock's current generation is a different one.
    """
    holder = locks.holder
    if holder is None:
        return Plan()
    if holder[1].token != token and holder[0] not in locks.gone and not force:
        return Plan()
    if generation is not None and holder[0] != generation:
        why = f"the current generation is {holder[0]}, held by {holder[1].owner}"
        refuse_option("generation", generation, "the current generation of the lock", why)
    number, claim = holder
    change = Change("delete", f"lock {locks.path}/{number}", "owner", claim.owner, None)
    return Plan(steps=(_put(OVERWRITE, number, replace(claim, released=True), change),))


def _put(operation: str, number: int, claim: Claim, change: Change) -> Step:
    return Step(
        operation,
        {"number": number, "claim": claim},
        (change,),
        effect=lambda locks: locks.with_claim(number, claim),
    )
