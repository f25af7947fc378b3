# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who has a way in through the VPN, when people may be cut off, what it costs, and the report."""

from __future__ import annotations

import csv
import datetime
import io
import json

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import client_vpn, vpn_report

PRICE = {"association_hour": 0.1, "connection_hour": 0.05, "currency": "USD", "hours_per_person": 160}
USERS = [{"name": "alice"}, {"name": "bob", "state": "absent"}, {"name": "mallory"}]


@pytest.mark.parametrize(
    "window, at, expected",
    [
        ("", "2026-11-22T03:00", False),
        ("Sun 02:00-04:00", "2026-11-22T02:00", True),
        ("Sun 02:00-04:00", "2026-11-22T03:59", True),
        ("Sun 02:00-04:00", "2026-11-22T04:00", False),
        ("Sun 02:00-04:00", "2026-11-21T03:00", False),
        ("Sun 23:00-01:00", "2026-11-23T00:30", True),  # on Monday, past midnight and past the end of the week
        ("Sun 23:00-01:00", "2026-11-22T00:30", False),
        ("daily 02:00-03:00", "2026-11-25T02:30", True),
        ("Mon 02:00-03:00, Wed 02:00-03:00", "2026-11-25T02:30", True),
        ("Wed 00:00-00:00", "2026-11-25T13:00", True),
    ],
)
def test_when_people_may_be_cut_off(window, at, expected):
    assert client_vpn.window_open(window, datetime.datetime.fromisoformat(at)) is expected


@pytest.mark.parametrize(
    "window, problems",
    [
        ("", []),
        ("Sun 02:00-04:00, daily 23:00-01:00", []),
        ("Sunday 2-4", ["Sunday 2-4"]),
        ("Sun 02:00-04:00, Mon 25:00-26:00", ["Mon 25:00-26:00"]),
        ("Sun 02:00-04:00\n, x", ["x"]),
    ],
)
def test_windows_that_cannot_be_read(window, problems):
    assert client_vpn.window_problems(window) == problems


@pytest.mark.parametrize(
    "offboarded, neighbours, people, revoked",
    [
        ({}, [], ["alice", "mallory"], ["bob"]),
        ({"mallory": {}}, [], ["alice"], ["bob", "mallory"]),
        ({}, [{"hyperpod_users": [{"name": "bob"}], "hyperpod_users_files": []}], ["alice", "mallory"], []),
        ({"bob": {}}, [{"hyperpod_users": [{"name": "bob"}]}], ["alice", "mallory"], ["bob"]),  # who left, left everywhere
        ({"gone": {}}, [], ["alice", "mallory"], ["bob", "gone"]),
        ({}, [{"hyperpod_users": [{"uid": 1}, "bob"]}, {"hyperpod_users": {"bob": {}}}], ["alice", "mallory"], ["bob"]),
    ],
)
def test_who_has_a_certificate(offboarded, neighbours, people, revoked):
    assert client_vpn.people_of(USERS, [], offboarded, neighbours) == {"people": people, "revoked": revoked}


def test_the_resolver_is_that_of_the_vpc_and_everybody_may_reach_it():
    cidrs = ["10.1.0.0/16", "10.9.0.0/16"]
    assert client_vpn.settings_of(cidrs, ["resolver", "10.1.7.7"], []) == {
        "dns_servers": ["10.1.0.2", "10.1.7.7"],
        "rules": [{"cidr": "10.1.0.0/16"}, {"cidr": "10.9.0.0/16"}],
    }
    assert client_vpn.settings_of(cidrs, [], ["10.1.4.0/24"])["rules"] == [{"cidr": "10.1.4.0/24"}]


def test_certificates_are_judged_by_ours_unless_another_authority_is_named():
    declared = [{"type": "certificate"}, {"type": "directory", "directory_id": "d-1"}]
    assert client_vpn.with_authority(declared, "arn:ours") == [
        {"type": "certificate", "client_root_certificate_arn": "arn:ours"},
        {"type": "directory", "directory_id": "d-1"},
    ]
    named = [{"type": "certificate", "client_root_certificate_arn": "arn:theirs"}]
    assert client_vpn.with_authority(named, "arn:ours") == named


