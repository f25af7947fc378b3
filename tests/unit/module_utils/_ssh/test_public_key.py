# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Public keys, compared with ssh-keygen."""

from __future__ import annotations

import base64
import subprocess
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ssh.public_key import (
    BY_ALGORITHM,
    GENERATED,
    HOST_KEY_TYPES,
    BadKey,
    PublicKey,
    Reader,
    signatures,
)

WAYS = [("ed25519", "256"), ("ecdsa", "256"), ("ecdsa", "384"), ("ecdsa", "521"), ("rsa", "2048")]


@pytest.mark.parametrize(("name", "bits"), WAYS)
def test_a_key_of_openssh_is_parsed(tmp_path: Path, name: str, bits: str) -> None:
    path = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", name, "-b", bits, "-N", "", "-C", "a comment", "-f", str(path)], check=True)
    line = path.with_suffix(".pub").read_text()
    shown = subprocess.run(["ssh-keygen", "-l", "-f", str(path)], check=True, capture_output=True, text=True).stdout
    key = PublicKey.parse(line)
    assert (key.type, key.certifies, key.comment) == (name, "", "")
    assert key.fingerprint == shown.split()[1]
    assert f"{key} a comment\n" == line
    assert BY_ALGORITHM[key.algorithm].is_whole(list(Reader(key.blob).strings())[1:])


@pytest.mark.parametrize(
    "text, reason",
    [
        ("", "not one line"),
        ("ssh-ed25519", "not one line"),
        ("ssh-ed25519 AAAA\nssh-rsa AAAA", "not one line"),
        ("ssh-ed25519 !!!!", "base64"),
        ("ssh-ed25519 AAAAC3Nz", "base64"),
        ("ssh-ed25519 AAAA\nssh-ed25519 AAAA", "not one line"),
        ("ssh-rsa AAAAC3NzaC1lZDI1NTE5AAAAILasyqoyi7KmpC6pzKvPK49DNOORBt4sb+SRbAAjYkMm", "a different algorithm"),
    ],
)
def test_invalid_keys_are_refused(text, reason):
    with pytest.raises(BadKey, match=reason):
        PublicKey.parse(text)


def test_a_certificate_certifies_a_type_of_host_key() -> None:
    def certificate(algorithm: str) -> PublicKey:
        name = f"{algorithm}-cert-v01@openssh.com".encode()
        blob = len(name).to_bytes(4, "big") + name
        return PublicKey.parse(f"{name.decode()} {base64.b64encode(blob).decode()}")

    assert (certificate("ssh-rsa").certifies, certificate("ssh-rsa").type) == ("rsa", "ssh-rsa-cert-v01@openssh.com")
    assert certificate("sk-ssh-ed25519").certifies == ""


def test_the_table_has_one_generated_key_for_each_type() -> None:
    assert tuple(GENERATED) == HOST_KEY_TYPES
    assert {name: signatures(name)[0] for name in HOST_KEY_TYPES} == {**GENERATED, "rsa": "rsa-sha2-512"}
