# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Long waits, with progress lines for the user.

Standard library only, Python 3.9 syntax: this file may also run on cluster nodes.
"""

from __future__ import annotations

import contextlib
import time
import typing as t

from .wait import Clock, wait_for

T = t.TypeVar("T")
Reason = t.TypeVar("Reason")

QUIET = 60.0
"""Seconds between two lines while the state does not change."""
FIRST = 5.0
"""Seconds before the first line, so that short waits print no lines."""
ANSWERS = 3
"""AWS may return a state from before a change, so an unexpected state counts only after this number of consecutive replies."""


class Progress:
    """Progress lines, in a file that the action plugin shows while the module runs. Without a path, no lines are written."""

    def __init__(self, path: str | None, *, now: t.Callable[[], float] = time.monotonic) -> None:
        self.path = path
        self.now = now
        self.begin("")

    def begin(self, subject: str) -> None:
        self.subject, self.began, self.shown, self.shown_at = subject, self.now(), "", 0.0

    def see(self, state: str) -> None:
        """Print a new state immediately, and an unchanged state at intervals."""
        elapsed = self.now() - self.began
        if elapsed < FIRST or (state == self.shown and elapsed - self.shown_at < QUIET):
            return
        self.shown, self.shown_at = state, elapsed
        self.say(f"{self.subject} is {state} after {elapsed:.0f} s")

    def say(self, line: str) -> None:
        """Print the line immediately."""
        if self.path is not None:
            # A progress line that cannot be written must not end the wait.
            with contextlib.suppress(OSError), open(self.path, "a", encoding="utf-8") as file:
                file.write(f"{line}\n")


class Waits:
    """The timeout and interval of a module's waits, and their progress lines."""

    def __init__(
        self, *, timeout: float, interval: float, progress: Progress | None = None, clock: Clock = Clock()
    ) -> None:
        self.timeout = timeout
        self.interval = interval
        self.progress = progress or Progress(None)
        self.clock = clock

    def until(
        self,
        look: t.Callable[[], T],
        *,
        done: t.Callable[[T], bool],
        subject: str,
        failed: t.Callable[[T], str | None] = lambda seen: None,
        state: t.Callable[[T], str] = str,
    ) -> T:
        """
        :raises WaitTimeout: with the last state.
        :raises WaitFailed: as soon as ``failed`` returns a reason.
        """
        self.progress.begin(subject)

        def looked() -> tuple[T, bool]:
            """Call ``done`` exactly once for each read, because ``done`` may count its calls."""
            seen = look()
            ended = done(seen)
            if not ended:
                self.progress.see(state(seen))
            return seen, ended

        return wait_for(
            looked,
            done=lambda each: each[1],
            failed=lambda each: failed(each[0]),
            subject=subject,
            timeout=self.timeout,
            interval=self.interval,
            state=lambda each: state(each[0]),
            clock=self.clock,
        )[0]


def repeated(judge: t.Callable[[T], Reason | None], answers: int = ANSWERS) -> t.Callable[[T], Reason | None]:
    """A function that returns the reason of ``judge`` only if ``judge`` returned reasons for ``answers`` consecutive replies."""
    count = 0

    def judged(seen: T) -> Reason | None:
        nonlocal count
        reason = judge(seen)
        count = count + 1 if reason else 0
        return reason if count >= answers else None

    return judged
