# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of runs, and the details of each cluster."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.fleet_report.page import runs

from .conftest import text_of


@pytest.mark.parametrize("text", ["! bad", "! 30 min", "· 60 min (check 55 min)", "W check 50 min", "O 9 days", "? not known", "never"])
def test_the_latest_runs(made: dict[str, t.Any], text: str) -> None:
    assert text in text_of(runs.runs(made).markup)


def test_runs_that_could_not_be_listed_are_not_called_never(made: dict[str, t.Any]) -> None:
    none = {**made["clusters"]["none"], "not_listed": "access was denied"}
    (row,) = [each for each in runs.runs({**made, "clusters": {**made["clusters"], "none": none}}).markup.split("<tr>") if ">none<" in each]
    verbs = {verb for each in made["clusters"].values() for verb in each["verbs"]}
    assert "never" not in row and row.count('data-v="unknown"') == 1 + len(verbs)


@pytest.mark.parametrize(
    "text",
    [
        "3 u d f",
        "not known ? is of account 222222222222",
        "111111111111 · us-west-2 · slurm · nodes: 5 Running, 1 Pending",
        "Open findings ! no-login-service i-0123456789abcdef0 it failed Run login_access.",
        "unchanged, 2026-11-20 11:00 UTC (9 days before this report), 0 changes O old",
    ],
)
def test_the_details_of_clusters(made: dict[str, t.Any], text: str) -> None:
    assert text in text_of(runs.clusters(made).markup)


def test_a_later_report_that_is_not_known_is_named(made: dict[str, t.Any]) -> None:
    verb = made["clusters"]["fine"]["verbs"]["verify"]
    doubtful = {**verb, "state": "unknown", "real": {**verb["real"], "problem": "is not JSON"}}
    cluster = {**made["clusters"]["fine"], "verbs": {"verify": doubtful}}
    assert "? a later report is not JSON" in text_of(runs.clusters({**made, "clusters": {"fine": cluster}}).markup)
