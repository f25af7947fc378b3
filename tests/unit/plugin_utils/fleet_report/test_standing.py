# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which clusters need a person. Only recent reports without open findings are good."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.fleet_report import standing
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.fleet_report.standing import HOURS, Limits
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.place import Folder
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.verbs import SCHEDULES
from simulated.fleet_store import NOW, add, finding, fleet, of_cluster

RECENT, YESTERDAY, LAST_WEEK, LAST_MONTH = (f"2026-{day}T11:00:00Z" for day in ("11-29", "11-28", "11-20", "10-20"))
PENDING, WARNING = finding("pending", "report-not-stored"), {**finding("note"), "severity": "warning"}


def stood(folder: Path, *runs: tuple[t.Any, ...], **more: t.Any) -> tuple[str, str]:
    """The standing of the cluster after these runs: time, verb, status, findings."""
    for started, verb, status, *findings in runs:
        check = verb == "drift"
        add(Folder(str(folder)), started, verb, of_cluster("ml", status, *findings, **more), check=check)
    found = fleet(folder, "ml")["clusters"]["ml"]
    return found["standing"], found["why"]


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ([], ("unknown", "the report store has no report of the cluster")),
        ([(RECENT, "reconcile", "unchanged")], ("good", "no open finding")),
        ([(RECENT, "reconcile", "changed")], ("good", "no open finding")),
        ([(RECENT, "reconcile", "unchanged", WARNING)], ("good", "no open finding")),
        ([(RECENT, "reconcile", "failed", finding())], ("person", "reconcile: failed")),
        ([(RECENT, "reconcile", "failed")], ("person", "reconcile: failed")),
        ([(RECENT, "reconcile", "unchanged", finding())], ("person", "reconcile: failed")),
        ([(RECENT, "reconcile", "degraded", PENDING)], ("pending", "reconcile: degraded")),
        ([(RECENT, "reconcile", "unchanged", PENDING)], ("pending", "reconcile: degraded")),
        ([(RECENT, "reconcile", "skipped")], ("unknown", "reconcile: skipped")),
        ([(RECENT, "drift", "unchanged")], ("good", "no open finding")),
        ([(RECENT, "drift", "changed")], ("pending", "drift: differs from the declaration")),
        ([(YESTERDAY, "reconcile", "unchanged")], ("old", "reconcile: the latest report is old; its status is unchanged")),
        ([(YESTERDAY, "verify", "unchanged")], ("good", "no open finding")),
        ([(LAST_WEEK, "verify", "failed", finding())], ("old", "verify: the latest report is old; its status is failed")),
        ([(LAST_WEEK, "drain", "unchanged")], ("unknown", "no recent report")),
        ([(LAST_WEEK, "drain", "failed"), (RECENT, "verify", "unchanged")], ("old", "drain: the latest report is old; its status is failed")),
        ([(LAST_WEEK, "drain", "unchanged"), (RECENT, "verify", "unchanged")], ("good", "no open finding")),
        ([(LAST_MONTH, "access_report", "unchanged")], ("good", "no open finding")),
        ([(RECENT, "verify", "unchanged"), (RECENT, "reconcile", "failed")], ("person", "reconcile: failed")),
        ([(RECENT, "fleet_report", "unchanged")], ("unknown", "the report store has no report of the cluster")),
    ],
)
def test_the_standing_of_a_cluster(tmp_path: Path, runs: list[tuple[t.Any, ...]], expected: tuple[str, str]) -> None:
    assert stood(tmp_path, *runs) == expected


def test_a_check_is_not_a_run(tmp_path: Path) -> None:
    add(Folder(str(tmp_path)), RECENT, "reconcile", of_cluster("ml"), check=True)
    found = fleet(tmp_path, "ml")["clusters"]["ml"]
    assert (found["standing"], found["why"]) == ("unknown", "no recent report")
    assert {mode: found["verbs"]["reconcile"][mode]["state"] for mode in ("real", "check")} == {"real": "never", "check": "found"}


@pytest.mark.parametrize(("end", "expected"), [("2026-11-29T11:00:00Z", "person"), ("2026-12-05T00:00:00Z", "pending"), ("2027-12-05T00:00:00Z", "good")])
def test_certificates(tmp_path: Path, end: str, expected: str) -> None:
    state, why = stood(tmp_path, (RECENT, "status", "unchanged"), certificates={"vpn-ca": end})
    assert state == expected and ("the certificate vpn-ca" in why) is (expected != "good")


def test_more_findings_than_are_read_are_not_good(tmp_path: Path) -> None:
    assert stood(tmp_path, (RECENT, "verify", "unchanged", *[finding("note")] * 201)) == ("unknown", "verify: unchanged")


@pytest.mark.parametrize(
    ("verb", "hours"), [("reconcile", 24), ("verify", 48), ("access_report", 1488), ("drift", 24), ("drain", 168), ("nonsense", 168)]
)
def test_the_age_from_which_a_report_is_old(verb: str, hours: int) -> None:
    assert Limits(NOW, 24).hours(verb) == hours and Limits(NOW, 2000).hours(verb) == 2000


def test_every_suggested_schedule_has_an_interval() -> None:
    assert set(HOURS) == set(SCHEDULES)


def test_only_drift_is_always_a_check() -> None:
    assert standing.is_check("drift") and not standing.is_check("reconcile") and not standing.is_check("nonsense")
