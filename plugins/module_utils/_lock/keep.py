# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Keeps the lock of this run while a module works: renews the lock before it expires, and detects its loss.

The module does this between its calls to AWS, also during a wait. Renewals therefore stop when the module ends or dies, and
no further call is made after the loss was detected.
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
"""A single listing can be outdated, so the lock counts as lost only after this number of consecutive listings without it."""
ODD_PAUSE = 2.0


class LockKeeper:
    """Called before each call to AWS. Checks the lock once in ``LOOK_SECONDS``, and otherwise only reads the clock."""

    def __init__(
        self,
        observer: Observer,
        applier: Applier,
        held: tuple[int, Claim],
        *,
        renewed: t.Callable[[], Claim],
        clock: Clock = Clock(),
    ) -> None:
        """
        :param held: the generation and its claim.
        :param renewed: returns the claim that this run would write now.
        """
        self._observer = observer
        self._applier = applier
        self._number, self._claim = held
        self._renewed = renewed
        self._clock = clock
        self._next = clock.now() + LOOK_SECONDS
        self._looking = threading.Lock()

    def __call__(self) -> None:
        """
        :raises Refused: if this run no longer holds the lock.
        """
        if not self._looking.acquire(blocking=False):
            return  # called by this check itself, or by another thread during it
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
        subject = f"Lock {locks.path}/{self._number}, which this run acquired at {self._claim.acquired}, is lost"
        if locks.holder is not None:
            theirs = locks.holder[1]
            reason = f"{theirs.owner} acquired it at {theirs.acquired}"
        elif self._claim.expired(locks.now):
            reason = f"it expired at {self._claim.expires} while this run was suspended"
        else:
            reason = "it was released by force, or its parameter was deleted"
        return f"{subject}: {reason}. Nothing was changed after the loss was detected. Run again."
