from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.shared_people import uid_conflicts

ALICE, BOB = {"name": "alice", "uid": 20001}, {"name": "bob", "uid": 20002}


@pytest.mark.parametrize(
    ("declarations", "sentences"),
    [
        ({}, []),
        ({"a": [ALICE, BOB], "b": [ALICE]}, []),
        (
            {"a": [ALICE], "b": [{"name": "alice", "uid": 30001}]},
            [
                "user alice has UID 20001 (cluster a) and 30001 (cluster b); "
                "one person needs one UID on a shared file system"
            ],
        ),
        (
            {"a": [ALICE], "b": [{"name": "eve", "uid": "20001", "state": "absent"}]},
            [
                "UID 20001 belongs to alice (cluster a) and eve (cluster b); "
                "their files would be each other's on a shared file system"
            ],
        ),
    ],
)
def test_conflicts(declarations, sentences):
    assert uid_conflicts(declarations) == sentences
