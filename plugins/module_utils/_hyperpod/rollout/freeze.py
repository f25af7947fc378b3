# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Freezes: times in which no wave may run. No I/O."""

from __future__ import annotations

import datetime
import typing as t
import zoneinfo

from .model import Freeze

WITHOUT_LIMIT = datetime.timedelta(hours=24)
"""The assumed duration of a wave without ``wave_minutes``."""


def conflict(now: datetime.datetime, minutes: int | None, freezes: t.Iterable[Freeze]) -> tuple[Freeze, datetime.datetime] | None:
    """The freeze that a wave would meet if it began now, and when that freeze ends.

    :param minutes: the maximum duration of a wave.
    """
    ends = now + (WITHOUT_LIMIT if minutes is None else datetime.timedelta(minutes=minutes))
    met = [
        (freeze, start + datetime.timedelta(hours=freeze.hours))
        for freeze in freezes
        for start in _starts(freeze, now)
        if start < ends and start + datetime.timedelta(hours=freeze.hours) > now
    ]
    return max(met, key=lambda each: each[1], default=None)


def _starts(freeze: Freeze, now: datetime.datetime) -> list[datetime.datetime]:
    """Starts near ``now``, in UTC. If a local time occurs twice, the first one counts. A skipped one counts an hour later."""
    zone = zoneinfo.ZoneInfo(freeze.timezone)
    if isinstance(freeze.day, datetime.date):
        days = [freeze.day]
    else:
        today, before = now.astimezone(zone).date(), freeze.hours // 24 + 8
        around = (today + datetime.timedelta(days=offset) for offset in range(-before, 9))
        days = [day for day in around if day.weekday() == freeze.day]
    return [datetime.datetime.combine(day, freeze.time, zone).astimezone(datetime.timezone.utc) for day in days]
