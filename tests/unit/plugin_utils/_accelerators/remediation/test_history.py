# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Earlier repairs of nodes: how many, when they expire, and unreadable records."""

from __future__ import annotations

import datetime
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.remediation import history as past

NOW = datetime.datetime(2026, 11, 25, 3, tzinfo=datetime.timezone.utc)


def record(*acts: tuple[str, str], times: int = 1, group: str = "gpus") -> dict[str, t.Any]:
    return {"owner": "ops", "group": group, "times": times, "acts": [{"does": does, "at": at} for does, at in acts]}


def read(**records: t.Any) -> dict[str, past.Repaired]:
    return past.history(records, NOW)


def test_actions_older_than_a_week_do_not_count() -> None:
    records = {"a": record(("reboot", "2026-11-18T02:59:59Z")), "b": record(("reboot", "2026-11-18T03:00:00Z"))}
    assert list(past.history(records, NOW)) == ["b"]
    assert past.outdated(records, NOW) == ["a"]


@pytest.mark.parametrize(
    "bad",
    [
        None,
        "x",
        {},
        {"group": "g", "times": 1, "acts": []},
        {"group": "g", "times": 1, "acts": [{"does": "reboot", "at": "2026-11-25T02:00:00Z", "codes": 1}]},
        record(("reboot", "soon")),
        {**record(("reboot", "2026-11-25T02:00:00Z")), "times": "x"},
    ],
)
def test_unreadable_records_are_ignored_and_removed(bad: t.Any) -> None:
    assert read(a=bad) == {} and past.outdated({"a": bad}, NOW) == ["a"]


@pytest.mark.parametrize(
    ("iid", "group", "launched", "times"),
    [
        ("a", "gpus", "", 1),
        ("new", "gpus", "2026-11-25T01:30:00.000Z", 2),
        ("new", "gpus", "2026-11-25T00:59:59.000Z", 0),
        ("new", "gpus", "2026-11-25T05:00:01.000Z", 0),
        ("new", "gpus", "", 0),
        ("new", "gpus", "(unknown)", 0),
        ("new", "others", "2026-11-25T01:30:00.000Z", 0),
    ],
)
def test_a_replacement_inherits_the_number_of_repairs(iid: str, group: str, launched: str, times: int) -> None:
    found = read(
        a=record(("reboot", "2026-11-25T01:00:00Z")),
        gone=record(("reboot", "2026-11-24T01:00:00Z"), ("replace", "2026-11-25T01:00:00Z"), times=2),
    )
    assert past.times(found, iid, group, launched, there={"a"}) == times


@pytest.mark.parametrize(("there", "times"), [((), 1), (("checked",), 0)])
def test_a_node_launched_after_a_check_inherits_only_from_a_node_that_is_gone(there: t.Any, times: int) -> None:
    found = read(checked=record(("reboot", "2026-11-24T01:00:00Z"), ("check", "2026-11-25T01:00:00Z")))
    assert past.times(found, "new", "gpus", "2026-11-25T02:00:00.000Z", there=there) == times


def test_a_check_is_no_repair() -> None:
    found = read(a=record(("reboot", "2026-11-24T01:00:00Z"), ("check", "2026-11-25T01:00:00Z")), b=record(("check", "2026-11-25T02:00:00Z"), times=0))
    assert (found["a"].last_repair, found["b"].last_repair) == (found["a"].acts[0], None)
    assert found["a"].last_check == NOW - datetime.timedelta(hours=2) and found["a"].last.does == "check"
    assert read(c=record(("reboot", "2026-11-24T01:00:00Z")))["c"].last_check is None


def test_repairs_of_a_day_are_counted_over_all_nodes() -> None:
    found = read(
        a=record(("reboot", "2026-11-24T02:00:00Z"), ("replace", "2026-11-25T02:00:00Z")), b=record(("check", "2026-11-24T03:00:01Z"), times=0)
    )
    assert past.in_last_day(found, NOW) == 2


def test_a_record_keeps_earlier_actions() -> None:
    before = read(a=record(("reboot", "2026-11-24T02:00:00Z")))["a"]
    replaced = past.Act("replace", NOW, ("gpu-sram", "gpu-xid"))
    made = past.with_act(before, replaced, group="gpus", number=2)
    assert read(a=made)["a"] == past.Repaired("gpus", (*before.acts, replaced), 2) and before.acts[0].codes == ()
    checked = past.with_act(None, past.Act("check", NOW), group="gpus", number=0)
    assert checked["acts"] == [{"does": "check", "at": "2026-11-25T03:00:00Z"}]
