# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users and groups: each refusal names the person, the variable, the entry and the field."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared import people

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGxpZXMgbGllcyBsaWVzIGxpZXMgbGllcyBsaWVzICEh"
SECRET = "-----BEGIN OPENSSH PRIVATE KEY-----\nTOPSECRET"
NAMES = {"users": "hyperpod_users", "groups": "hyperpod_groups"}
ALICE = {"name": "alice", "uid": 20001}


def refusals(users: t.Any, groups: t.Any = ()) -> list[str]:
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
        (alice(authorized_keys=[{"expires": "2030-01-01"}]), "hyperpod_users[alice].authorized_keys[0].key: missing;"),
        (alice(uid="x20001"), "hyperpod_users[alice].uid: 'x20001' is not allowed. Allowed: whole numbers."),
        (alice(uid=[1]), "hyperpod_users[alice].uid: a list is not allowed. Allowed: whole numbers."),
        (alice(groups={"a": 1}), "hyperpod_users[alice].groups: a mapping is not allowed. Allowed: a list."),
        (alice(state="abesnt"), "hyperpod_users[alice].state: 'abesnt' is not allowed. Allowed: present, absent."),
        (alice(group="research"), "hyperpod_users[alice]: the field group is not allowed: the nearest field of a user is groups."),
        (alice(expire="2030-01-01"), "hyperpod_users[alice]: the field expire is not allowed: expires is a field of a key in authorized_keys."),
        (alice(password="x"), "hyperpod_users[alice]: the field password is not allowed. Allowed: authorized_keys, comment, gid"),
        (["alice"], "hyperpod_users[0]: a text is not allowed. Allowed: a mapping, as in {name: alice, uid: 20001}."),
        ([ALICE, {"uid": 20002}], "hyperpod_users[1].name: missing; each user must have a name."),
        (
            {"alice": {"uid": 20001}},
            "hyperpod_users: a mapping is not allowed. Allowed: a list, with an entry such as - {name: alice, uid: 20001} for each user.",
        ),
        ("alice", "hyperpod_users: a text is not allowed. Allowed: a list,"),
    ],
)
def test_an_error_names_person_and_field(users: t.Any, sentence: str) -> None:
    messages = refusals(users)
    assert len(messages) == 1 and sentence in messages[0], messages
    assert "TOPSECRET" not in messages[0]


def test_groups_are_checked_in_the_same_way() -> None:
    assert refusals([], [{"name": "lab", "gid": "x"}]) == ["hyperpod_groups[lab].gid: 'x' is not allowed. Allowed: whole numbers."]
    assert refusals([], [{"name": "lab"}])[0].startswith("hyperpod_groups[lab].gid: None is not allowed")


def test_errors_of_all_people_are_reported_together_by_name() -> None:
    users = [{"name": "low", "uid": 5}, {"name": "bob", "uid": 20002, "stat": "absent"}, {"name": "carol", "uid": "x"}, "dave"]
    messages = refusals(users)
    assert [sentence.partition(" ")[0] for sentence in messages] == [
        "hyperpod_users[bob]:",
        "hyperpod_users[carol].uid:",
        "hyperpod_users[3]:",
        "hyperpod_users[low].uid:",
    ]


def test_a_valid_declaration_is_accepted() -> None:
    full = alice(groups=["research"], authorized_keys=[{"key": KEY, "expires": "2030-01-01"}], sudo="ALL=(ALL) ALL", uid="20001")
    assert refusals(full, [{"name": "research", "gid": 30001}]) == []
    assert refusals([], None) == []


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
def test_people_who_cannot_log_in_are_noted(users: t.Any, sentences: list[str]) -> None:
    assert people.notes(users, names=NAMES, now=NOW) == sentences
