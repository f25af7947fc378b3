# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Declared users, errors of the declaration, and results on a node."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views import accounts

ALICE = {"name": "alice", "uid": 20001}
BOB = {"name": "bob", "uid": 20002, "state": "absent"}
CAROL = {"name": "carol", "uid": 20003, "state": "locked"}
GONE = {"mallory": {"owner": "ops", "since": "2026-11-20T10:00:00Z", "uid": 20009, "other_uids": [20010]}}
ENDED = {"key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGxpZXMgbGllcyBsaWVzIGxpZXMgbGllcyBsaWVzICEh", "expires": "2020-01-01T00:00:00Z"}
NODES: dict[str, dict[str, t.Any]] = {
    "ml-1": {"hyperpod_instance_group": "login"},
    "ml-2": {"hyperpod_instance_group": "gpu", "hyperpod_users": [{"name": "dave", "uid": 20004}]},
}


@pytest.fixture
def variables() -> dict[str, t.Any]:
    cluster = {"hyperpod_run": {"records": {"offboarded": GONE}}, "hyperpod_users": []}
    return {
        "accounts_file_system": "",
        "accounts_groups": [{"name": "research", "gid": 30001}],
        "accounts_operations_user": "hyperpod-ops",
        "accounts_shared_home_roots": ["/fsx"],
        "accounts_source": "local",
        "accounts_users": [ALICE, BOB],
        "accounts_users_files": [],
        "group_names": ["cluster_ml"],
        "groups": {"hyperpod_clusters": ["ml"], "cluster_ml": ["ml", *NODES], "instance_group_a": ["ml-1"], "instance_group_b": ["ml-2"]},
        "hostvars": {"ml": cluster, **NODES},
        "hyperpod_cluster_group": "cluster_ml",
        "inventory_hostname": "ml",
    }


def texts(findings: t.Iterable[t.Mapping[str, str]]) -> list[str]:
    return [each["text"] for each in findings]


def test_valid_declarations_have_no_findings(variables: dict[str, t.Any]) -> None:
    found = [accounts.source_refusals(variables), accounts.offboarded(variables)]
    assert [*found, accounts.refusals(variables), accounts.ended(variables)] == [[], [], [], []]


def test_an_unreadable_file_is_refused(variables: dict[str, t.Any]) -> None:
    (refusal,) = accounts.source_refusals({**variables, "accounts_users_files": ["/no/such/file"]})
    assert (refusal["code"], refusal["kind"]) == ("option-refused", "failure") and "/no/such/file" in refusal["text"]


def test_the_uid_of_an_offboarded_user_is_refused(variables: dict[str, t.Any]) -> None:
    (refusal,) = texts(accounts.source_refusals({**variables, "accounts_users": [{"name": "eve", "uid": 20010}]}))
    assert "the UID 20010 of eve is not allowed" in refusal


def test_an_offboarded_user_who_is_declared_is_noted(variables: dict[str, t.Any]) -> None:
    given = {**variables, "accounts_users": [ALICE, {"name": "mallory", "uid": 20009}]}
    (note,) = accounts.offboarded(given)
    assert note["code"] == "offboarded-still-declared" and note["kind"] != "failure" and "by ops" in note["text"]
    assert accounts.remaining(given) == ["alice"]


def test_invalid_entries_are_refused(variables: dict[str, t.Any]) -> None:
    given = {**variables, "accounts_users": [{"name": "root", "uid": 0}], "accounts_groups": ["x"]}
    assert len(accounts.refusals(given)) > 1 and accounts.refusals(given)[0]["kind"] == "failure"


@pytest.mark.parametrize(
    ("public", "name"),
    [({"hyperpod_users": ["x"]}, "hyperpod_users"), ({"hyperpod_users": []}, "accounts_users"), ({}, "accounts_users")],
)
def test_entries_are_reported_under_the_name_that_was_set(variables: dict[str, t.Any], public: dict[str, t.Any], name: str) -> None:
    (refusal,) = texts(accounts.refusals({**variables, **public, "accounts_users": ["x"]}))
    assert refusal.startswith(f"{name}[0]: ")


