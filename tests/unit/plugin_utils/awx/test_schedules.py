# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import re

from .examples import objects


def test_schedules_have_a_time_zone_and_fleets_start_at_different_minutes() -> None:
    rules = {
        name: {each.name: each.values["rrule"] for each in objects(awx_fleet=name, awx_verbs=[]) if each.kind == "schedule"}
        for name in ("prod", "research", "eu")
    }
    for rule in rules["prod"].values():
        assert re.fullmatch(r"DTSTART;TZID=Europe/Zurich:20260104T0[2-5]\d{4} RRULE:FREQ=[A-Z]+;INTERVAL=\d+", rule)
    assert len({found["drift hourly"] for found in rules.values()}) > 1


def test_an_interval_can_be_changed_and_a_schedule_left_out() -> None:
    names = {each.name for each in objects(awx_verbs=[], awx_schedules={"drift": "daily", "vpn report": "never"}) if each.kind == "schedule"}
    assert {"drift daily"} == {name for name in names if name.startswith(("drift", "vpn"))}
