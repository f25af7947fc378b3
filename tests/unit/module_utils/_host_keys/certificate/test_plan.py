# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates that are due, and certificates that both ssh-keygen and the plan can read."""

from __future__ import annotations

import dataclasses
import datetime
import json
import subprocess

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import KNOWN_AFTER_APPLY
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys import keys as host_keys
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.certificate import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.certificate.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.certificate.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.certificate.signing import (
    authority_key,
    read_all,
    read_certificate,
    sign,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ssh.public_key import PublicKey

NOW = datetime.datetime(2026, 11, 21, 12, tzinfo=datetime.timezone.utc)
DAY = datetime.timedelta(days=1)
CA = json.loads(host_keys.generate(["ed25519"], now=NOW))["keys"]["ed25519"]
OTHER_CA = json.loads(host_keys.generate(["ed25519"], now=NOW))["keys"]["ed25519"]
NODE = json.loads(host_keys.generate(["ed25519", "ecdsa", "rsa"], now=NOW))["keys"]
PARAMS = {
    "authority": CA["public"],
    "public_keys": [pair["public"] + " root@node" for pair in NODE.values()],
    "principals": ["login.example.com", "10.1.1.21", "", "10.1.1.21"],
    "key_id": "i-0123456789abcdef0",
    "valid_days": 365,
    "renew_before_days": 30,
}


def wanted(now=NOW, **given):
    return options.desired({**PARAMS, **given}, now=now)


def signed(desired, authority=CA):
    private = authority_key(authority["private"], desired.authority)
    return {key: sign(desired, key, private) for key in desired.keys}


HELD = signed(wanted())


def reasons(desired, seen):
    return [change.after.partition("signed: ")[2] for change in plan(desired, seen).changes]


@pytest.mark.parametrize(
    ("desired", "reason"),
    [
        (wanted(), None),
        (wanted(now=NOW + 334 * DAY), None),
        (wanted(principals=["10.1.1.21", "login.example.com"]), None),
        (wanted(now=NOW + 335 * DAY), "it expires at 2027-11-21T12:00:00Z"),
        (wanted(now=NOW + 400 * DAY, renew_before_days=0), "it expires at 2027-11-21T12:00:00Z"),
        (wanted(now=NOW - DAY), "it is not valid before 2026-11-21T11:00:00Z"),
        (wanted(principals=["login.example.com", "new.example.com"]), "it lacks new.example.com; it still has 10.1.1.21"),
        (wanted(key_id="i-0aaaaaaaaaaaaaaaa"), "its key ID is 'i-0123456789abcdef0'"),
        (wanted(valid_days=90), "its validity period differs"),
        (wanted(authority=OTHER_CA["public"]), "a different authority signed it"),
    ],
)
def test_certificates_are_due_for_a_reason(desired, reason):
    assert reasons(desired, HELD) == ([reason] * 3 if reason else [])


def test_a_change_has_the_end_and_the_principals():
    desired = dataclasses.replace(wanted(), principals=("new.example.com",))
    key = desired.keys[0]
    for ends, words in ((HELD[key].ends, "2027-11-21T12:00:00Z"), (None, "ever")):
        have = {key: dataclasses.replace(HELD[key], ends=ends)}
        (change, *_others) = plan(desired, have).changes
        assert change.before == f"until {words}, for 10.1.1.21, login.example.com"


def test_only_the_missing_certificate_is_signed_and_predicted():
    seen = {key: each for key, each in HELD.items() if key.type != "rsa"}
    made = plan(wanted(), seen)
    assert [step.arguments["key"].type for step in made.steps] == ["rsa"]
    found = result(wanted(), made.after(seen))["host_certificates"]
    lines = {each["type"]: each["certificate"] for each in found}
    assert lines == {**{key.type: each.line for key, each in HELD.items()}, "rsa": KNOWN_AFTER_APPLY}


def test_certificates_are_compatible_with_ssh_keygen(tmp_path):
    """OpenSSH reads our certificates, and we read those of OpenSSH."""
    for key, each in HELD.items():
        path = tmp_path / f"{key.type}-cert.pub"
        path.write_text(each.line + "\n")
        shown = subprocess.run(["ssh-keygen", "-L", "-f", path], capture_output=True, text=True, check=True).stdout
        assert "host certificate" in shown
        assert PublicKey.parse(CA["public"]).fingerprint in shown and key.fingerprint in shown
        assert "10.1.1.21" in shown and "login.example.com" in shown
    (tmp_path / "ca").write_text(CA["private"])
    (tmp_path / "ca").chmod(0o600)
    (tmp_path / "key.pub").write_text(NODE["rsa"]["public"])
    command = ["ssh-keygen", "-q", "-s", "ca", "-I", "it", "-n", "a,b", "-z", "7", "-V", "+1d"]
    for kind, found in (["-h"], True), ([], False):
        subprocess.run([*command, *kind, "key.pub"], cwd=tmp_path, check=True)
        read = read_certificate((tmp_path / "key-cert.pub").read_text())
        assert (read is not None) is found
        if read:
            assert (read.serial, read.key_id, read.principals) == (7, "it", ("a", "b"))


@pytest.mark.parametrize("damage", ["", "ssh-ed25519 AAAA", NODE["rsa"]["public"], "flipped"])
def test_a_damaged_certificate_counts_as_missing(damage):
    line = next(iter(HELD.values())).line
    assert len(read_all([line])) == 1
    flipped = line[:-20] + ("A" if line[-20] != "A" else "B") + line[-19:]
    assert read_all([flipped if damage == "flipped" else damage]) == {}


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("public_keys", []),
        ("public_keys", [NODE["rsa"]["public"], OTHER_CA["public"], CA["public"]]),
        ("public_keys", ["nonsense"]),
        ("principals", ["*.example.com"]),
        ("principals", ["a,b"]),
        ("principals", [""]),
        ("valid_days", 0),
        ("valid_days", 3651),
        ("renew_before_days", 365),
        ("renew_before_days", -1),
        ("authority", "nonsense"),
    ],
)
def test_invalid_options_are_refused(option, value):
    with pytest.raises(Refused, match=f"^{option}: "):
        wanted(**{option: value})


@pytest.mark.parametrize("text", ["nonsense", CA["private"][:200], OTHER_CA["private"]])
def test_a_wrong_private_key_is_refused_without_quoting_it(text):
    with pytest.raises(Refused, match="^private_key: ") as refused:
        authority_key(text, wanted().authority)
    assert not [line for line in text.splitlines()[1:] if line in str(refused.value)]


def test_the_diff_contains_no_certificate():
    desired = dataclasses.replace(wanted(), renew_before_days=0, now=NOW + 365 * DAY)
    text = str(plan(desired, HELD).diff())
    assert "login.example.com" in text
    assert not [each for each in HELD.values() if each.line.split()[1] in text]


@pytest.mark.parametrize("days", [(1, 0), (3650, 3649)])
def test_the_shortest_and_the_longest_time_are_allowed(days):
    desired = wanted(valid_days=days[0], renew_before_days=days[1])
    assert (desired.valid_days, desired.renew_before_days) == days
