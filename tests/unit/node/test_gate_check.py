# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What speaks against opening the readiness gate."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node import gate_check

ED = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILasyqoyi7KmpC6pzKvPK49DNOORBt4sb+SRbAAjYkMm"


@pytest.mark.parametrize(
    "presented, problems",
    [
        ({"ssh-ed25519": ED.split()[1]}, []),
        (None, ["does not answer"]),
        ({}, ["does not present"]),
        ({"ssh-ed25519": "AAAA"}, ["another ssh-ed25519"]),
        ({"ssh-ed25519": ED.split()[1], "ssh-rsa": "AAAA"}, ["ssh-rsa, which is not among"]),
    ],
)
def test_key_problems(presented, problems):
    found = list(gate_check.key_problems([ED], presented))
    assert len(found) == len(problems)
    assert all(part in text for part, text in zip(problems, found))


@pytest.mark.parametrize(
    "user, problem",
    [
        ({"name": "root", "uid": 0}, ""),
        ({"name": "root", "uid": None}, ""),
        ({"name": "root", "uid": 7}, "has uid 0 instead of 7"),
        ({"name": "no-such-user", "uid": 7}, "does not exist"),
    ],
)
def test_user_problems(user, problem):
    found = list(gate_check.user_problems([user]))
    assert (not found) if not problem else (len(found) == 1 and problem in found[0])


def test_mountinfo():
    text = (
        "22 1 0:21 / / rw - overlay x rw\n"
        "30 22 0:40 / /fsx rw,noatime shared:1 - lustre 10.0.0.1@tcp:/abc rw\n"
        "31 22 0:41 / /home rw - autofs systemd-1 rw\n"
        "32 22 0:42 / /with\\040space rw - nfs4 a:/b rw\n"
    )
    assert gate_check.parse_mountinfo(text) == {"/", "/fsx", "/with space"}


@pytest.mark.parametrize(
    "raw, path",
    [
        (rb"/home/m/\377", "/home/m/\xff"),
        (b"/home/m/\xff", "/home/m/\udcff"),
        (b"/home/m/a\x0cb", "/home/m/a\fb"),
        (b"/home/m/a\rb", "/home/m/a\rb"),
        ("/home/m/\u2028\x85".encode(), "/home/m/\u2028\x85"),
        (rb"/home/m/\011\012\134x41", "/home/m/\t\n\\x41"),
    ],
)
def test_an_odd_mount_name_is_only_a_name(monkeypatch, tmp_path, raw, path):
    table = tmp_path / "mountinfo"
    table.write_bytes(
        b"50 36 0:44 / " + raw + b" rw,nosuid - fuse.sshfs x rw,user_id=20009\n"
        b"36 29 0:30 / /fsx rw,relatime shared:1 - lustre 10.0.0.1@tcp:/x rw\n"
    )
    real = open
    monkeypatch.setattr(gate_check, "open", lambda _path, **how: real(table, **how), raising=False)
    assert gate_check.mounted_paths() == {path, "/fsx"}


@pytest.mark.parametrize(
    "path, part",
    [("/proc", ""), ("/proc/self", "is not mounted"), ("/no/such/folder", "cannot be read")],
)
def test_mount_problems(path, part):
    found, silent = gate_check.mount_problems([path], timeout=5)
    assert silent == []
    assert (not found) if not part else (len(found) == 1 and part in found[0])
