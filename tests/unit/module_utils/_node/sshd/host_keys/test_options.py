# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of ssh_host_keys: pairs that are whole, and refusals that show no key."""

from __future__ import annotations

import base64
import subprocess

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd.host_keys import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd.host_keys.model import HostKey
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ssh import keys as ssh_keys


@pytest.mark.parametrize("key_type", ssh_keys.HOST_KEY_TYPES)
def test_private_key_holds_its_public_key(pairs, key_type):
    inside = ssh_keys.parse_private(pairs[key_type]["private"])
    assert inside == ssh_keys.parse_public(pairs[key_type]["public"])
    assert inside.type == key_type
    assert pairs[key_type]["public"].startswith(inside.line)


def test_fingerprint_is_that_of_ssh_keygen(pairs, tmp_path):
    (tmp_path / "key.pub").write_text(pairs["ed25519"]["public"])
    listed = subprocess.run(["ssh-keygen", "-lf", tmp_path / "key.pub"], capture_output=True, text=True, check=True)
    assert ssh_keys.parse_public(pairs["ed25519"]["public"]).fingerprint in listed.stdout


@pytest.mark.parametrize(
    "text, reason",
    [
        ("", "not one line"),
        ("ssh-ed25519", "not one line"),
        ("ssh-ed25519 AAAA\nssh-rsa AAAA", "not one line"),
        ("ssh-ed25519 !!!!", "base64"),
        ("ssh-ed25519 AAAAC3Nz", "base64"),
        ("ssh-ed25519 AAAA\nssh-ed25519 AAAA", "not one line"),
        ("ssh-rsa AAAAC3NzaC1lZDI1NTE5AAAAILasyqoyi7KmpC6pzKvPK49DNOORBt4sb+SRbAAjYkMm", "another algorithm"),
    ],
)
def test_bad_public_key(text, reason):
    with pytest.raises(ssh_keys.BadKey, match=reason):
        ssh_keys.parse_public(text)


def swapped(pairs):
    return {"private": pairs["ed25519"]["private"], "public": pairs["other"]["public"]}


@pytest.mark.parametrize(
    "keys, words",
    [
        (lambda p: {}, ["keys:", "empty set"]),
        (lambda p: {"ed25519": None}, ["keys:", "empty set"]),
        (lambda p: {"ed25519": swapped(p)}, ["keys.ed25519", "not a pair", "SHA256:"]),
        (lambda p: {"rsa": p["ed25519"]}, ["keys.rsa.public", "ed25519", "rsa key is expected"]),
        (lambda p: {"ed25519": p["locked"]}, ["keys.ed25519.private", "passphrase"]),
        (lambda p: {"rsa": p["pem"]}, ["keys.rsa.private", "OPENSSH"]),
        (lambda p: {"rsa": {**p["rsa"], "private": p["rsa"]["private"][:-200]}}, ["keys.rsa.private", "OPENSSH"]),
        (lambda p: {"rsa": {**p["rsa"], "public": "x"}}, ["keys.rsa.public", "not one line"]),
    ],
)
def test_refused_without_showing_the_key(pairs, keys, words):
    given = keys(pairs)
    with pytest.raises(Refused) as caught:
        options.checked_pairs(given)
    for word in words:
        assert word in str(caught.value)
    for pair in given.values():
        for line in (pair or {}).get("private", "").splitlines():
            assert line not in str(caught.value)


def test_ssh_keygen_sees_what_the_clear_copy_hides(pairs):
    """A container whose clear public half was exchanged passes the parser, not ssh-keygen."""
    wanted = options.checked_pairs({"ed25519": pairs["ed25519"]})
    options.check_with_ssh_keygen(wanted)
    other = ssh_keys.parse_public(pairs["other"]["public"])
    forged = HostKey(public=other, comment="", private=pairs["ed25519"]["private"])
    with pytest.raises(Refused, match="belongs to"):
        options.check_with_ssh_keygen([forged])


def test_a_key_that_only_its_clear_copy_holds_is_refused(pairs):
    lines = pairs["ed25519"]["private"].strip().split("\n")
    container = bytearray(base64.b64decode("".join(lines[1:-1])))
    container[container.rfind(b"ssh-ed25519") + 10] ^= 1  # the type in the secret part
    spoilt = "\n".join([lines[0], base64.b64encode(container).decode(), lines[-1], ""])
    wanted = options.checked_pairs({"ed25519": {**pairs["ed25519"], "private": spoilt}})
    with pytest.raises(Refused, match="ssh-keygen can't read this key"):
        options.check_with_ssh_keygen(wanted)


def test_a_key_is_not_announced_twice(pairs):
    current = options.checked_pairs({"ed25519": pairs["ed25519"]})
    assert options.next_pairs({}, current) == ()
    with pytest.raises(Refused, match="^next_keys.ed25519: SHA256:.* is among keys, too"):
        options.next_pairs({"ed25519": pairs["ed25519"]}, current)
    with pytest.raises(Refused, match="^next_keys.rsa.private: "):
        options.next_pairs({"rsa": pairs["pem"]}, current)
