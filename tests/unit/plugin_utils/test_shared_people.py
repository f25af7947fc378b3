from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.shared_people import uid_conflicts

ALICE, BOB = {"name": "alice", "uid": 20001}, {"name": "bob", "uid": 20002}


@pytest.mark.parametrize(
    ("declarations", "sentences"),
    [
        ({}, []),
        ({"a": [ALICE, BOB], "b": [ALICE]}, []),
        ({"a": [ALICE], "b": [{"name": "alice", "uid": "x"}, {"uid": 20001}, "eve"]}, []),  # refused where they are declared
        (
            {"a": [ALICE], "b": [{"name": "alice", "uid": 30001}]},
            [
                "user alice has UID 20001 (cluster a) and 30001 (cluster b), "
                "but needs the same UID on all clusters that share a file system"
            ],
        ),
        (
            {"a": [ALICE], "b": [{"name": "eve", "uid": "20001", "state": "absent"}]},
            [
                "UID 20001 belongs to alice (cluster a) and eve (cluster b), "
                "so each of them could access the other's files on the shared file system"
            ],
        ),
    ],
)
def test_conflicts_between_clusters_are_reported(declarations, sentences):
    assert uid_conflicts(declarations) == sentences


def test_users_of_files_count_and_users_without_a_uid_do_not(tmp_path):
    (tmp_path / "f.txt").write_text("eve,20001\n")
    found = uid_conflicts({"a": [ALICE], "b": [{"name": "bob", "state": "absent"}]}, {"b": [str(tmp_path / "f.txt")]})
    assert [sentence.partition(", so")[0] for sentence in found] == [
        "UID 20001 belongs to alice (cluster a) and eve (cluster b)"
    ]
