# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Waits that people watch, with a clock of their own."""

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


def test_each_look_is_judged_once() -> None:
    """A judgement may count."""
    looks = iter(range(10))
    asked: list[int] = []
    waits(Time()).until(lambda: next(looks), done=lambda seen: asked.append(seen) or seen == 3, subject="it")
    assert asked == [0, 1, 2, 3]


def test_what_is_told_while_one_waits(tmp_path: Path) -> None:
    """Nothing of what is quick; then what is new, and what is old now and then."""
    time, path = Time(), tmp_path / "progress"
    states = iter(["Creating"] * 12 + ["Updating", "InService"])
    waits(time, path).until(lambda: next(states), done=lambda seen: seen == "InService", subject="cluster ml")
    lines = path.read_text().splitlines()
    assert lines[0] == "cluster ml is Creating after 8 s" and lines[-1].startswith("cluster ml is Updating after ")
    told = [float(line.split()[-2]) for line in lines if "Creating" in line]
    assert len(told) > 1 and all(later - earlier >= QUIET for earlier, later in itertools.pairwise(told))


def test_what_is_said_at_once_is_there_at_once(tmp_path: Path) -> None:
    time, path = Time(), tmp_path / "progress"
    waits(time, path).progress.say("a node costs 3 USD an hour")
    assert path.read_text() == "a node costs 3 USD an hour\n"
    waits(time).progress.say("nobody reads it")


def test_what_is_odd_is_believed_when_it_was_answered_in_a_row() -> None:
    judged = repeated(lambda seen: "odd" if seen == "x" else None, 3)
    assert [judged(seen) for seen in "xx-xxxx"] == [None, None, None, None, None, "odd", "odd"]


def test_a_failure_ends_the_wait() -> None:
    with pytest.raises(WaitFailed, match="it is Failed: no capacity"):
        waits(Time()).until(lambda: "Failed", done=lambda seen: False, failed=lambda seen: "no capacity", subject="it")
