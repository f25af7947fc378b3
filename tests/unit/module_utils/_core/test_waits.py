# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Waits that report their progress, with a simulated clock."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock, WaitFailed
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import QUIET, Progress, Waits, repeated


class Time:
    def __init__(self) -> None:
        self.now = 0.0

    def pass_(self, seconds: float) -> None:
        self.now += seconds


def waits(time: Time, path: Path | None = None) -> Waits:
    progress = Progress(str(path) if path else None, now=lambda: time.now)
    clock = Clock(now=lambda: time.now, sleep=time.pass_, jitter=lambda: 0.0)
    return Waits(timeout=600, interval=20, progress=progress, clock=clock)


def test_each_state_is_judged_once() -> None:
    """A judgement may have side effects, such as a counter."""
    states = iter(range(10))
    judged: list[int] = []
    waits(Time()).until(lambda: next(states), done=lambda seen: judged.append(seen) or seen == 3, subject="it")
    assert judged == [0, 1, 2, 3]


def test_progress_is_reported_for_new_states_and_then_at_intervals(tmp_path: Path) -> None:
    """Nothing is reported in the first seconds."""
    time, path = Time(), tmp_path / "progress"
    states = iter(["Creating"] * 12 + ["Updating", "InService"])
    waits(time, path).until(lambda: next(states), done=lambda seen: seen == "InService", subject="cluster ml")
    lines = path.read_text().splitlines()
    assert lines[0] == "cluster ml is Creating after 8 s" and lines[-1].startswith("cluster ml is Updating after ")
    seconds = [float(line.split()[-2]) for line in lines if "Creating" in line]
    assert len(seconds) > 1 and all(later - earlier >= QUIET for earlier, later in itertools.pairwise(seconds))


def test_messages_are_written_at_once(tmp_path: Path) -> None:
    time, path = Time(), tmp_path / "progress"
    waits(time, path).progress.say("a node costs 3 USD an hour")
    assert path.read_text() == "a node costs 3 USD an hour\n"
    waits(time).progress.say("without a file")


def test_a_reason_counts_only_if_it_is_repeated_in_a_row() -> None:
    judged = repeated(lambda seen: "odd" if seen == "x" else None, 3)
    assert [judged(seen) for seen in "xx-xxxx"] == [None, None, None, None, None, "odd", "odd"]


def test_a_failure_ends_the_wait() -> None:
    with pytest.raises(WaitFailed, match="it is Failed: no capacity"):
        waits(Time()).until(lambda: "Failed", done=lambda seen: False, failed=lambda seen: "no capacity", subject="it")
