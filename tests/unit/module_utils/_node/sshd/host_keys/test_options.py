# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of ssh_host_keys: complete pairs, and refusals that show no key."""

from __future__ import annotations

import base64

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd.host_keys import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd.host_keys.model import HostKey
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ssh.private_key import parse_private
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ssh.public_key import HOST_KEY_TYPES, PublicKey


@pytest.mark.parametrize("key_type", HOST_KEY_TYPES)
def test_a_private_key_contains_its_public_key(pairs, key_type):
    inside = parse_private(pairs[key_type]["private"])
    assert inside == PublicKey.parse(pairs[key_type]["public"])
    assert inside.type == key_type
    assert pairs[key_type]["public"].startswith(inside.line)


def swapped(pairs):
    return {"private": pairs["ed25519"]["private"], "public": pairs["other"]["public"]}


@pytest.mark.parametrize(
    "keys, words",
    [
        (lambda p: {}, ["keys:", "empty set"]),
        (lambda p: {"ed25519": None}, ["keys:", "empty set"]),
        (lambda p: {"ed25519": swapped(p)}, ["keys.ed25519", "a pair whose keys do not match", "SHA256:"]),
        (lambda p: {"rsa": p["ed25519"]}, ["keys.rsa.public", "ed25519", "a key of type rsa."]),
        (lambda p: {"ed25519": p["locked"]}, ["keys.ed25519.private", "passphrase"]),
        (lambda p: {"rsa": p["pem"]}, ["keys.rsa.private", "OPENSSH"]),
        (lambda p: {"rsa": {**p["rsa"], "private": p["rsa"]["private"][:-200]}}, ["keys.rsa.private", "OPENSSH"]),
        (lambda p: {"rsa": {**p["rsa"], "public": "x"}}, ["keys.rsa.public", "not one line"]),
    ],
)
def test_invalid_pairs_are_refused_without_showing_the_key(pairs, keys, words):
    given = keys(pairs)
    with pytest.raises(Refused) as caught:
        options.checked_pairs(given)
    for word in words:
        assert word in str(caught.value)
    for pair in given.values():
        for line in (pair or {}).get("private", "").splitlines():
            assert line not in str(caught.value)


def test_a_pair_with_an_exchanged_clear_copy_is_refused(pairs):
    """The parser reads only the clear public half of the container; ssh-keygen reads the secret part."""
    wanted = options.checked_pairs({"ed25519": pairs["ed25519"]})
    options.check_with_ssh_keygen(wanted)
    other = PublicKey.parse(pairs["other"]["public"])
    forged = HostKey(public=other, comment="", private=pairs["ed25519"]["private"])
    with pytest.raises(Refused, match="a pair whose keys do not match is not allowed: the private key is SHA256:"):
        options.check_with_ssh_keygen([forged])


def test_a_container_with_a_damaged_secret_part_is_refused(pairs):
    lines = pairs["ed25519"]["private"].strip().split("\n")
    container = bytearray(base64.b64decode("".join(lines[1:-1])))
    container[container.rfind(b"ssh-ed25519") + 10] ^= 1  # the type in the secret part
    damaged = "\n".join([lines[0], base64.b64encode(container).decode(), lines[-1], ""])
    wanted = options.checked_pairs({"ed25519": {**pairs["ed25519"], "private": damaged}})
    with pytest.raises(Refused, match="ssh-keygen cannot read it"):
        options.check_with_ssh_keygen(wanted)


def test_a_key_is_not_announced_twice(pairs):
    current = options.checked_pairs({"ed25519": pairs["ed25519"]})
    assert options.next_pairs({}, current) == ()
    with pytest.raises(Refused, match="^next_keys.ed25519: SHA256:.* is also in keys"):
        options.next_pairs({"ed25519": pairs["ed25519"]}, current)
    with pytest.raises(Refused, match="^next_keys.rsa.private: "):
        options.next_pairs({"rsa": pairs["pem"]}, current)
