# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""client_vpn_profile: files and their modes, and values that are never shown."""

from __future__ import annotations

import json
import os
import re

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.pki import crypto as pki_crypto
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.profile import text as profile
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.profile.apply import write as write_file
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from simulated.shape import one_shape

EXPORTED = """client
dev tun
proto udp
remote *.cvpn-endpoint-0123456789abcdef0.prod.clientvpn.us-west-2.amazonaws.com 443
remote-random-hostname
cipher AES-256-GCM
<ca>
-----BEGIN CERTIFICATE-----
script-security
-----END CERTIFICATE-----
</ca>

script-security 2
verify-x509-name server.vpn.example.com name
"""


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "vpn" / "research"


def write(endpoint, folder, *people, **options):
    options = {"client_vpn_endpoint_id": endpoint.id, "vpc_id": endpoint.vpc, "folder": str(folder), **options}
    return endpoint.lab.run("client_vpn_profile", people=list(people), **options)


def pki(endpoint, **options):
    return endpoint.lab.run("client_vpn_pki", vpc_id=endpoint.vpc, **options)["client_vpn_pki"]


def part(text, name):
    return re.search(rf"<{name}>\n(.*?)\n</{name}>", text, re.S)[1]


class Written:
    """Compares files on this machine; the module only reads from AWS."""

    def __init__(self, lab, folder):
        self.lab, self.folder, self.before = lab, folder, {}

    def files(self):
        return {path: path.read_text() for path in self.folder.glob("*")}

    def run(self, module, /, **options):
        self.before = self.files()
        return self.lab.run(module, **options)

    def changes(self):
        assert self.lab.changes() == []
        return [path for path in {**self.before, **self.files()} if self.before.get(path) != self.files().get(path)]

    def problems(self):
        return self.lab.problems()


def test_written_and_removed(endpoint, folder):
    pki(endpoint, people=["alice"])
    people = {"people": ["alice"], "folder": str(folder)}
    one_shape(
        Written(endpoint.lab, folder),
        "client_vpn_profile",
        present={**people, "client_vpn_endpoint_id": endpoint.id, "vpc_id": endpoint.vpc},
        absent={**people, "state": "absent"},
        passing=["profiles.changed"],
    )


def test_profiles_are_written_once_for_the_owner_only(endpoint, folder):
    serials = {each["name"]: each["serial"] for each in pki(endpoint, people=["alice", "bob"])["people"]}
    foreseen = write(endpoint, folder, "alice", "bob", check=True)
    assert foreseen["changed"] and not folder.exists() and endpoint.lab.changes() == []
    result = write(endpoint, folder, "alice", "bob")
    assert [(each["name"], each["serial"], each["changed"]) for each in result["profiles"]] == [
        ("alice", serials["alice"], True),
        ("bob", serials["bob"], True),
    ]
    assert sorted(os.listdir(folder)) == ["alice.ovpn", "bob.ovpn"]
    modes = [oct(each.stat().st_mode & 0o777) for each in (folder.parent, folder, folder / "alice.ovpn")]
    assert modes == ["0o700", "0o700", "0o600"]
    text = (folder / "alice.ovpn").read_text()
    certificate = pki_crypto.read_certificate(part(text, "cert"))
    assert (certificate.serial, certificate.common_name) == (serials["alice"], "alice")
    assert pki_crypto.key_fits(part(text, "key"), certificate)
    assert f"remote {endpoint.id}.prod.clientvpn.us-west-2.amazonaws.com 443" in text.split("\n")
    second = write(endpoint, folder, "alice", "bob")
    assert second["changed"] is False and [each["changed"] for each in second["profiles"]] == [False, False]


def test_only_changed_profiles_are_written(endpoint, folder):
    pki(endpoint, people=["alice", "bob"])
    write(endpoint, folder, "alice", "bob")
    before = (folder / "bob.ovpn").stat().st_ino
    (folder / "alice.ovpn").write_text("something else")
    os.chmod(folder / "bob.ovpn", 0o644)
    foreseen = write(endpoint, folder, "bob", check=True)
    assert [(each["field"], each["before"], each["after"]) for each in foreseen["changes"]] == [
        ("mode", "0644", "0600")
    ]
    result = write(endpoint, folder, "alice", "bob")
    assert {each["name"]: each["changed"] for each in result["profiles"]} == {"alice": True, "bob": True}
    assert (folder / "bob.ovpn").stat().st_mode & 0o777 == 0o600 and (folder / "bob.ovpn").stat().st_ino != before
    assert write(endpoint, folder, "alice", "bob")["changed"] is False


def test_a_random_label_is_made_once(endpoint, folder):
    pki(endpoint, people=["alice"])
    write(endpoint, folder, "alice", random_host_prefix=True)
    text = (folder / "alice.ovpn").read_text()
    assert re.search(rf"^remote [0-9a-f]{{8}}\.{endpoint.id}\.prod\.clientvpn", text, re.M)
    assert "remote-random-hostname" not in text
    assert write(endpoint, folder, "alice", random_host_prefix=True)["changed"] is False
    assert (folder / "alice.ovpn").read_text() == text
    assert write(endpoint, folder, "alice")["changed"]


