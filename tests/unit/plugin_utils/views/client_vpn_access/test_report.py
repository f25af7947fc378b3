# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users with access, and the report."""

from __future__ import annotations

import json
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.client_vpn_access import report

from .conftest import pki, texts


@pytest.mark.parametrize(("days", "refusals"), [(3653, []), (3654, ["client_vpn_report_days: 3654 is not allowed. Allowed: 1 to 3653."])])
def test_the_log_is_read_for_the_configured_days(variables: dict[str, t.Any], days: int, refusals: list[str]) -> None:
    found = report.log({**variables, "client_vpn_report_days": days})
    assert (texts(found.refusals), found.group) == (refusals, "/mlfleet/hyperpod/client-vpn/vpc-1")


def test_access_includes_connected_users(variables: dict[str, t.Any]) -> None:
    names = {"common_name": "alice", "username": "x"}
    connections = [{"status": "active", **names}, {"status": "terminated", "common_name": "bob", "username": "bob"}]
    certificates = [{"name": name, "serial": name, "not_after": "", "state": "valid"} for name in ("alice", "bob")]
    run = {**variables["hyperpod_run"], "vpn_endpoint": {"connections": connections}, "vpn_offboarded": ["bob"]}
    state = {**pki(people=certificates), "__client_vpn_access_log": {"people": {}}, "hyperpod_run": run}
    rows = report.access({**variables, **state})["rows"]
    assert [(row["person"], row["declared"], row["connected"]) for row in rows] == [("alice", "yes", "yes"), ("bob", "offboarded", "no")]


@pytest.fixture
def reported(variables: dict[str, t.Any]) -> dict[str, t.Any]:
    row = dict.fromkeys(("person", "vpc", "serial", "expires", "state", "declared", "last_connection", "connected"), "x")
    hostvars = {"ml": {"hyperpod_cluster_arn": "arn:ml", "hyperpod_run": {"vpn_access": {"vpc_id": "vpc-1", "rows": [row]}}}, "failed": {}}
    return {**variables, "hostvars": hostvars, "ansible_play_hosts": ["ml", "failed"], "hyperpod_inventory_failures": ["b: no"]}


def test_requested_report_files_are_written(reported: dict[str, t.Any]) -> None:
    found = report.report({**reported, "client_vpn_report_json": "a/report.json", "client_vpn_report_csv": "report.csv"})
    as_json, as_csv = found.files
    assert (as_json["path"], as_csv["path"]) == ("a/report.json", "report.csv")
    made = json.loads(as_json["content"])
    assert len(made["certificates"]) == 1 and made["clusters"] == {"ml": {"arn": "arn:ml", "vpc": "vpc-1"}} and "not read" in as_csv["content"]
    assert len(found.table) == 3 and found.table[-1] == "not read: b: no"


def test_an_empty_path_writes_no_file(reported: dict[str, t.Any]) -> None:
    found = report.report({**reported, "client_vpn_report_json": "~/a/x.json"})
    assert [each["path"] for each in found.files] == ["~/a/x.json"]
