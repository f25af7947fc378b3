# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Trends, and sources that are not used."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.fleet_report.page import gaps

from .conftest import text_of


def history(*statuses: str, check: bool = False) -> list[dict[str, t.Any]]:
    return [{"started": "2026-11-29T10:00:00Z", "check_mode": check, "status": each} for each in statuses]


@pytest.mark.parametrize(
    ("found", "row"),
    [
        (history("unchanged", "failed"), "1 0 0 0"),
        (history("failed", "degraded", "changed"), "0 1 0 0"),
        (history("failed", "failed"), "0 0 1 0"),
        (history("failed"), "0 0 0 1"),
        (history("failed", "skipped"), "0 0 0 1"),
        (history("failed", "not known"), "0 0 0 1"),
        (history("unchanged", "failed", check=True), "0 0 0 1"),
    ],
)
def test_trends_compare_the_latest_two_real_runs(made: dict[str, t.Any], found: list[t.Any], row: str) -> None:
    verb = {**made["clusters"]["fine"]["verbs"]["reconcile"], "history": found}
    document = {**made, "clusters": {"fine": {**made["clusters"]["fine"], "verbs": {"reconcile": verb}}}}
    assert f"reconcile {row}" in text_of(gaps.trends(document).markup)


@pytest.mark.parametrize(
    "text", ["broken reconcile, real is of account 222222222222", "lacks — 1 left , latest report 9 days ago", "reconcile 24 h", "Not used — 1"]
)
def test_sources(made: dict[str, t.Any], text: str) -> None:
    assert text in text_of(gaps.sources(made).markup)


def test_all_sources_are_used(made: dict[str, t.Any]) -> None:
    text = text_of(gaps.sources({**made, "problems": [], "not_in_inventory": []}).markup)
    assert "Every source that this report needs could be read. The inventory has every cluster of the report store." in text


def test_many_sources_are_counted(made: dict[str, t.Any]) -> None:
    text = text_of(gaps.sources({**made, "problems": made["problems"] * (gaps.MOST + 1)}).markup)
    assert f"The list has the first {gaps.MOST} of {gaps.MOST + 1}." in text
