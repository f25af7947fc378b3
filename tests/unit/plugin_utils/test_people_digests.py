# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Digests of user declarations."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.people_digests import group_representatives, people_digests

ALICE: dict[str, t.Any] = {"name": "alice", "uid": 20001, "authorized_keys": [{"key": "ssh-ed25519 AAAA one"}]}
GONE = {"mallory": {"uid": 20009, "owner": "ops", "since": "2026-11-21T00:00:00Z"}}


def digest(*users: dict[str, t.Any], hosts: t.Sequence[dict[str, t.Any]] = ()) -> dict[str, dict[str, str]]:
    return people_digests(list(users), hosts, GONE)


@pytest.mark.parametrize(
    "other",
    [
        {"authorized_keys": []},
        {"authorized_keys": [{"key": "ssh-ed25519 AAAA one", "expires": "2026-12-31"}]},
        {"state": "absent"},
        {"sudo": "ALL=(ALL) NOPASSWD: ALL"},
    ],
)
def test_a_changed_entry_changes_the_digest(other: dict[str, t.Any]) -> None:
    assert digest(ALICE)["alice"]["digest"] != digest({**ALICE, **other})["alice"]["digest"]


def test_the_line_in_a_file_does_not_matter() -> None:
    assert digest({**ALICE, "source": "users.txt line 2"}) == digest({**ALICE, "source": "users.txt line 3"})


def test_offboarded_users_are_absent() -> None:
    gone = {"name": "mallory", "state": "absent", "former_uids": [20009]}
    assert digest(ALICE, gone)["mallory"]["state"] == "absent"


def test_only_differing_group_variables_are_evaluated() -> None:
    gone = {"name": "mallory", "state": "absent", "former_uids": [20009]}
    same = {"hyperpod_instance_group": "workers", "hyperpod_users": [ALICE]}
    other = {"hyperpod_instance_group": "workers", "hyperpod_users": [{**ALICE, "authorized_keys": []}]}
    assert digest(ALICE, gone, hosts=[same]) == digest(ALICE, gone)
    assert digest(ALICE, gone, hosts=[other])["alice"] != digest(ALICE, gone)["alice"]


def test_one_node_of_each_group_is_evaluated() -> None:
    groups = {
        "cluster_ml": ["ml", "ml-2", "ml-1", "ml-3"],
        "instance_group_login": ["ml-3", "other-1"],
        "instance_group_worker": ["ml-2", "ml-1"],
        "instance_group_gpu": ["other-2"],
        "node_type_login": ["ml-3"],
    }
    assert group_representatives(groups, "cluster_ml") == ["ml-3", "ml-1"]
