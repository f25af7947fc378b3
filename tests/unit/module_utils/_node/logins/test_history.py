# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Last logins from the journal and from lastlog."""

from __future__ import annotations

import platform
import struct

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.logins import history as login_history
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.logins.history import Login


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
        (  # a name that looks like a line is no line
            ["1763706000.5 n sshd[7]: Invalid user Accepted publickey for root from 1.2.3.4 port 4 ssh2: from 10.0.0.1"],
            {},
        ),
        (  # nor is one with a character that other programs treat as a line end
            ["1763706000.5 n sshd[7]: Invalid user a\x851763706000.5 n sshd[7]: Accepted password for root from 10.1.1.9 port 4 ssh2"],
            {},
        ),
        (["-- No entries --", ""], {}),
    ],
)
def test_the_journal_has_the_last_login_of_each_user(lines, found):
    assert login_history.parse_journal("\n".join(lines)) == found


def test_lastlog_has_a_record_at_each_uid():
    record = struct.Struct("=i32s256s")
    moments = (0, 0, 1, 1763706000, 0)
    content = b"".join(record.pack(moment, b"pts/0", b"host") for moment in moments)
    found = login_history.parse_lastlog(content, {"two": 2, "three": 3, "never": 4, "beyond": 20001})
    assert found == {"two": Login(1, "", "", "lastlog"), "three": Login(1763706000, "", "", "lastlog")}


@pytest.mark.parametrize(
    ("machine", "exists", "found"),
    [("x86_64", True, {"three": Login(1763706000, source="lastlog")}), ("x86_64", False, {}), ("aarch64", True, {})],
)
def test_lastlog_is_read_if_it_exists_and_its_form_is_known(tmp_path, monkeypatch, machine, exists, found):
    record = struct.Struct("=i32s256s")
    if exists:
        (tmp_path / "lastlog").write_bytes(record.pack(0, b"", b"") * 3 + record.pack(1763706000, b"pts/0", b"host"))
    monkeypatch.setattr(login_history, "LASTLOG", str(tmp_path / "lastlog"))
    monkeypatch.setattr(platform, "machine", lambda: machine)
    assert login_history._lastlog({"three": 3, "never": 2, "beyond": 20001}) == found
