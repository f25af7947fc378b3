# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds the inputs of a step from the options of ``rollout_step``."""

from __future__ import annotations

import datetime
import re
import typing as t
import zoneinfo

from ..._core.checks import check_number
from ..._core.failure import refuse_option
from .model import WEEKDAYS, Call, DeclaredWave, Freeze

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
TIME = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9]")
LONGEST_MINUTES = 60 * 24 * 30
LONGEST_HOURS = 24 * 365

Params = t.Mapping[str, t.Any]


def call(params: Params, *, owner: str, version: str) -> Call:
    """:raises Refused: for an invalid option."""
    minutes = params["wave_minutes"]
    if not NAME.fullmatch(params["name"]):
        refuse_option("rollout", params["name"], "1 to 40 lowercase letters, digits and '-', beginning with a letter or digit")
    return Call(
        name=params["name"],
        verb=params["verb"],
        variables=params["variables"],
        version=version,
        owner=owner,
        fleet=params["fleet"],
        waves=tuple(_wave(each) for each in params["waves"]),
        action=params["action"],
        confirmed=params["confirm"],
        not_read=tuple(params["not_read"]),
        unread=params["unread"],
        missing_nodes=tuple(params["missing_nodes"]),
        failures=check_number("rollout_failures", params["failures"], 0, 1000),
        accept_degraded=params["accept_degraded"],
        wave_minutes=check_number("rollout_wave_minutes", minutes, 1, LONGEST_MINUTES) if minutes else None,
        freezes=tuple(_freeze(each) for each in params["freezes"]),
        hold_hours=check_number("rollout_hold_hours", params["hold_hours"], 1, LONGEST_HOURS),
        add_new=params["add_new"],
        wave=check_number("rollout_wave", params["wave"], 0, 1000),
    )


def wait_minutes(params: Params) -> int:
    """:raises Refused: for an invalid option."""
    return check_number("rollout_wait_minutes", params["wait_minutes"], 0, LONGEST_MINUTES)


def _wave(given: Params) -> DeclaredWave:
    if given["clusters"] and given["size"]:
        refuse_option("rollout_waves", given["size"], "clusters or size", "a wave with clusters has no size")
    return DeclaredWave(
        clusters=tuple(given["clusters"]),
        size=check_number("rollout_waves", given["size"], 0, 1000),
        soak_minutes=check_number("rollout_waves", given["soak_minutes"], 0, LONGEST_MINUTES),
        approval=given["approval"],
    )


def _freeze(given: Params) -> Freeze:
    option, day = "rollout_freezes", given["day"].lower()
    try:
        when: int | datetime.date = WEEKDAYS.index(day) if day in WEEKDAYS else datetime.date.fromisoformat(day)
    except ValueError:
        refuse_option(option, given["day"], f"a date such as 2026-12-24, or {', '.join(WEEKDAYS)}")
    if not TIME.fullmatch(given["time"]):
        refuse_option(option, given["time"], "a local time such as 17:00, in quotes")
    try:
        zoneinfo.ZoneInfo(given["timezone"])
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        refuse_option(option, given["timezone"], "a name of the time zone database, such as Europe/Berlin")
    hours = check_number(option, given["hours"], 1, LONGEST_HOURS)
    return Freeze(when, datetime.time.fromisoformat(given["time"]), hours, given["timezone"])
