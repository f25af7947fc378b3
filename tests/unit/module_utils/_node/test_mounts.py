# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of mounts."""

from __future__ import annotations

import pathlib

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node import mounts
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts import homes as account_homes

MOUNTS = mounts.parse(
    "/dev/vda / ext4 rw 0 0\n10.0.0.1@tcp:/x /fsx lustre rw 0 0\n"
    "fs:/ /my\\040home nfs4 rw 0 0\n/dev/vdb /data xfs rw 0 0\n"
)


@pytest.mark.parametrize(
    "path, mount",
    [
        ("/fsx/alice", "/fsx"),
        ("/fsx", "/fsx"),
        ("/fsxx/alice", "/"),
        ("/my home/a", "/my home"),
        ("/home/alice", "/"),
        ("/data/alice", "/data"),
    ],
)
def test_a_path_is_covered_by_the_nearest_mount(path: str, mount: str) -> None:
    found = mounts.covering(MOUNTS, path)
    assert found is not None and found.path == mount


def test_the_last_mount_on_a_path_counts() -> None:
    found = mounts.covering(mounts.parse("a /fsx autofs rw 0 0\nb /fsx lustre rw 0 0\n"), "/fsx/alice")
    assert found is not None and found.type == "lustre"


def test_names_of_mounts_cannot_forge_lines(tmp_path: pathlib.Path) -> None:
    """In paths, the kernel escapes only blanks, line feeds and backslashes."""
    table = tmp_path / "mounts"
    table.write_bytes(b"m /home/a/x\rb\x0c\xc2\x85c fuse.x rw 0 0\nm /home/a/\r\x0cb fuse.x\rm /fsx lustre\xff rw 0 0\n")
    assert [mount.path for mount in mounts.read(str(table))] == ["/home/a/x\rb\x0c\x85c", "/home/a/\r\x0cb"]
    assert not account_homes.mounted("/fsx", mounts.read(str(table)))
