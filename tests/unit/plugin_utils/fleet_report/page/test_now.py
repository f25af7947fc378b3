# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The first sections, and the findings by code."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.fleet_report.page import now

from .conftest import text_of


def shown(make: t.Callable[..., t.Any], made: dict[str, t.Any]) -> str:
    return text_of(make(made).markup)


def test_failed_reads_are_named(made: dict[str, t.Any]) -> None:
    assert "inventory: profile research, region eu-west-1: access was denied" in shown(now.coverage, made)


@pytest.mark.parametrize(
    "text",
    [
        "! bad reconcile: failed no-login-service i-0123456789abcdef0 it failed Run login_access. reconcile, 30 min ago",
        "Not known — 2 clusters",
        "Pending: a later run completes it — 1 cluster",
        "Old: run the playbook again — 1 cluster",
    ],
)
def test_each_cluster_that_is_not_good_is_named(made: dict[str, t.Any], text: str) -> None:
    assert text in shown(now.person, made)


def test_many_findings_of_one_cluster_are_counted(made: dict[str, t.Any]) -> None:
    cluster = made["clusters"]["bad"]
    found = {**made, "clusters": {"bad": {**cluster, "findings": cluster["findings"] * (now.MOST + 3)}}}
    assert "and 3 more" in shown(now.person, found)


@pytest.mark.parametrize(
    ("counts", "text"), [({"good": 1}, "Nothing in the latest reports."), ({"unknown": 1}, "are not known to be without findings")]
)
def test_nothing_to_do_is_said_only_if_all_clusters_are_good(made: dict[str, t.Any], counts: dict[str, int], text: str) -> None:
    cluster = {**made["clusters"]["fine"], "standing": next(iter(counts))}
    found = {**made, "clusters": {"one": cluster}, "standings": dict.fromkeys(made["standings"], 0) | counts}
    assert text in shown(now.person, found)


def test_findings_by_code(made: dict[str, t.Any]) -> None:
    text = shown(now.codes, made)
    assert "! no-login-service failure 1 bad reconcile 30 min" in text and "W home-waits pending 1 waits" in text
    assert "None in the reports that could be read." in shown(now.codes, {**made, "findings": []})
