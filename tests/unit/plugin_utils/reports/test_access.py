# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who can log in to which cluster: statuses and sources, keys across nodes, and the three forms of the report."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import access
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports import access as report

KEY = {"type": "ssh-ed25519", "fingerprint": "SHA256:a", "comment": "a@x", "options": "", "expires": None}
HOME = {**KEY, "fingerprint": "SHA256:h", "comment": '=HYPERLINK("http://x")', "place": "home"}
MANAGED = {**KEY, "place": "managed", "expires": "2027-12-31T00:00:00Z"}
GONE = {"mallory": {"uid": 20009, "owner": "ops@x", "since": "2026-11-01T10:00:00Z"}}


def account(name, uid, *keys, last=None, closed=False, password=False):
    login = last and {"time": last, "method": "publickey", "fingerprint": "SHA256:a", "source": "journal"}
    return {
        "name": name,
        "uid": uid,
        "home": f"/fsx/{name}",
        "shell": "/bin/bash",
        "closed": closed,
        "password_login": password,
        "authorized_keys": list(keys),
        "last_login": login,
    }


def answer(*accounts, unread=()):
    return {"accounts": list(accounts), "history_since": "2026-01-01T00:00:00Z", "unread": list(unread)}


def part(nodes, *, users=(), files=(), offboarded=None):
    return access.of_cluster(
        nodes, users=list(users), files=list(files), offboarded=offboarded or {}, operations_user="hyperpod-ops"
    )


def person(cluster, name):
    return next(one for one in cluster["people"] if one["name"] == name)


@pytest.mark.parametrize(
    ("name", "users", "offboarded", "status", "source"),
    [
        ("alice", [{"name": "alice", "uid": 20001}], {}, "declared", "hyperpod_users"),
        ("alice", [{"name": "alice", "state": "absent"}], {}, "declared absent", "hyperpod_users"),
        ("eve", [], {}, "not declared", ""),
        ("hyperpod-ops", [], {}, "operations", "the account of these playbooks"),
        ("mallory", [], GONE, "offboarded", "offboarded 2026-11-01 by ops@x"),
        (
            "mallory",
            [{"name": "mallory", "uid": 20009}],
            GONE,
            "offboarded",
            "offboarded 2026-11-01 by ops@x, still declared in hyperpod_users",
        ),
    ],
)
def test_every_account_has_a_source(name, users, offboarded, status, source):
    found = part({"i-1": answer(account(name, 20001, MANAGED))}, users=users, offboarded=offboarded)
    assert (person(found, name)["status"], person(found, name)["source"]) == (status, source)


def test_a_user_file_is_a_source(tmp_path: Path):
    listed = tmp_path / "shared_users.txt"
    listed.write_text("dora,20004,/fsx/dora\n")
    found = part({"i-1": answer()}, files=[str(listed)])
    assert str(listed) in person(found, "dora")["source"]
    assert (person(found, "dora")["uids"], person(found, "dora")["nodes"]) == ([20004], [])


def test_answers_of_nodes_are_merged():
    found = part(
        {
            "i-1": answer(account("alice", 20001, MANAGED, last="2026-11-01T00:00:00Z"), unread=["no storage."]),
            "i-2": answer(account("alice", 1001, MANAGED, HOME, last="2026-11-02T00:00:00Z", closed=True, password=True)),
            "i-3": "",
        }
    )
    alice = person(found, "alice")
    assert alice["uids"] == [1001, 20001]
    keys = [(key["fingerprint"], key["nodes"]) for key in alice["keys"]]
    assert keys == [("SHA256:a", ["i-1", "i-2"]), ("SHA256:h", ["i-2"])]
    assert (alice["last_login"]["node"], alice["last_login"]["time"]) == ("i-2", "2026-11-02T00:00:00Z")
    assert (alice["closed_on"], alice["password_on"]) == (["i-2"], ["i-2"])
    assert (found["nodes_read"], found["nodes_not_read"]) == (["i-1", "i-2"], ["i-3"])
    assert found["unread"] == ["i-1: no storage."]


@pytest.fixture
def clusters():
    users = [{"name": "alice", "uid": 20001}, {"name": "carol", "uid": 20003}]
    nodes = {"i-1": answer(account("alice", 20001, MANAGED, HOME, last="2026-11-01T08:09:10Z"), account("eve\x1b", 666))}
    other = part({"i-2": answer(account("alice", 20001, MANAGED))})
    return {"ml": part({**nodes, "i-9": ""}, users=users), "b": other, "c": ""}


def test_json_names_each_person_once_with_all_clusters(clusters):
    document = json.loads(report.to_json(clusters, created="now"))
    assert [(one["name"], [each["cluster"] for each in one["clusters"]]) for one in document["people"]] == [
        ("alice", ["b", "ml"]),
        ("carol", ["ml"]),
        ("eve\x1b", ["ml"]),
    ]
    assert document["clusters_not_read"] == ["c"]
    assert document["clusters"]["ml"]["nodes_not_read"] == ["i-9"]


def test_csv_has_one_line_per_key_and_no_formula(clusters):
    rows = list(csv.DictReader(io.StringIO(report.to_csv(clusters))))
    assert [(row["person"], row["cluster"], row["key_fingerprint"]) for row in rows] == [
        ("alice", "b", "SHA256:a"),
        ("alice", "ml", "SHA256:a"),
        ("alice", "ml", "SHA256:h"),
        ("carol", "ml", ""),
        ("eve?", "ml", ""),
        ("", "c", ""),  # it was not read
    ]
    assert rows[2]["key_comment"] == "'" + HOME["comment"]
    assert (rows[1]["key_expires"], rows[1]["last_login_node"], rows[1]["last_login_with"]) == (
        "2027-12-31T00:00:00Z",
        "i-1",
        "SHA256:a",
    )


def test_the_table_reports_what_it_leaves_out(clusters):
    lines = report.to_table(clusters)
    cells = [[cell for cell in line.split("  ") if cell] for line in lines]
    assert [cell.strip() for cell in cells[2]] == [
        "alice",
        "ml",
        "20001",
        "SHA256:a",
        "2027-12-31",
        "2026-11-01T08:09 i-1",
        "hyperpod_users",
    ]
    assert "no account" in lines[4] and "SHA256:h (home)" in lines[3]
    assert lines[5].split() == ["eve?", "ml", "666", "no", "key", "none", "known", "not", "declared"]
    assert lines[-2:] == ["c: not read", "ml: i-9 could not be read"]


def test_unread_parts_of_nodes_are_printable():
    found = part({"i-1": answer(unread=["/home/a\x1b[2K\n is no folder"])})
    assert report.to_table({"ml": found})[-1] == "ml: i-1: /home/a?[2K? is no folder"
