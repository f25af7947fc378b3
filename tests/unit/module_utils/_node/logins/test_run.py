# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who can log in to a node: lines of the journal, records of lastlog, files of keys, and which accounts count."""

from __future__ import annotations

import os
import platform
import pwd
import struct
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts.model import Account
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.logins import (
    history as login_history,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.logins import (
    keys as login_keys,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.logins import (
    run as logins,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.logins.history import Login
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.mounts import Mount
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ssh import key_file

ED25519 = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAG u6@x"
DSS_FINGERPRINT = "SHA256:CHr4h+K6QN5JMQs8T+Ba7/mYGAj8ihYnmHsQE/dUa2k"
FINGERPRINT = "SHA256:qNLhplipcgZ6ue5cN1G9xVSFZGsotfSWIFlEIsT348U"


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (
            ["1763706000.01 n sshd-session[7]: Accepted publickey for alice from 10.1.1.9 port 4 ssh2: ED25519 SHA256:abc"],
            {"alice": Login(1763706000, "publickey", "SHA256:abc")},
        ),
        (  # OpenSSH 8.9; the later one counts
            [
                "1763706000.5 ip-1 sshd[7]: Accepted publickey for bob from 10.1.1.9 port 4 ssh2: RSA SHA256:old",
                "1763706100.5 ip-1 sshd[8]: Accepted password for bob from fe80::1 port 5 ssh2",
            ],
            {"bob": Login(1763706100, "password", "")},
        ),
        (  # a name made to look like a line is no line
            ["1763706000.5 n sshd[7]: Invalid user Accepted publickey for root from 1.2.3.4 port 4 ssh2: from 10.0.0.1"],
            {},
        ),
        (  # nor is one with what other programs take for the end of a line
            ["1763706000.5 n sshd[7]: Invalid user a\x851763706000.5 n sshd[7]: Accepted password for root from 10.1.1.9 port 4 ssh2"],
            {},
        ),
        (["-- No entries --", ""], {}),
    ],
)
def test_the_journal_names_the_last_login_of_each(lines, found):
    assert login_history.parse_journal("\n".join(lines)) == found


def test_lastlog_has_a_record_at_each_uid():
    record = struct.Struct("=i32s256s")
    content = record.pack(0, b"", b"") * 3 + record.pack(1763706000, b"pts/0", b"host") + record.pack(0, b"", b"")
    found = login_history.parse_lastlog(content, {"three": 3, "never": 4, "beyond": 20001})
    assert found == {"three": Login(1763706000, source="lastlog")}


@pytest.mark.parametrize(
    ("line", "key"),
    [
        (ED25519, ("ssh-ed25519", FINGERPRINT, "u6@x", "", None)),
        (f'from="10.0.0.0/8" {ED25519}', ("ssh-ed25519", FINGERPRINT, "u6@x", 'from="10.0.0.0/8"', None)),
        # A key that this collection would refuse, but an old sshd may take.
        ("no-pty ssh-dss AAAAB3NzaC1kc3M= old key", ("ssh-dss", DSS_FINGERPRINT, "old key", "no-pty", None)),
    ],
)
def test_every_key_that_sshd_may_take_counts(line, key):
    ((found,), strange) = key_file.parse(f"# a comment\n\n{line}\n")
    assert strange == []
    assert tuple(found[name] for name in ("type", "fingerprint", "comment", "options", "expires")) == key


def test_lines_that_are_no_key_do_not_count():
    assert key_file.parse("# " + ED25519 + "\nssh-ed25519\nnonsense here\n") == ([], [2, 3])


def account(name="alice", uid=20001, shell="/bin/bash", password="none", expires="", home="/fsx/alice"):
    return Account(name, uid, uid, "", home, shell, password, expires)


@pytest.mark.parametrize(
    ("who", "keys", "local", "expected"),
    [
        (account(), [], True, True),
        (account(shell="/usr/sbin/nologin"), ["key"], True, False),
        (account("postgres", 111), [], True, False),
        (account("hyperpod-ops", 998), ["key"], True, True),
        (account("root", 0, password="hash"), [], True, True),
        (account("root", 0, password="locked"), [], True, False),
        (account("nobody", 65534), [], True, False),
        (account("carol", 700), [], False, True),
        (account(uid=3_000_000), [], True, True),
    ],
)
def test_accounts_that_somebody_could_log_in_to_count(who, keys, local, expected):
    assert logins.counts(who, keys, local=local) is expected


@pytest.mark.parametrize(("expires", "closed"), [("", False), ("1", True), ("20000", True), ("30000", False)])
def test_an_account_past_its_day_is_closed(expires, closed):
    assert logins.closed(account(expires=expires), now=20000 * 86400) is closed


@pytest.fixture
def me(tmp_path: Path) -> Account:
    """An account of whoever runs the tests, with a key at home and a managed one."""
    who = pwd.getpwuid(os.getuid())
    home = tmp_path / "shared" / who.pw_name
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh" / "authorized_keys").write_text(ED25519 + "\n")
    (tmp_path / who.pw_name).write_text(ED25519.replace("u6@x", "managed") + "\n")
    return account(who.pw_name, who.pw_uid, home=str(home))


@pytest.mark.parametrize(
    ("shared_homes", "mounted", "comments", "unread"),
    [
        (True, True, ["managed", "u6@x"], False),
        (False, True, ["managed"], False),  # another node reads them
        (True, False, ["managed"], True),
    ],
)
def test_keys_at_home_are_read_where_storage_is_there(me, tmp_path, shared_homes, mounted, comments, unread):
    root = str(tmp_path / "shared")
    table = [Mount("/", "ext4"), *([Mount(root, "fuse.fsx")] if mounted else [])]
    effective = {"authorizedkeysfile": (f"{tmp_path}/%u .ssh/authorized_keys",)}
    files = login_keys.KeyFiles(effective, shared_roots=[root], shared_homes=shared_homes, table=table)
    assert [key["comment"] for key in files.of(me)] == comments
    assert bool(files.unread) is unread


@pytest.mark.parametrize(
    ("machine", "there", "found"),
    [("x86_64", True, {"three": Login(1763706000, source="lastlog")}), ("x86_64", False, {}), ("aarch64", True, {})],
)
def test_lastlog_is_read_where_there_is_one_in_a_form_that_is_known(tmp_path, monkeypatch, machine, there, found):
    record = struct.Struct("=i32s256s")
    if there:
        (tmp_path / "lastlog").write_bytes(record.pack(0, b"", b"") * 3 + record.pack(1763706000, b"pts/0", b"host"))
    monkeypatch.setattr(login_history, "LASTLOG", str(tmp_path / "lastlog"))
    monkeypatch.setattr(platform, "machine", lambda: machine)
    assert login_history._lastlog({"three": 3, "never": 2, "beyond": 20001}) == found
