"""Variables, user files and the list of people who were offboarded, as one declaration."""

from __future__ import annotations

import pytest
from ansible._internal._datatag._tags import Origin
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import declared_people
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.shared_users import BadUsersFile

RECORDS = {"mallory": {"owner": "ops@bastion", "since": "2026-11-21T01:02:03Z", "uid": 20003, "other_uids": [20009]}}
WHO = "mallory, who was offboarded on 2026-11-21 by ops@bastion"


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.txt").write_text("alice,20001,/fsx/a\nmallory,20003,/fsx/mallory\n")
    return ["f.txt"]


def test_an_entry_completes_that_of_a_file(file):
    users = [{"name": "alice", "authorized_keys": []}, {"name": "bob", "uid": 20002}]
    assert declared_people.declared(users, file) == [
        {"name": "alice", "uid": 20001, "home": "/fsx/a", "source": "f.txt line 1", "authorized_keys": []},
        {"name": "bob", "uid": 20002},
        {"name": "mallory", "uid": 20003, "home": "/fsx/mallory", "source": "f.txt line 2"},
    ]


def test_an_entry_with_its_own_home_replaces_that_of_the_file(file):
    alice, _mallory = declared_people.declared([{"name": "alice", "home": "/fsx/alice"}], file)
    assert alice == {"name": "alice", "uid": 20001, "home": "/fsx/alice"}


def test_two_sources_with_different_uids_are_refused(file):
    users = [{"name": "alice", "uid": 1}]
    sentence = "alice has several UIDs: 1 (hyperpod_users), 20001 (f.txt line 1). Declare only one of them."
    assert declared_people.problems(users, file, {}) == [sentence]
    with pytest.raises(BadUsersFile, match="Declare only one of them"):
        declared_people.declared(users, file)


def test_offboarded_users_are_left_out_and_removed(file):
    people = declared_people.declared([], file)
    assert declared_people.honoured(people, RECORDS) == [
        {"name": "alice", "uid": 20001, "home": "/fsx/a", "source": "f.txt line 1"},
        {"name": "mallory", "state": "absent", "former_uids": [20003, 20009]},
    ]
    assert declared_people.honoured(people, {}) == people


def test_the_place_of_a_stale_entry_is_named(file):
    name = Origin(path="/srv/group_vars/all.yml", line_num=7).tag("mallory")
    users = [{"name": name, "uid": 20003}]
    assert declared_people.notes(users, file, RECORDS) == [
        f"{WHO}, is still declared in /srv/group_vars/all.yml line 7 and f.txt line 2, "
        "but gets no account. Remove the entry"
    ]
    assert declared_people.notes([{"name": "mallory", "state": "absent"}], [], RECORDS) == []
    assert declared_people.notes([{"name": "alice", "uid": 20001}], [], RECORDS) == []


@pytest.mark.parametrize(
    ("user", "refused"),
    [
        ({"name": "carol", "uid": 20003}, True),
        ({"name": "carol", "uid": "20009"}, True),
        ({"name": "carol", "uid": 20004}, False),
        ({"name": "carol", "uid": 20003, "state": "absent"}, False),
        ({"name": "mallory", "uid": 20003}, False),
        ({"name": "carol"}, False),
        ("carol", False),
    ],
)
def test_the_uid_of_an_offboarded_user_is_never_reused(user, refused):
    expected = []
    if refused:
        expected = [
            f"hyperpod_users: the UID {user['uid']} of carol is not allowed: this UID belonged to {WHO}, "
            "and files on shared storage still have it. Allowed: a different UID."
        ]
    assert declared_people.problems([user], [], RECORDS) == expected