@pytest.mark.parametrize("scheduled", [False, True])
def test_a_person_without_a_certificate_stops_all_profiles(endpoint, folder, scheduled):
    """A secret scheduled for deletion holds no certificate."""
    pki(endpoint, people=["alice", "bob"] if scheduled else ["alice"])
    if scheduled:
        endpoint.lab.client("secretsmanager").delete_secret(SecretId=f"{endpoint.prefix}/people/bob")
    result = write(endpoint, folder, "alice", "bob")
    assert result["failed"] and "people: 'bob' is not allowed: they have no certificate" in result["msg"]
    assert not folder.exists()
    assert write(endpoint, folder, "alice", "bob", check=True)["changed"]


def test_check_mode_without_an_endpoint(lab, folder):
    options = {
        "client_vpn_endpoint_id": "(known after apply)",
        "vpc_id": "vpc-0123456789abcdef0",
        "folder": str(folder),
    }
    result = lab.run("client_vpn_profile", people=["alice"], check=True, **options)
    assert result["changed"] and lab.calls() == []
    assert result["profiles"][0]["serial"] == "(known after apply)"


def test_absent_removes_the_file_without_any_call(endpoint, folder):
    pki(endpoint, people=["alice", "bob"])
    write(endpoint, folder, "alice", "bob")
    options = {"people": ["alice", "nobody"], "folder": str(folder), "state": "absent"}
    assert endpoint.lab.run("client_vpn_profile", check=True, **options)["changed"]
    assert endpoint.lab.run("client_vpn_profile", **options)["changed"]
    assert os.listdir(folder) == ["bob.ovpn"] and endpoint.lab.calls() == []
    assert endpoint.lab.run("client_vpn_profile", **options)["changed"] is False


def test_a_folder_that_cannot_be_made_is_named(endpoint, tmp_path):
    pki(endpoint, people=["alice"])
    (tmp_path / "file").write_text("")
    result = write(endpoint, tmp_path / "file" / "x", "alice")
    assert result["failed"] and f"{tmp_path}/file/x" in result["msg"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"people": ["../alice"]}, "people: '../alice' is not allowed"),
        ({"client": "aws", "random_host_prefix": True}, "random_host_prefix: True is not allowed"),
        ({"vpc_id": "x"}, "vpc_id: 'x' is not allowed"),
        ({"client_vpn_endpoint_id": "x"}, "client_vpn_endpoint_id: 'x' is not allowed"),
    ],
)
def test_bad_input_is_refused_before_any_call(lab, tmp_path, options, message):
    given = {
        "client_vpn_endpoint_id": "cvpn-endpoint-0123456789abcdef0",
        "vpc_id": "vpc-0123456789abcdef0",
        "people": ["alice"],
        "folder": str(tmp_path),
        **options,
    }
    result = lab.run("client_vpn_profile", **given)
    assert result["failed"] and message in result["msg"]
    assert lab.calls() == [] and os.listdir(tmp_path) == []


def test_profiles_for_the_aws_client_have_only_supported_directives():
    assert "script-security 2" in profile.configuration(EXPORTED, client="openvpn")
    text = profile.configuration(EXPORTED, client="aws")
    assert "script-security 2" not in text and "\nscript-security\n" in text  # inside <ca> nothing is a directive
    assert text.count("\n") == EXPORTED.count("\n") - 1


def test_saml_needs_the_aws_client():
    exported = EXPORTED + "auth-federate\n"
    assert "auth-federate" in profile.configuration(exported, client="aws")
    with pytest.raises(Refused, match="client: 'openvpn' is not allowed"):
        profile.configuration(exported, client="openvpn")


@pytest.mark.parametrize(
    ("host", "label"),
    [
        ("ab12.cvpn-endpoint-0123456789abcdef0.prod.clientvpn.us-west-2.amazonaws.com", "ab12"),
        ("cvpn-endpoint-0123456789abcdef0.prod.clientvpn.us-west-2.amazonaws.com", ""),
        ("ab12.cvpn-endpoint-fffff.prod.clientvpn.us-west-2.amazonaws.com", ""),
    ],
)
def test_a_label_is_kept_for_the_same_endpoint_only(host, label):
    assert profile.label_in(f"client\nremote {host} 443\n", EXPORTED) == label


def test_the_label_replaces_the_asterisk_of_the_name():
    text = profile.joined(EXPORTED, "C", "K", label="ab12")
    assert "remote ab12.cvpn-endpoint-0123456789abcdef0.prod.clientvpn.us-west-2.amazonaws.com 443\n" in text
    assert text.endswith("<cert>\nC\n</cert>\n\n<key>\nK\n</key>\n")


def test_a_failed_write_leaves_only_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "alice.ovpn"
    path.write_text("old")

    def broken(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(OSError, match="No space"):
        write_file(str(path), "new")
    assert os.listdir(tmp_path) == ["alice.ovpn"] and path.read_text() == "old"


def test_results_and_diffs_show_fingerprints_only(endpoint, folder):
    pki(endpoint, people=["alice"])
    result = write(endpoint, folder, "alice")
    key = part((folder / "alice.ovpn").read_text(), "key").split("\n")[1]
    assert key not in json.dumps(result) and "(secret SHA256:" in result["diff"]["after"]