def test_users_with_expired_keys_are_noted(variables: dict[str, t.Any]) -> None:
    (note,) = accounts.ended({**variables, "accounts_users": [ALICE, {**CAROL, "authorized_keys": [ENDED]}]})
    assert note["code"] == "users-cannot-log-in" and note["text"].startswith("accounts_users[carol]: the only key expired")


def test_without_expired_keys_no_user_is_noted(variables: dict[str, t.Any]) -> None:
    assert "no users are declared" in texts(accounts.ended({**variables, "accounts_users": []}))[0]


def test_accounts_for_nodes_are_selected(variables: dict[str, t.Any]) -> None:
    assert accounts.groups(variables) == [{"name": "research", "gid": 30001}]
    gone = {"name": "mallory", "state": "absent", "former_uids": [20009, 20010]}
    assert accounts.users(variables) == [ALICE, BOB, gone]


def test_the_record_belongs_to_the_cluster_of_the_node(variables: dict[str, t.Any]) -> None:
    given = {**variables, "hostvars": {"ml": {}}, "hyperpod_run": {"records": {"offboarded": GONE}}}
    assert accounts.users(given) == [ALICE, BOB]


def test_names_and_digests_of_declared_users_are_returned(variables: dict[str, t.Any]) -> None:
    given = {**variables, "accounts_users": [CAROL, BOB, ALICE]}
    assert accounts.remaining(given) == ["alice", "carol"]
    found = accounts.digests(given)
    assert {name: each["state"] for name, each in found.items()} == {
        "alice": "present",
        "bob": "absent",
        "carol": "present",
        "dave": "present",
        "mallory": "absent",
    }


def test_accounts_from_other_sources_are_neither_checked_nor_created(variables: dict[str, t.Any]) -> None:
    given = {**variables, "accounts_source": "external", "accounts_users": ["x"], "accounts_users_files": ["/no/such/file"]}
    assert accounts.source_refusals(given) == accounts.refusals(given) == []
    assert accounts.offboarded(given) == accounts.ended(given) == []
    assert accounts.groups(given) == accounts.users(given) == accounts.remaining(given) == []
    assert accounts.digests(given) == {}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, (False, False, False)),
        ({"__accounts_made": {"skipped": True}}, (False, False, False)),
        ({"__accounts_made": {"changes": [], "accounts": {"users": [ALICE, BOB]}}}, (False, False, False)),
        ({"__accounts_made": {"changes": [{}], "accounts": {"users": [ALICE, CAROL]}}}, (False, True, True)),
        ({"accounts_planning": True}, (True, False, False)),
    ],
)
def test_results_of_accounts_are_returned(given: dict[str, t.Any], expected: tuple[bool, bool, bool]) -> None:
    found = accounts.made(given)
    assert (found.planning, found.changed, found.held) == expected


def test_clusters_with_a_shared_file_system_must_have_equal_uids() -> None:
    def cluster(key: str, file_system: str, uid: int) -> dict[str, t.Any]:
        return {"hyperpod_cluster_key": key, "hyperpod_file_system": file_system, "hyperpod_users": [{"name": "alice", "uid": uid}]}

    hostvars = {"a": cluster("a", "one", 20001), "b": cluster("b", "one", 20002), "c": cluster("c", "two", 20003), "d": {}}
    given = {"hostvars": hostvars, "groups": {"hyperpod_clusters": list(hostvars)}}
    (refusal,) = texts(accounts.file_system_refusals({**given, "accounts_file_system": "one"}))
    assert refusal == (
        "hyperpod_users: user alice has UID 20001 (cluster a) and 20002 (cluster b), but needs the same UID on all clusters that share a file system."
    )
    assert accounts.file_system_refusals({**given, "accounts_file_system": "two"}) == []
    assert accounts.file_system_refusals({**given, "accounts_file_system": ""}) == []
