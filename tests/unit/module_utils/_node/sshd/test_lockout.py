# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings with which sshd would refuse the operations account."""

from __future__ import annotations

import os

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd import lockout as sshd_lockout

OPS = sshd_lockout.Account("hyperpod-ops", 990, "/var/lib/hyperpod-ops", ("hyperpod-ops", "adm"))
ROOT = sshd_lockout.Account("root", 0, "/root", ("root",))
OPEN = {"pubkeyauthentication": ("yes",), "authorizedkeysfile": ("/etc/ssh/authorized_keys.d/%u",)}


@pytest.mark.parametrize(
    "extra, reason",
    [
        ({}, None),
        ({"pubkeyauthentication": ("no",)}, "PubkeyAuthentication"),
        ({"authenticationmethods": ("publickey,password",)}, "AuthenticationMethods"),
        ({"authenticationmethods": ("publickey,password publickey",)}, None),
        ({"allowusers": ("alice", "bob")}, "AllowUsers"),
        ({"allowusers": ("alice", "hyperpod-*")}, None),
        ({"allowusers": ("hyperpod-ops@192.168.0.0/16",)}, "AllowUsers"),
        ({"allowusers": ("hyperpod-ops@10.1.0.0/16",)}, None),
        ({"allowusers": ("hyperpod-ops@10.1.*",)}, None),
        ({"denyusers": ("hyperpod-ops",)}, "DenyUsers"),
        ({"denyusers": ("*@10.1.0.0/16",)}, "DenyUsers"),
        ({"denyusers": ("root",)}, None),
        ({"allowgroups": ("ssh-users",)}, "AllowGroups"),
        ({"allowgroups": ("adm",)}, None),
        ({"denygroups": ("ad?",)}, "DenyGroups"),
        ({"authorizedkeysfile": (".ssh/authorized_keys",)}, "no key was found in /var/lib/hyperpod-ops/.ssh/"),
        ({"authorizedkeysfile": ("none",)}, "no key was found in any file"),
        ({"authorizedkeysfile": ("/keys/%q",)}, "the keys in /keys/%q are unknown (sshd_config(5) lists no token %q for AuthorizedKeysFile)"),
        ({"authorizedkeysfile": ("/keys/%q /etc/ssh/authorized_keys.d/%u",)}, "the keys in /keys/%q are unknown"),
        ({"authorizedkeysfile": ("/keys/%",)}, "the keys in /keys/% are unknown (sshd_config(5) lists no token % for"),
        ({"authorizedkeysfile": ("/etc/ssh/authorized_keys.d/%u /keys/%q",)}, None),
        ({"authorizedkeysfile": ("none",), "authorizedkeyscommand": ("/usr/bin/x",)}, None),
        ({"forcecommand": ("none",)}, None),
        ({"forcecommand": ("/usr/sbin/nologin",)}, "ForceCommand runs '/usr/sbin/nologin'"),
        ({"forcecommand": ("internal-sftp",)}, "ForceCommand"),
        ({"maxsessions": ("1",)}, None),
        ({"maxsessions": ("0",)}, "MaxSessions 0"),
        ({"pubkeyacceptedalgorithms": ("ssh-ed25519,rsa-sha2-512",)}, None),
        ({"pubkeyacceptedalgorithms": ("rsa-sha2-512,ssh-ed25519-cert-v01@openssh.com",)}, "PubkeyAcceptedAlgorithms"),
        ({"pubkeyacceptedkeytypes": ("rsa-sha2-512",)}, "PubkeyAcceptedKeyTypes accepts no key of hyperpod-ops"),
        ({"pubkeyacceptedalgorithms": ("",), "authorizedkeyscommand": ("/usr/bin/x",)}, None),
    ],
)
def test_settings_that_refuse_the_account_are_obstacles(extra, reason):
    found = sshd_lockout.obstacles(
        {**OPEN, **extra},
        account=OPS,
        address="10.1.0.9",
        keys_in=lambda path, uid: ["ssh-ed25519"] if path == "/etc/ssh/authorized_keys.d/hyperpod-ops" else [],
    )
    assert (reason is None and not found) or (len(found) == 1 and reason in found[0])


