# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Keeps a lock of this run while a module works: renews it in time, and detects its loss.

The module does this between its calls to AWS, including those of a wait. So renewals stop when the module
ends or dies, and no further call is made after the lock was lost.
"""

from __future__ import annotations

import threading
import typing as t

from .._aws.client import AwsError
from .._core.failure import Refused
from .._core.times import moment_of
from .._core.wait import Clock
from .apply import Applier
from .model import Claim, Locks
from .observe import Observer
from .plan import plan_acquire

LOOK_SECONDS = 60.0
ODD_ANSWERS = 3
"""So many listings without the lock, or any later one, are believed; a single one may lag behind."""
ODD_PAUSE = 2.0


class LockKeeper:
    """Called before each call to AWS; mostly it only reads the clock."""

    def __init__(
        self,
        observer: Observer,
        applier: Applier,
        held: tuple[int, Claim],
        *,
        renewed: t.Callable[[], Claim],
        clock: Clock = Clock(),
    ) -> None:
        """``held``: the generation and its claim. ``renewed``: what this run would claim now."""
        self._observer = observer
        self._applier = applier
        self._number, self._claim = held
        self._renewed = renewed
        self._clock = clock
        self._next = clock.now() + LOOK_SECONDS
        self._looking = threading.Lock()

    def __call__(self) -> None:
        """
        :raises Refused: if another run or no run holds the lock now.
        """
        if not self._looking.acquire(blocking=False):
            return  # the look's own calls, or those of other threads meanwhile
        try:
            if self._clock.now() >= self._next:
                self._look()
                self._next = self._clock.now() + LOOK_SECONDS
        finally:
            self._looking.release()

    def _look(self) -> None:
        wanted = self._renewed()
        try:
            locks = self._observed()
            if not locks.held_by(wanted.token):
                raise Refused(self._lost(locks))
            for step in plan_acquire(locks, wanted, force=False).steps:
                self._applier(step)
                self._claim = step.arguments["claim"]
        except AwsError:
            if self._claim.expired(moment_of(wanted.acquired)):
                raise

    def _observed(self) -> Locks:
        for _try in range(ODD_ANSWERS - 1):
            locks = self._observer()
            if locks.top >= self._number:
                return locks
            self._clock.sleep(ODD_PAUSE)
        return self._observer()

    def _lost(self, locks: Locks) -> str:
        subject = f"Lock {locks.path}/{self._number}, which this run held since {self._claim.acquired}, is lost"
        if locks.holder is not None:
            theirs = locks.holder[1]
            reason = f"{theirs.owner} has taken it by force at {theirs.acquired}"
        elif self._claim.expired(locks.now):
            reason = f"it expired at {self._claim.expires}, while this run was suspended"
        else:
            reason = "it was released by force"
        return f"{subject}: {reason}. Nothing was changed after the loss was detected; run again."
