# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys in files of homes, and lines without a key."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts.model import Account
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.logins import keys as login_keys
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.mounts import Mount
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ssh import key_file

ED25519 = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAG u6@x"
DSS_FINGERPRINT = "SHA256:CHr4h+K6QN5JMQs8T+Ba7/mYGAj8ihYnmHsQE/dUa2k"
FINGERPRINT = "SHA256:qNLhplipcgZ6ue5cN1G9xVSFZGsotfSWIFlEIsT348U"


@pytest.mark.parametrize(
    ("line", "key"),
    [
        (ED25519, ("ssh-ed25519", FINGERPRINT, "u6@x", "", None)),
        (f'from="10.0.0.0/8" {ED25519}', ("ssh-ed25519", FINGERPRINT, "u6@x", 'from="10.0.0.0/8"', None)),
        # A key that this collection would refuse, but an old sshd may accept.
        ("no-pty ssh-dss AAAAB3NzaC1kc3M= old key", ("ssh-dss", DSS_FINGERPRINT, "old key", "no-pty", None)),
    ],
)
def test_every_key_that_sshd_may_accept_counts(line, key):
    ((found,), strange) = key_file.parse(f"# a comment\n\n{line}\n")
    assert strange == []
    assert tuple(found[name] for name in ("type", "fingerprint", "comment", "options", "expires")) == key


def test_lines_without_a_key_do_not_count():
    assert key_file.parse("# " + ED25519 + "\nssh-ed25519\nnonsense here\n") == ([], [2, 3])


def account(name="alice", uid=20001, shell="/bin/bash", password="none", expires="", home="/fsx/alice"):
    return Account(name, uid, uid, "", home, shell, password, expires)


@pytest.fixture
def me(tmp_path: Path) -> Account:
    """The account that runs the tests, with a key in its home and a managed key."""
    entry = pwd.getpwuid(os.getuid())
    home = tmp_path / "shared" / entry.pw_name
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh" / "authorized_keys").write_text(ED25519 + "\n")
    (tmp_path / entry.pw_name).write_text(ED25519.replace("u6@x", "managed") + "\n")
    return account(entry.pw_name, entry.pw_uid, home=str(home))


@pytest.mark.parametrize(
    ("shared_homes", "mounted", "comments", "unread"),
    [
        (True, True, ["managed", "u6@x"], False),
        (False, True, ["managed"], False),  # another node reads them
        (True, False, ["managed"], True),
    ],
)
def test_keys_in_homes_are_read_if_the_storage_is_mounted(me, tmp_path, shared_homes, mounted, comments, unread):
    root = str(tmp_path / "shared")
    table = [Mount("/", "ext4"), *([Mount(root, "fuse.fsx")] if mounted else [])]
    effective = {"authorizedkeysfile": (f"{tmp_path}/%u .ssh/authorized_keys",)}
    files = login_keys.KeyFiles(effective, shared_roots=[root], shared_homes=shared_homes, table=table)
    assert [key["comment"] for key in files.of(me)] == comments
    assert bool(files.unread) is unread


def test_a_file_with_an_unsupported_token_is_reported_as_unread(me, tmp_path):
    effective = {"authorizedkeysfile": (f"{tmp_path}/%q {tmp_path}/%U",)}
    (tmp_path / str(me.uid)).write_text(ED25519 + "\n")
    files = login_keys.KeyFiles(effective, shared_roots=[], shared_homes=True, table=[Mount("/", "ext4")])
    assert [key["comment"] for key in files.of(me)] == ["u6@x"]
    assert files.unread == [f"Keys in {tmp_path}/%q could not be read: sshd_config(5) lists no token %q for AuthorizedKeysFile."]