@pytest.mark.parametrize(
    "pattern, path",
    [
        ("/keys/%U", "/keys/990"),
        ("/keys/%u", "/keys/hyperpod-ops"),
        ("%h/keys", "/var/lib/hyperpod-ops/keys"),
        ("keys/%U.%u", "/var/lib/hyperpod-ops/keys/990.hyperpod-ops"),
        ("/keys/%%U", "/keys/%U"),
        *((f"/keys/%{letter}", "") for letter in "CDFfiKksTtq"),
        ("/keys/%%%", ""),
        ("/keys/%", ""),
    ],
)
def test_tokens_of_authorized_keys_file_are_expanded(pattern, path):
    """See sshd_config(5), TOKENS. Other tokens are for other keywords."""
    (found,) = sshd_lockout.authorized_keys_files({"authorizedkeysfile": (pattern,)}, account=OPS)
    assert (found.pattern, found.path) == (pattern, path)


def own(home):
    return sshd_lockout.Account("ops", os.getuid(), str(home), ())


def test_a_key_in_a_file_named_by_the_uid_counts(tmp_path):
    (tmp_path / str(OPS.uid)).write_text("ssh-ed25519 AAAAC3 ops\n")
    (tmp_path / str(OPS.uid)).chmod(0o644)
    given = {**OPEN, "authorizedkeysfile": (f"{tmp_path}/%U",)}

    def keys_in(path, account):
        return sshd_lockout.keys_in_file(path, own(tmp_path))

    assert sshd_lockout.obstacles(given, account=OPS, address="10.1.0.9", keys_in=keys_in) == []


@pytest.mark.parametrize(
    "keys, accepted, fine",
    [
        (["ssh-rsa"], "rsa-sha2-512", True),
        (["ssh-rsa"], "rsa-sha2-256", True),
        (["ssh-rsa"], "ssh-rsa", True),
        (["ssh-rsa"], "ssh-ed25519", False),
        (["ssh-rsa", "ssh-ed25519"], "ssh-ed25519", True),
        (["ecdsa-sha2-nistp256"], "ecdsa-sha2-*", True),
    ],
)
def test_one_accepted_key_is_enough(keys, accepted, fine):
    found = sshd_lockout.obstacles(
        {**OPEN, "pubkeyacceptedalgorithms": (accepted,)},
        account=OPS,
        address="10.1.0.9",
        keys_in=lambda path, uid: keys,
    )
    assert (not found) is fine


@pytest.mark.parametrize(
    "text, algorithms",
    [
        ("", []),
        ("# ssh-rsa AAAAB3 old\n\n", []),
        ("ssh-ed25519 AAAAC3 ops\nssh-rsa AAAAB3\n", ["ssh-ed25519", "ssh-rsa"]),
        ('from="10.0.0.0/8",command="run ssh-rsa" ssh-ed25519 AAAAC3 ops\n', ["ssh-ed25519"]),
    ],
)
def test_keys_in_a_file_count_unless_others_can_write_it(tmp_path, text, algorithms):
    file = tmp_path / "keys"
    file.write_text(text)
    file.chmod(0o644)
    assert sshd_lockout.keys_in_file(str(file), own(tmp_path)) == algorithms
    file.chmod(0o664)
    assert sshd_lockout.keys_in_file(str(file), own(tmp_path)) == []


@pytest.mark.parametrize(
    ("open_folder", "home", "found"),
    [
        ("home/.ssh", "home", []),
        ("home", "home", []),
        (".", "home", ["ssh-ed25519"]),
        (".", "elsewhere", []),
        ("elsewhere", "home", ["ssh-ed25519"]),
    ],
)
def test_keys_in_a_folder_that_others_can_write_are_ignored(tmp_path, open_folder, home, found):
    """Folders count up to the home, or up to / for a file outside the home."""
    for folder in ("home/.ssh", "elsewhere"):
        (tmp_path / folder).mkdir(parents=True)
    file = tmp_path / "home/.ssh/authorized_keys"
    file.write_text("ssh-ed25519 AAAAC3 ops\n")
    file.chmod(0o600)
    (tmp_path / open_folder).chmod(0o777)
    assert sshd_lockout.keys_in_file(str(file), own(tmp_path / home)) == found


@pytest.mark.parametrize("value, fine", [("no", False), ("forced-commands-only", False), ("without-password", True)])
def test_root_needs_a_setting_that_allows_keys(value, fine):
    found = sshd_lockout.obstacles(
        {**OPEN, "permitrootlogin": (value,)}, account=ROOT, address="10.1.0.9", keys_in=lambda path, uid: ["ssh-rsa"]
    )
    assert (not found) is fine
