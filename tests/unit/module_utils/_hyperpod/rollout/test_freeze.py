# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When no wave may run: daylight saving time in both directions, and waves without a stated duration."""

from __future__ import annotations

import datetime

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.rollout.freeze import conflict
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.rollout.model import Freeze

BERLIN = "Europe/Berlin"
FRIDAY, SUNDAY = 4, 6


def utc(text: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(text).replace(tzinfo=datetime.timezone.utc)


def weekend(hours: int = 63) -> Freeze:
    return Freeze(FRIDAY, datetime.time(17, 0), hours, BERLIN)


def on(day: str, time: str, hours: int) -> Freeze:
    return Freeze(datetime.date.fromisoformat(day), datetime.time.fromisoformat(time), hours, BERLIN)


@pytest.mark.parametrize(
    ("now", "minutes", "ends"),
    [
        ("2026-11-27T14:59", 60, None),  # 15:59 in Berlin, done at 16:59
        ("2026-11-27T15:00", 60, None),  # done exactly when the freeze begins
        ("2026-11-27T15:01", 60, "2026-11-30T07:00"),
        ("2026-11-26T16:30", None, "2026-11-30T07:00"),  # no stated duration, so less than 24 hours are too few
        ("2026-11-26T15:59", None, None),
        ("2026-11-30T06:59", 60, "2026-11-30T07:00"),
        ("2026-11-30T07:00", 60, None),
    ],
)
def test_a_wave_ends_before_a_freeze_begins(now: str, minutes: int | None, ends: str | None) -> None:
    found = conflict(utc(now), minutes, [weekend()])
    assert (found and found[1]) == (ends and utc(ends))


@pytest.mark.parametrize(
    ("freeze", "begins"),
    [
        (on("2026-03-29", "02:30", 1), "2026-03-29T01:30"),  # this local time does not exist; clocks go from 02:00 to 03:00
        (on("2026-10-25", "02:30", 1), "2026-10-25T00:30"),  # this local time occurs twice
        (on("2026-10-25", "03:30", 1), "2026-10-25T02:30"),
        (Freeze(SUNDAY, datetime.time(12, 0), 1, BERLIN), "2026-03-29T10:00"),  # summer time began on this day
        (Freeze(SUNDAY, datetime.time(12, 0), 1, BERLIN), "2026-10-25T11:00"),  # summer time ended on this day
    ],
)
def test_local_times_at_changes_of_the_clock(freeze: Freeze, begins: str) -> None:
    start, minute = utc(begins), datetime.timedelta(minutes=1)
    assert conflict(start - minute, 1, [freeze]) is None
    assert conflict(start, 1, [freeze]) == (freeze, start + datetime.timedelta(hours=1))
    assert conflict(start + 59 * minute, 1, [freeze]) is not None
    assert conflict(start + 60 * minute, 1, [freeze]) is None


def test_a_freeze_lasts_its_hours_also_over_a_change_of_the_clock() -> None:
    assert conflict(utc("2026-10-24T12:00"), 1, [on("2026-10-24", "14:00", 48)])[1] == utc("2026-10-26T12:00")


def test_of_two_freezes_the_later_end_counts() -> None:
    long = on("2026-11-27", "18:00", 24 * 10)
    assert conflict(utc("2026-11-28T00:00"), 1, [long, weekend()]) == (long, utc("2026-12-07T17:00"))


def test_a_weekly_freeze_that_began_weeks_ago_still_counts() -> None:
    assert conflict(utc("2026-11-30T06:00"), 1, [weekend(24 * 20)]) is not None


def test_a_freeze_is_named_as_it_was_declared() -> None:
    assert str(weekend()) == "every friday 17:00 Europe/Berlin, 63 h"
    assert str(on("2026-12-24", "00:00", 240)) == "2026-12-24 00:00 Europe/Berlin, 240 h"
