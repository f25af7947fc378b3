# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The poller, with a simulated clock."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import (
    Clock,
    WaitFailed,
    WaitTimeout,
    wait_for,
)


class Watched:
    """A state that changes with time, and the pauses between reads."""

    def __init__(self, ready_after: float) -> None:
        self.time, self.ready_after = 0.0, ready_after
        self.pauses: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.time += seconds

    def wait(self, **options):
        clock = Clock(now=lambda: self.time, sleep=self.sleep, jitter=lambda: 0.0)
        settings = {"done": lambda seen: seen == "active", "subject": "it", "timeout": 60, "interval": 3.0}
        return wait_for(self.look, clock=clock, **{**settings, **options})

    def look(self) -> str:
        return "active" if self.time >= self.ready_after else "provisioning"


def test_a_state_that_is_ready_needs_no_pause():
    watched = Watched(0)
    assert watched.wait() == "active" and watched.pauses == []


def test_pauses_grow_to_the_interval():
    watched = Watched(9)
    assert watched.wait() == "active" and watched.pauses == [0.5, 1.0, 2.0, 3.0, 3.0]


def test_the_last_pause_ends_at_the_deadline_and_the_error_has_the_last_state():
    watched = Watched(100)
    with pytest.raises(WaitTimeout, match="it is still provisioning after 5 s"):
        watched.wait(timeout=5)
    assert sum(watched.pauses) == 5


def test_a_terminal_state_ends_the_wait_at_once():
    watched = Watched(100)
    with pytest.raises(WaitFailed, match="it is provisioning: never"):
        watched.wait(failed=lambda seen: "never")
    assert watched.pauses == []
