# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotation of host keys: key pairs by public key, and users to notify."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import host_key_rotation

CONTENT = {
    "keys": {"ed25519": {"private": "one", "public": "ssh-ed25519 AAA comment"}},
    "next": {"keys": {"ed25519": {"private": "two", "public": "ssh-ed25519 BBB"}}},
    "previous": {"keys": {"rsa": {"public": "ssh-rsa CCC"}, "ecdsa": {"private": "three", "public": "ecdsa-sha2-nistp256 DDD"}}},
}


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["ssh-ed25519 AAA"], {"ed25519": "one"}),
        (["ssh-ed25519 BBB other words"], {"ed25519": "two"}),
        (["ecdsa-sha2-nistp256 DDD"], {"ecdsa": "three"}),
        ([], {}),
    ],
)
def test_key_pairs_are_found_by_public_key(lines, expected):
    found = host_key_rotation.pairs_of(CONTENT, lines)
    assert {key_type: pair["private"] for key_type, pair in found.items()} == expected


@pytest.mark.parametrize("line", ["ssh-ed25519 ZZZ", "ssh-rsa CCC"])
def test_a_key_without_its_private_half_is_an_error(line):
    with pytest.raises(host_key_rotation.MissingPair, match="no private key for the published ssh-") as raised:
        host_key_rotation.pairs_of(CONTENT, [line])
    assert not any(word in str(raised.value) for word in ("one", "two", "AAA", "BBB"))


SINCE = "2026-11-01T00:00:00Z"
BEFORE, AFTER = "2026-10-01T00:00:00Z", "2026-11-02T00:00:00Z"


def node(*, history=BEFORE, **logins):
    accounts = [{"name": name, "last_login": time and {"time": time}} for name, time in logins.items()]
    return {"accounts": accounts, "history_since": history}


@pytest.mark.parametrize(
    ("logins", "missing", "doubts"),
    [
        ({"i-1": node(alice=AFTER, bob=AFTER)}, "", 0),
        ({"i-1": node(alice=AFTER, bob=BEFORE), "i-2": node(bob=AFTER)}, "", 0),
        ({"i-1": node(alice=AFTER, bob=BEFORE)}, "bob", 0),
        ({"i-1": node(alice=SINCE, bob=None)}, "bob", 0),
        ({"i-1": node()}, "alice, bob", 0),
        ({"i-1": node(alice=AFTER, history=AFTER)}, "bob", 1),
        ({"i-1": node(alice=AFTER, history=None)}, "bob", 1),
        ({"i-1": node(alice=AFTER, bob=AFTER, history=AFTER)}, "", 0),
    ],
)
def test_users_without_a_login_since_the_rotation_are_named(logins, missing, doubts):
    found = host_key_rotation.absent_people(["bob", "alice"], since=SINCE, logins=logins, nodes=logins)
    if not missing:
        assert len(found) == 1 and found[0].startswith(f"All declared users have logged in since {SINCE}, ")
        return
    assert f": {missing}. " in found[0]
    assert len(found) == 1 + doubts


def test_a_node_that_was_not_read_is_named():
    found = host_key_rotation.absent_people(["bob"], since=SINCE, logins={"i-1": node()}, nodes=["i-1", "i-2"])
    assert found[1:] == ["Login node i-2 could not be read, so some of these users may have logged in there."]
