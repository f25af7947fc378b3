# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Polls until a condition holds. botocore has no waiters for HyperPod, and its other waiters do not report the last state."""

from __future__ import annotations

import random
import time
import typing as t
from dataclasses import dataclass

from .failure import Failure

T = t.TypeVar("T")

FIRST_PAUSE = 0.5
"""Seconds."""


class WaitTimeout(Failure):
    """The timeout ended; ``last`` is the last state."""

    def __init__(self, subject: str, last: t.Any, timeout: float) -> None:
        super().__init__(f"{subject} is still {last} after {timeout:.0f} s")
        self.last = last


class WaitFailed(Failure):
    """The resource reached a state from which it cannot reach the desired one."""


@dataclass(frozen=True)
class Clock:
    """The poller's clock; tests pass a fake one."""

    now: t.Callable[[], float] = time.monotonic
    sleep: t.Callable[[float], None] = time.sleep
    jitter: t.Callable[[], float] = random.random


def wait_for(
    look: t.Callable[[], T],
    *,
    done: t.Callable[[T], bool],
    subject: str,
    timeout: float,
    interval: float,
    failed: t.Callable[[T], str | None] = lambda seen: None,
    state: t.Callable[[T], t.Any] = str,
    clock: Clock = Clock(),
) -> T:
    """Call ``look`` every ``interval`` seconds (plus up to a fifth of jitter) until ``done`` is true.

    The first pauses are shorter, so that short waits end early. A long wait therefore makes a few additional calls.
    ``failed`` returns the reason if the wait cannot succeed; ``state`` returns the text of the state for the message.
    """
    deadline = clock.now() + timeout
    pause = min(interval, FIRST_PAUSE)
    while True:
        seen = look()
        if done(seen):
            return seen
        reason = failed(seen)
        if reason:
            raise WaitFailed(f"{subject} is {state(seen)}: {reason}")
        if clock.now() >= deadline:
            raise WaitTimeout(subject, state(seen), timeout)
        clock.sleep(min(pause * (1 + clock.jitter() / 5), max(0.0, deadline - clock.now())))
        pause = min(interval, 2 * pause)
