# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users and groups one by one: each refusal names the person, the variable, the entry and the field."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared import people

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGxpZXMgbGllcyBsaWVzIGxpZXMgbGllcyBsaWVzICEh"
SECRET = "-----BEGIN OPENSSH PRIVATE KEY-----\nTOPSECRET"
NAMES = {"users": "hyperpod_users", "groups": "hyperpod_groups"}
ALICE = {"name": "alice", "uid": 20001}


def told(users: t.Any, groups: t.Any = ()) -> list[str]:
    return people.account_problems({"users": users, "groups": groups}, NAMES)


def alice(**fields: t.Any) -> list[dict[str, t.Any]]:
    return [{**ALICE, **fields}]


@pytest.mark.parametrize(
    ("users", "sentence"),
    [
        (
            alice(authorized_keys=[KEY]),
            'hyperpod_users[alice].authorized_keys[0]: a text is not allowed. Allowed: {key: "ssh-ed25519 …"}.',
        ),
        (alice(authorized_keys=[{"key": KEY}, SECRET]), 'authorized_keys[1]: a text is not allowed. Allowed: {key: "ssh-ed25519 …"}.'),
        (alice(authorized_keys=["ssh-rsa AAAA"]), 'Allowed: {key: "ssh-rsa …"}.'),
        (alice(authorized_keys=KEY), 'hyperpod_users[alice].authorized_keys: a text is not allowed. Allowed: a list, as in [{key: "ssh-ed25519 …"}].'),
        (
            alice(authorized_keys=[{"key": KEY, "expire": "x"}]),
            "hyperpod_users[alice].authorized_keys[0]: the field expire is not allowed. Allowed: key, options, expires.",
        ),
        (alice(authorized_keys=[{"expires": "2030-01-01"}]), "hyperpod_users[alice].authorized_keys[0].key is missing;"),
        (alice(uid="x20001"), "hyperpod_users[alice].uid: 'x20001' is not allowed. Allowed: whole numbers."),
        (alice(uid=[1]), "hyperpod_users[alice].uid: a list is not allowed. Allowed: whole numbers."),
        (alice(groups={"a": 1}), "hyperpod_users[alice].groups: a mapping is not allowed. Allowed: a list."),
        (alice(state="abesnt"), "hyperpod_users[alice].state: 'abesnt' is not allowed. Allowed: present, absent."),
        (alice(group="research"), "hyperpod_users[alice]: the field group is not allowed: the nearest field of a user is groups."),
        (alice(expire="2030-01-01"), "hyperpod_users[alice]: the field expire is not allowed: expires belongs to a key, in an entry of authorized_keys."),
        (alice(password="x"), "hyperpod_users[alice]: the field password is not allowed. Allowed: authorized_keys, comment, gid"),
        (["alice"], "hyperpod_users[0]: a text is not allowed. Allowed: a mapping, as in {name: alice, uid: 20001}."),
        ([ALICE, {"uid": 20002}], "hyperpod_users[1].name is missing; each user must have a name."),
        (
            {"alice": {"uid": 20001}},
            "hyperpod_users: a mapping is not allowed. Allowed: a list, with an entry such as - {name: alice, uid: 20001} for each user.",
        ),
        ("alice", "hyperpod_users: a text is not allowed. Allowed: a list,"),
    ],
)
def test_what_is_wrong_names_person_and_field(users: t.Any, sentence: str) -> None:
    said = told(users)
    assert len(said) == 1 and sentence in said[0], said
    assert "TOPSECRET" not in said[0]


def test_groups_are_judged_likewise() -> None:
    assert told([], [{"name": "lab", "gid": "x"}]) == ["hyperpod_groups[lab].gid: 'x' is not allowed. Allowed: whole numbers."]
    assert told([], [{"name": "lab"}])[0].startswith("hyperpod_groups[lab].gid: None is not allowed")


def test_everybody_s_mistakes_are_told_at_once_and_by_their_names() -> None:
    users = [{"name": "low", "uid": 5}, {"name": "bob", "uid": 20002, "stat": "absent"}, {"name": "carol", "uid": "x"}, "dave"]
    said = told(users)
    assert [sentence.partition(" ")[0] for sentence in said] == [
        "hyperpod_users[bob]:",
        "hyperpod_users[carol].uid:",
        "hyperpod_users[3]:",
        "hyperpod_users[low].uid:",
    ]


def test_a_right_declaration_is_taken() -> None:
    full = alice(groups=["research"], authorized_keys=[{"key": KEY, "expires": "2030-01-01"}], sudo="ALL=(ALL) ALL", uid="20001")
    assert told(full, [{"name": "research", "gid": 30001}]) == []
    assert told([], None) == []


NOW = 1_800_000_000  # 2027-01-15


@pytest.mark.parametrize(
    ("users", "sentences"),
    [
        (alice(authorized_keys=[{"key": KEY}]), []),
        (alice(), []),
        (alice(authorized_keys=[]), []),
        (alice(authorized_keys=[{"key": KEY, "expires": "2020-01-01"}, {"key": KEY}]), []),
        (alice(authorized_keys=[{"key": KEY, "expires": "2028-01-01"}, {"key": KEY, "expires": "2020-01-01"}]), []),
        (
            alice(authorized_keys=[{"key": KEY, "expires": "2020-01-01"}]),
            ["hyperpod_users[alice]: the only key expired on 2020-01-01T00:00:00Z; no declared key is valid."],
        ),
        (
            alice(authorized_keys=[{"key": KEY, "expires": "2020-01-01"}, {"key": KEY, "expires": "2021-01-01"}]),
            ["hyperpod_users[alice]: all 2 keys expired, the last on 2021-01-01T00:00:00Z; no declared key is valid."],
        ),
        ([], ["hyperpod_users: no users are declared, so no accounts are created."]),
        ([{"name": "bob", "state": "absent"}], ["hyperpod_users: no users are declared, so no accounts are created."]),
    ],
)
def test_who_can_not_log_in_is_noted(users: t.Any, sentences: list[str]) -> None:
    assert people.notes(users, names=NAMES, now=NOW) == sentences
