# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""People with access through the Client VPN, in the three forms of the report."""

from __future__ import annotations

import csv
import io
import json

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports import vpn

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
    first = vpn.of_vpc("vpc-1", people=["alice", "carol"], log=log, **known)
    second = vpn.of_vpc("vpc-1", people=["=bob"], log=log, **known)
    return [first, second]


def test_the_report_has_a_row_for_each_certificate():
    rows = json.loads(vpn.to_json(parts(), created="2026-11-21T09:00:00Z", clusters={}))["certificates"]
    found = [(row["person"], row["serial"], row["state"], row["declared"], row["connected"]) for row in rows]
    assert found == [
        ("=bob", "0c", "due", "yes", "no"),
        ("alice", "0a1b", "valid", "yes", "yes"),
        ("carol", "", "no certificate", "yes", "no"),
        ("mallory", "0d", "revoked 2026-11-20", "offboarded", "no"),
    ]
    assert [row["last_connection"] for row in rows][1] == "2026-11-21T08:00:00Z"
    assert rows[3]["last_connection"] == "2026-11-19T08:00:00Z"


def test_the_csv_contains_no_formula_and_the_table_every_person():
    assert next(csv.DictReader(io.StringIO(vpn.to_csv(parts()))))["person"] == "'=bob"
    table = vpn.to_table(parts())
    assert len(table) == 5 and table[2].split()[:3] == ["alice", "vpc-1", "0a1b"]


def test_the_report_names_what_the_inventory_could_not_read():
    sentence = "profile a: no such\x1b profile"
    assert json.loads(vpn.to_json(parts(), created="now", clusters={}, not_read=[sentence]))["inventory_failures"] == [sentence]
    rows = list(csv.DictReader(io.StringIO(vpn.to_csv(parts(), not_read=[sentence]))))
    assert [row for row in rows if not row["person"]] == [
        {**dict.fromkeys(vpn.COLUMNS, ""), "vpc": "profile a: no such? profile", "state": "not read"}
    ]
    assert vpn.to_table(parts(), not_read=[sentence])[5:] == ["not read: profile a: no such? profile"]


def test_certificates_that_still_give_access_come_first():
    entries = [{"name": "alice", "serial": serial, "date": "2026-11-20T10:00:00Z"} for serial in ("0b", "01")]
    pki = {"people": PKI["people"][:1], "crl": {"entries": entries}}
    part = vpn.of_vpc("vpc-1", pki=pki, people=["alice"], offboarded=[], log={}, connected=[])
    rows = json.loads(vpn.to_json([part], created="now", clusters={}))["certificates"]
    assert [(row["serial"], row["state"]) for row in rows] == [
        ("0a1b", "valid"),
        ("01", "revoked 2026-11-20"),
        ("0b", "revoked 2026-11-20"),
    ]


def test_only_the_table_truncates_long_values():
    serial, ends, seen = "0123456789abcdef0123", "2027-11-21T00:00:00Z", "2026-11-21T08:00:00Z"
    pki = {"people": [{"name": "alice", "serial": serial, "not_after": ends, "state": "valid"}], "crl": {"entries": []}}
    part = vpn.of_vpc("vpc-1", pki=pki, people=["alice"], offboarded=[], log={"alice": {"last_connected": seen}}, connected=[])
    assert {serial[:16], ends[:10], seen[:16]} <= set(vpn.to_table([part])[1].split())
    (row,) = csv.DictReader(io.StringIO(vpn.to_csv([part])))
    assert (row["serial"], row["expires"], row["last_connection"]) == (serial, ends, seen)
