# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports of the store: everything that is not known to be right is refused, with a reason."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.fleet_report.reports import (
    LONGEST,
    MOST_FINDINGS,
    Report,
    Run,
    foreign,
    is_future,
    report_of,
    run_of,
    time_of,
)
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.source import Unreadable
from simulated.fleet_store import ACCOUNT, NOW, arn, finding, of_cluster, report

STARTED, NAME = "2026-11-29T08:00:00Z", "20261129T080000Z-0123456789abcdef"
KEY, RUN = f"v1/clusters/ml/verify/{NAME}.json", f"v1/runs/{NAME}.json"


def raw(**more: t.Any) -> dict[str, t.Any]:
    about = {name: value for name, value in report(STARTED, "verify", {}).items() if name != "clusters"}
    return {**about, "cluster": "ml", **of_cluster("ml"), **more}


def read(**more: t.Any) -> Report:
    found = report_of(KEY, raw(**more))
    assert isinstance(found, Report), found
    return found


def test_a_report() -> None:
    certificates = {"vpn-ca": "2027-01-01T00:00:00Z", "host": "soon", "unknown": "2027-01-01T00:00:00Z"}
    found = read(status="failed", findings=[finding()], changes=[{}, {}], certificates=certificates, login_nodes=2, login_nodes_in_service=0)
    assert (found.verb, found.cluster, found.status, found.changes, found.login) == ("verify", "ml", "failed", 2, (0, 2))
    assert found.certificates == {"vpn-ca": "2027-01-01T00:00:00Z"} and found.findings == (finding(),)


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"schema": 2}, "has schema 2, and this version reads 3"),
        ({"schema": None}, "has schema unknown, and this version reads 3"),
        ({"cluster": "other"}, "is the report of cluster other"),
        ({"status": "fine"}, "has a status or a finding of an unknown kind"),
        ({"findings": [{**finding(), "kind": "joke"}]}, "has a status or a finding of an unknown kind"),
        ({"findings": ["text"]}, "has a finding of an unknown form"),
        ({"findings": None}, "lacks fields that each report has"),
        ({"changes": {}}, "lacks fields that each report has"),
        ({"check_mode": "false"}, "lacks fields that each report has"),
        ({"started": "yesterday"}, "lacks fields that each report has"),
        ({"started": "2026-11-29T09:00:00Z"}, "has a different time than its key"),
    ],
)
def test_a_report_with_an_unknown_value_is_not_used(more: dict[str, t.Any], reason: str) -> None:
    found = report_of(KEY, raw(**more))
    assert isinstance(found, Unreadable) and (found.key, found.reason) == (KEY, reason)


@pytest.mark.parametrize("value", [None, [], "text", 1])
def test_json_of_another_form_is_no_report(value: t.Any) -> None:
    assert isinstance(report_of(KEY, value), Unreadable) and isinstance(run_of(RUN, value), Unreadable)


def test_texts_are_printable_and_short_and_findings_few() -> None:
    found = read(findings=[finding(text="\x1b[31m\u202e" + "x" * 1000)] * (MOST_FINDINGS + 5))
    assert len(found.findings) == MOST_FINDINGS and found.more_findings == 5
    assert found.findings[0]["text"].startswith("?[31m?x") and len(found.findings[0]["text"]) == LONGEST


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({}, None),
        ({"account": "222222222222"}, f"is of account 222222222222, and the inventory has {ACCOUNT}"),
        ({"account": None}, f"is of account unknown, and the inventory has {ACCOUNT}"),
        ({"arn": arn("old")}, f"is of cluster {arn('old')}, and the inventory has {arn('ml')}"),
        ({"arn": None}, f"is of cluster unknown, and the inventory has {arn('ml')}"),
    ],
)
def test_a_report_of_another_cluster_is_foreign(more: dict[str, t.Any], reason: str | None) -> None:
    found = foreign(read(**more), ACCOUNT, arn("ml"))
    assert (found.reason if found else None) == reason


def test_the_document_of_a_run() -> None:
    clusters = {"ml": {"status": "failed", "document": KEY}, "odd": {"status": "fine", "document": "x"}, "none": None}
    files = [f"v1/runs/{NAME}/a.json", f"v1/runs/{NAME}/b/c.json", "v1/runs/other/a.json", 7]
    found = run_of(RUN, {"schema": 3, "check_mode": True, "clusters": clusters, "files": files})
    assert found == Run(True, {KEY: "failed"}, (f"v1/runs/{NAME}/a.json",))


def test_the_document_of_a_run_with_another_schema() -> None:
    found = run_of(RUN, {"schema": 4, "check_mode": True, "clusters": {}})
    assert isinstance(found, Unreadable) and (found.kind, found.reason) == ("schema", "has schema 4, and this version reads 3")


@pytest.mark.parametrize(
    ("name", "expected"),
    [("20261129T115959Z-1", False), ("20261129T120900Z-1", False), ("20261129T121100Z-1", True), ("20251399T000000Z-1", True), ("x", True)],
)
def test_a_time_later_than_the_clocks_allow_is_in_the_future(name: str, expected: bool) -> None:
    assert is_future(name, NOW) is expected


def test_the_time_of_a_name() -> None:
    assert (time_of(NAME), time_of("20251399T000000Z-1"), time_of("x")) == (STARTED, "", "")
