# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The log group, profiles and the report."""

from __future__ import annotations

import json
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.client_vpn import report

from .conftest import texts

TAGS = {"Team": "ml", "mlfleet.hyperpod/component": "client_vpn", "mlfleet.hyperpod/client-vpn": "vpc-1"}
GROUP = {"log_group_name": "/mlfleet/hyperpod/client-vpn/vpc-1", "retention_in_days": 365, "tags": TAGS}


@pytest.mark.parametrize(
    ("groups", "check_mode", "due", "retention", "ours"),
    [
        ([], False, True, 365, False),
        ([], True, True, 365, False),
        ([{**GROUP, "log_group_name": "/mlfleet/hyperpod/client-vpn/vpc-12"}], False, True, 365, False),
        ([GROUP], False, False, 365, True),
        ([{**GROUP, "tags": {**TAGS, "More": "x"}}], False, False, 365, True),
        ([{**GROUP, "retention_in_days": 7}], True, True, None, True),
        ([{**GROUP, "tags": {"Team": "ml"}}], False, True, 365, False),
        ([{**GROUP, "tags": {**TAGS, "Team": "x"}}], False, True, 365, True),
    ],
)
def test_a_log_group_is_changed_where_it_differs(
    variables: dict[str, t.Any], groups: list[t.Any], check_mode: bool, due: bool, retention: int | None, ours: bool
) -> None:
    found = report.log({**variables, "__client_vpn_logs": {"log_groups": groups}, "ansible_check_mode": check_mode})
    assert (found.due, found.retention, found.ours) == (due, retention, ours)


@pytest.mark.parametrize(
    ("asked", "valid", "refusals", "users"),
    [
        ([], ["alice", "bob"], [], ["alice", "bob"]),
        ("bob", ["alice", "bob"], [], ["bob"]),
        ("zoe", ["alice", "bob"], ["vpn_people: zoe is not allowed. Allowed: users with a certificate, which are alice, bob."], ["zoe"]),
        (
            ["zoe"],
            [],
            ["vpn_people: zoe is not allowed. Allowed: users with a certificate, which are none yet; run the playbook client_vpn first."],
            ["zoe"],
        ),
    ],
)
def test_profiles_are_for_users_with_a_certificate(
    variables: dict[str, t.Any], asked: t.Any, valid: list[str], refusals: list[str], users: list[str]
) -> None:
    people = [{"name": name, "state": "valid"} for name in valid]
    state = {"__client_vpn_pki": {"client_vpn_pki": {"people": people}}, "client_vpn_profile_people": asked}
    found = report.profiles({**variables, **state})
    assert (texts(found.refusals), found.users) == (refusals, users)


def test_access_tells_who_is_connected(variables: dict[str, t.Any]) -> None:
    names = {"common_name": "alice", "username": "x"}
    connections = [{"status": "active", **names}, {"status": "terminated", "common_name": "bob", "username": "bob"}]
    certificates = [{"name": name, "serial": name, "not_after": "", "state": "valid"} for name in ("alice", "bob")]
    state = {
        "__client_vpn_found": {"client_vpn_endpoints": [{"connections": connections}]},
        "__client_vpn_pki": {"client_vpn_pki": {"people": certificates}},
        "__client_vpn_log": {"people": {}},
        "hyperpod_run": {"records": {"offboarded": {"bob": {}}}},
    }
    rows = report.access({**variables, **state}).found["rows"]
    assert [(row["person"], row["declared"], row["connected"]) for row in rows] == [("alice", "yes", "yes"), ("bob", "offboarded", "no")]


@pytest.fixture
def reported(variables: dict[str, t.Any]) -> dict[str, t.Any]:
    row = dict.fromkeys(("person", "vpc", "serial", "expires", "state", "declared", "last_connection", "connected"), "x")
    hostvars = {"ml": {"__client_vpn_access": {"vpc_id": "vpc-1", "rows": [row]}}, "failed": {}}
    return {**variables, "hostvars": hostvars, "ansible_play_hosts": ["ml", "failed"], "hyperpod_inventory_failures": ["b: no"]}


def test_report_files_are_those_that_are_asked_for(reported: dict[str, t.Any]) -> None:
    found = report.report({**reported, "client_vpn_report_json": "a/report.json", "client_vpn_report_csv": "report.csv"})
    as_json, as_csv = found.files
    assert (as_json["path"], as_csv["path"]) == ("a/report.json", "report.csv")
    assert len(json.loads(as_json["content"])["certificates"]) == 1 and "not read" in as_csv["content"]
    assert len(found.table) == 3 and found.table[-1] == "not read: b: no"


def test_an_empty_path_writes_none(reported: dict[str, t.Any]) -> None:
    found = report.report({**reported, "client_vpn_report_json": "~/a/x.json"})
    assert [each["path"] for each in found.files] == ["~/a/x.json"]
