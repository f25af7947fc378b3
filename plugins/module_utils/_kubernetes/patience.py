# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Requests that may fail for a while: the repeated reads of a wait, and individual requests."""

from __future__ import annotations

import typing as t

from .._core.wait import Clock
from .._core.waits import Waits
from .client import KubernetesError

PASSING = 5
"""Consecutive failed reads after which a wait ends with the error."""
TURNS, PAUSE = 3, 2.0
"""Attempts of an individual request, and seconds between two attempts."""
T = t.TypeVar("T")


class Patience(t.Generic[T]):
    """:param first: the state before the first read."""

    def __init__(self, look: t.Callable[[], T], first: T) -> None:
        self.look = look
        self.last = first
        self.silence: KubernetesError | None = None
        """The error of the last read, if that read failed."""
        self._failed = 0

    def __call__(self) -> T:
        """The current state, or after a failed read the last known one.

        :raises KubernetesError: for an error that is not transient, and after ``PASSING`` consecutive failed reads.
        """
        try:
            self.last, self.silence, self._failed = self.look(), None, 0
        except KubernetesError as error:
            self.silence = error
            self._failed += 1
            if not error.passes or self._failed >= PASSING:
                raise
        return self.last


def until(
    waits: Waits,
    look: t.Callable[[], T],
    *,
    done: t.Callable[[T], bool],
    subject: str,
    failed: t.Callable[[T], str | None] = lambda seen: None,
    state: t.Callable[[T], str],
) -> T:
    """Wait as ``Waits.until`` does. Failed reads are reported, but not passed to ``done`` and ``failed``.

    :raises KubernetesError: for an error that is not transient, and after ``PASSING`` consecutive failed reads.
    """
    looks: Patience[T | None] = Patience(look, None)

    def described(seen: T | None) -> str:
        if looks.silence is None:
            return state(t.cast(T, seen))
        why = str(looks.silence).rstrip(".")
        if seen is None:
            return f"not known yet ({why})"
        return f"{state(seen)} at the last successful read; a later read failed ({why})"

    found = waits.until(
        looks,
        done=lambda seen: looks.silence is None and done(t.cast(T, seen)),
        failed=lambda seen: failed(t.cast(T, seen)) if looks.silence is None else None,
        subject=subject,
        state=described,
    )
    return t.cast(T, found)


def answer(ask: t.Callable[[], T], clock: Clock) -> T:
    """The result of ``ask``, with some retries after transient errors.

    :raises KubernetesError: of the last attempt, or for an error that is not transient.
    """
    for _turn in range(TURNS - 1):
        try:
            return ask()
        except KubernetesError as error:
            if not error.passes:
                raise
        clock.sleep(PAUSE)
    return ask()