def test_what_a_month_costs():
    told = client_vpn.cost(associations=2, people=3, price=PRICE)
    assert told.startswith("A month costs 146.00 USD for 2 associations (730 hours at 0.100)")
    assert "24.00 USD more if 3 people are connected for 160 hours each" in told


PKI = {
    "people": [
        {"name": "alice", "serial": "0a1b", "not_after": "2027-11-21T00:00:00Z", "state": "valid"},
        {"name": "=bob", "serial": "0c", "not_after": "2026-12-01T00:00:00Z", "state": "due"},
    ],
    "crl": {"entries": [{"name": "mallory", "serial": "0d", "date": "2026-11-20T10:00:00Z"}]},
}


def parts() -> list[dict]:
    known = {"pki": PKI, "offboarded": ["mallory"], "connected": ["alice"]}
    log = {"alice": {"last_connected": "2026-11-21T08:00:00Z"}, "mallory": {"last_connected": "2026-11-19T08:00:00Z"}}
    first = vpn_report.of_vpc("vpc-1", people=["alice", "carol"], log=log, **known)
    second = vpn_report.of_vpc("vpc-1", people=["=bob"], log=log, **known)
    return [first, second]


def test_the_report_has_a_row_for_each_certificate():
    rows = json.loads(vpn_report.to_json(parts(), created="2026-11-21T09:00:00Z"))["certificates"]
    found = [(row["person"], row["serial"], row["state"], row["declared"], row["connected"]) for row in rows]
    assert found == [
        ("=bob", "0c", "due", "yes", "no"),
        ("alice", "0a1b", "valid", "yes", "yes"),
        ("carol", "", "no certificate", "yes", "no"),
        ("mallory", "0d", "revoked 2026-11-20", "offboarded", "no"),
    ]
    assert [row["last_connection"] for row in rows][1] == "2026-11-21T08:00:00Z"
    assert rows[3]["last_connection"] == "2026-11-19T08:00:00Z"


def test_the_report_for_auditors_holds_no_formula_and_the_table_every_person():
    assert next(csv.DictReader(io.StringIO(vpn_report.to_csv(parts()))))["person"] == "'=bob"
    table = vpn_report.to_table(parts())
    assert len(table) == 5 and table[2].split()[:3] == ["alice", "vpc-1", "0a1b"]


def test_the_report_names_what_the_inventory_could_not_read():
    sentence = "profile a: no such\x1b profile"
    assert json.loads(vpn_report.to_json(parts(), created="now", not_read=[sentence]))["inventory_failures"] == [sentence]
    rows = list(csv.DictReader(io.StringIO(vpn_report.to_csv(parts(), not_read=[sentence]))))
    assert [row for row in rows if not row["person"]] == [
        {**dict.fromkeys(vpn_report.COLUMNS, ""), "vpc": "profile a: no such? profile", "state": "not read"}
    ]
    assert vpn_report.to_table(parts(), not_read=[sentence])[5:] == ["not read: profile a: no such? profile"]


def test_what_still_opens_the_door_comes_first():
    entries = [{"name": "alice", "serial": serial, "date": "2026-11-20T10:00:00Z"} for serial in ("0b", "01")]
    pki = {"people": PKI["people"][:1], "crl": {"entries": entries}}
    part = vpn_report.of_vpc("vpc-1", pki=pki, people=["alice"], offboarded=[], log={}, connected=[])
    rows = json.loads(vpn_report.to_json([part], created="now"))["certificates"]
    assert [(row["serial"], row["state"]) for row in rows] == [
        ("0a1b", "valid"),
        ("01", "revoked 2026-11-20"),
        ("0b", "revoked 2026-11-20"),
    ]
