# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Public keys, options as sshd reads them, and the managed file."""

from __future__ import annotations

import time

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import iso_epoch
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ssh import authorized_keys, key_options, user_key
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ssh.public_key import BadKey

RSA = (
    "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQDLKtLeIjUIqHKGeR3xG4i6H1RNnC3I/vZ6jzll98afU3oo+m+zw1AZ6n9fFiME"
    "rlHDX4UZUGSiXK9Ag1dxwaj8NLbyFAjBkgZx3a1/+/z+NJof6Wu/uogiqLV/kz8FXkF9/UyV7vR1NL4pWOE/T19EB6hgC9rXoks1"
    "sZASVoWoVkB9gjcmJhknguJiqYVB5K3W0mQcX1m6TF8RWmIUNgYPRTWxgeg6LspwPASF13zAQww09fbPIv5AGTCBqJA+6vJeoFP8"
    "8utGV3P4+6jVsOfqDiwsU0WQhRShrtH8jd36yPv9rm5h2pqx+nh/4z3BzwsB11OA/YT/sQn5TGiK3sMB two"
)
ECDSA = (
    "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBJRIVIkCNiq3jqwhiQV+Oi7kdsiH"
    "+fekTi++WO0ChDKycp4jvexNU3HaEgUVrCukBUOGxHijoQW7Im1ND3fHgz4= e"
)
ED25519 = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAG u6@x"
RSA_FINGERPRINT = "SHA256:LwGv4ZIPLyAVFzYJI3vB6fUAGx2vYVo72CIKPyc8YPA"
ECDSA_FINGERPRINT = "SHA256:/WHl9c0sR9Cve5jKkv95KARBHgAaLLE5oyDdkrdLRls"
NOW = 1_800_000_000


@pytest.fixture(autouse=True)
def outside_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    """A node in another time zone than UTC."""
    monkeypatch.setenv("TZ", "America/Los_Angeles")
    time.tzset()


@pytest.mark.parametrize("text, fingerprint", [(RSA, RSA_FINGERPRINT), (ECDSA, ECDSA_FINGERPRINT)])
def test_fingerprints_are_those_of_ssh_keygen(text: str, fingerprint: str) -> None:
    key = user_key.parse(f"  {text}\n")
    assert (key.fingerprint, str(key)) == (fingerprint, text)


def test_a_cut_off_rsa_key_is_refused() -> None:
    kind, blob, _comment = RSA.split()
    with pytest.raises(BadKey, match="complete key"):
        user_key.parse(f"{kind} {blob[:100]}")


@pytest.mark.parametrize(
    "options",
    [
        "restrict",
        "restrict,pty,X11-forwarding",
        'from="10.0.0.0/8,192.168.0.?"',
        'command="echo \\"hi, there\\"",no-pty',
        'environment="A=b c",permitopen="localhost:80",permitlisten="8080"',
        'cert-authority,principals="alice,bob"',
    ],
)
def test_options_that_sshd_accepts_are_valid(options: str) -> None:
    key_options.check(options)


@pytest.mark.parametrize("options", ["", "restrict,", ",restrict", 'from=""', "pty pty", 'command="a"b', "command"])
def test_options_with_which_sshd_ignores_the_line_are_invalid(options: str) -> None:
    with pytest.raises(key_options.BadOptions):
        key_options.check(options)


@pytest.mark.parametrize(
    "text, moment",
    [
        ("2027-01-15", "2027-01-15T00:00:00Z"),
        ("2027-01-15T12:30", "2027-01-15T12:30:00Z"),
        ("2027-01-15 12:30:01", "2027-01-15T12:30:01Z"),
        ("2027-01-15T12:30:00Z", "2027-01-15T12:30:00Z"),
        ("2027-01-15T12:30:00+02:00", "2027-01-15T10:30:00Z"),
    ],
)
def test_expiry_is_utc_unless_it_has_an_offset(text: str, moment: str) -> None:
    assert iso_epoch(authorized_keys.parse_expires(text)) == moment


def test_the_file_has_the_expiry_in_local_time() -> None:
    expires = authorized_keys.parse_expires("2027-06-15T12:00:00Z")
    assert authorized_keys.read(f"# mine\u2028{ED25519}\n#\f{ED25519}\n") == ()
    entry = authorized_keys.Entry(user_key.parse(ED25519), 'from="10.0.0.0/8"', expires)
    assert entry.line() == f'from="10.0.0.0/8",expiry-time="20270615050000" {ED25519}'
    assert authorized_keys.read(authorized_keys.render([entry], now=NOW)) == (entry,)


def test_expired_keys_are_not_written_and_without_keys_there_is_no_file() -> None:
    fresh = authorized_keys.Entry(user_key.parse(RSA))
    stale = authorized_keys.Entry(user_key.parse(ED25519), expires=NOW)
    assert authorized_keys.render([fresh, stale], now=NOW) == authorized_keys.HEADER + RSA + "\n"
    assert authorized_keys.render([stale], now=NOW) == ""


def test_other_lines_of_a_file_of_others_are_skipped() -> None:
    text = f'# note\n\nnot a key\ncommand="say \\"hi there\\"" {ED25519}\n{RSA}\n'
    assert [(entry.key.algorithm, entry.options) for entry in authorized_keys.read(text)] == [
        ("ssh-ed25519", 'command="say \\"hi there\\""'),
        ("ssh-rsa", ""),
    ]
