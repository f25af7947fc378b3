# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When AWX starts the templates. No I/O."""

from __future__ import annotations

import datetime
import hashlib
import typing as t

from .fleet import NEVER, Fleet
from .objects import Object

RULES = {
    "every 10 minutes": ("FREQ=MINUTELY;INTERVAL=10", 10),
    "hourly": ("FREQ=HOURLY;INTERVAL=1", 60),
    "daily": ("FREQ=DAILY;INTERVAL=1", 240),
    "weekly": ("FREQ=WEEKLY;INTERVAL=1", 240),
    "monthly": ("FREQ=MONTHLY;INTERVAL=1", 240),
}
"""The rule of each interval, and the minutes among which fleets and templates are spread."""
FIRST = datetime.datetime(2026, 1, 4, 2, tzinfo=datetime.timezone.utc)
"""The earliest start, in the time zone of the fleet: a Sunday at 02:00, because nightly runs should end before people work."""
TOO_OFTEN = ("every 10 minutes", "hourly")
"""Intervals at which a message for each failed job would hide the others. The alerts of the metrics report these once."""


def wanted(fleet: Fleet, suggested: t.Mapping[str, str]) -> t.Iterator[Object]:
    """
    :param suggested: the interval in the table of verbs by template; empty if people start it.
    """
    for template, interval in {**suggested, **{name: each for name, each in fleet.schedules.items() if name in suggested}}.items():
        if interval in ("", NEVER):
            continue
        key = f"{template} {interval}"
        values = {"rrule": _rule(fleet, template, interval), "enabled": True, "description": fleet.described(key)}
        yield Object("schedule", fleet.named(key), values, {"unified_job_template": fleet.named(template)}, mark=key)


def _rule(fleet: Fleet, template: str, interval: str) -> str:
    rule, minutes = RULES[interval]
    digest = hashlib.sha256(f"{fleet.name}/{template}".encode()).digest()
    begin = FIRST + datetime.timedelta(minutes=int.from_bytes(digest[:4], "big") % minutes)
    return f"DTSTART;TZID={fleet.time_zone}:{begin:%Y%m%dT%H%M%S} RRULE:{rule}"
