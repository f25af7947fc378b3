# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import datetime
import json
import subprocess

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys import keys as host_keys
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ssh.public_key import HOST_KEY_TYPES, PublicKey

NOW = datetime.datetime(2026, 11, 21, 12, tzinfo=datetime.timezone.utc)


@pytest.fixture(scope="module")
def text():
    return host_keys.generate(HOST_KEY_TYPES, now=NOW)


def test_the_secret_has_a_version_a_time_and_a_key_of_each_type(text):
    data = json.loads(text)
    assert (data["version"], data["created"]) == (1, "2026-11-21T12:00:00Z")
    assert list(data["keys"]) == ["ed25519", "ecdsa", "rsa"]


def test_openssh_reads_the_keys(text, tmp_path):
    bits = {"ed25519": "256", "ecdsa": "256", "rsa": "3072"}
    for key in host_keys.public_half("name", text):
        path = tmp_path / key.type
        path.write_text(json.loads(text)["keys"][key.type]["private"])
        path.chmod(0o600)
        public = subprocess.run(["ssh-keygen", "-y", "-f", path], check=True, capture_output=True, text=True).stdout
        assert public.split()[:2] == key.line.split()
        printed = subprocess.run(["ssh-keygen", "-l", "-f", path], check=True, capture_output=True, text=True).stdout
        assert printed.split()[:2] == [bits[key.type], key.fingerprint]


def changed(text, key_type="ed25519", **fields):
    data = json.loads(text)
    data["keys"][key_type] = {**data["keys"][key_type], **fields}
    return json.dumps(data)


def test_malformed_secrets_are_refused_without_quoting_them(text):
    data = json.loads(text)
    private = data["keys"]["ed25519"]["private"]
    other = json.loads(host_keys.generate(["ed25519"], now=NOW))["keys"]["ed25519"]
    cases = {
        "documented form": ["", "null", "[]", "{}", private, json.dumps({"version": 1})],
        "version is not 1": [json.dumps({**data, "version": 2})],
        "contains no key": [json.dumps({**data, "keys": {}})],
        "one of its key types": [json.dumps({**data, "keys": {"dsa": other}})],
        "not an OpenSSH key": [changed(text, private=private[:-60]), changed(text, private="x")],
        "private and public keys do not match": [changed(text, public=other["public"]), changed(text, private=other["private"])],
        "of a different type": [changed(text, public=data["keys"]["rsa"]["public"])],
        "lacks the second word": [changed(text, public="ssh-ed25519")],
        "algorithm of one of its keys is not one of": [changed(text, public="ssh-dss AAAA")],
    }
    lines = [line for line in private.splitlines() if not line.startswith("-")]
    for reason, texts in cases.items():
        for each in texts:
            with pytest.raises(Refused, match=reason) as raised:
                host_keys.public_half("mlfleet/x", each)
            assert str(raised.value).startswith("Secret mlfleet/x is not usable")
            assert not any(line in str(raised.value) for line in lines)
            assert raised.value.__suppress_context__


def test_a_publication_can_be_read_back(text):
    keys = host_keys.public_half("name", text)
    for public in (host_keys.Publication(keys), host_keys.Publication(keys[:1], keys[1:], keys[2:])):
        assert host_keys.published("name", host_keys.publication(public)) == public
    published = host_keys.publication(host_keys.Publication(keys))
    assert set(json.loads(published)) == {"version", "keys"}
    assert "PRIVATE" not in published


@pytest.mark.parametrize("text", ["", "{}", '{"version": 1, "keys": ["x"]}', '{"version": 1, "keys": [3]}'])
def test_a_parameter_in_another_form_is_refused(text):
    with pytest.raises(Refused, match="Parameter name is not usable"):
        host_keys.published("name", text)


def test_comments_do_not_count(text):
    key = host_keys.public_half("name", text)[0]
    assert PublicKey.parse(key.line + " root@somewhere") == key


def test_declared_keys_have_the_order_of_a_secret(text):
    keys = host_keys.public_half("name", text)
    assert host_keys.declared("public_keys", [f"{key.line} vault\n" for key in reversed(keys)]) == keys


def test_declared_lines_without_a_host_key_are_refused(text):
    data = json.loads(text)["keys"]
    public, private = data["ed25519"]["public"], data["ed25519"]["private"]
    cases = {
        "[]": [],
        "'ssh-ed25519'": ["ssh-ed25519"],
        "'ssh-ed25519 AAAA'": ["ssh-ed25519 AAAA"],
        "'ssh-dss AAAAB3NzaC1kc3M='": ["ssh-dss AAAAB3NzaC1kc3M="],
        "'ssh-rsa AAAAC3": [public.replace("ssh-ed25519", "ssh-rsa")],
        "'a private key'": [private],
        "another key of type ed25519": [public, public],
    }
    for reason, lines in cases.items():
        with pytest.raises(Refused, match=r"^public_keys: .* is not allowed.*\. Allowed: one public key of each type") as raised:
            host_keys.declared("public_keys", lines)
        assert reason in str(raised.value)
        assert "ecdsa-sha2-nistp256" in str(raised.value)
        assert not any(line in str(raised.value) for line in private.splitlines())
