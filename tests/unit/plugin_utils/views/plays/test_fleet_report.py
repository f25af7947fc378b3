# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.plays.fleet_report import fleet_report

MADE: dict[str, t.Any] = {"failure": "", "empty": False, "store": "/store"}


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ({"failure": "It could not be listed.", "empty": True}, ["report-store-not-read"]),
        ({"empty": True}, ["no-reports"]),
        ({"clusters": {"ml": {"state": "old", "why": "x", "problems": 0}}}, ["fleet-report"]),
        ({"clusters": {"ml": {"state": "old", "why": "x", "problems": 2}}}, ["fleet-report", "report-not-read"]),
    ],
)
def test_findings(made: dict[str, t.Any], expected: list[str]) -> None:
    found = fleet_report({"__fleet_report_made": {**MADE, **made}, "inventory_hostname": "ml"})
    assert [each["code"] for each in found] == expected
