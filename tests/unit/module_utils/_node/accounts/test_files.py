# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The account files as text, and what the steps do with them."""

from __future__ import annotations

import os
import pathlib

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts import apply as accounts_apply
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts import files as account_files
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts.files import Edit

PASSWD = "root:x:0:0:root:/root:/bin/bash\n# a note\nbob:x:5002:5002::/fsx/bob:/bin/sh\n+::::::\n"
GROUP = "root:x:0:\nsudo:x:27:bob,carol\n"


@pytest.mark.parametrize(
    "file, before, edits, after",
    [
        ("passwd", PASSWD, [], PASSWD),
        ("passwd", PASSWD, [Edit("group", "bob", {"gid": "1"})], PASSWD),
        ("passwd", PASSWD, [Edit("passwd", "bob", {"shell": "/bin/bash"})], PASSWD.replace("/bin/sh", "/bin/bash")),
        ("passwd", PASSWD, [Edit("passwd", "bob")], PASSWD.replace("bob:x:5002:5002::/fsx/bob:/bin/sh\n", "")),
        ("passwd", PASSWD, [Edit("passwd", "nobody-there")], PASSWD),
        (
            "passwd",
            PASSWD,
            [Edit("passwd", "al", {"uid": "1", "gid": "2", "home": "/h", "shell": "/s"})],
            PASSWD + "al:x:1:2::/h:/s\n",
        ),
        *[  # characters that end no line for the system
            (
                "passwd",
                f"mal:x:9:9:Mal{char}bob:/fsx/mal:/bin/bash\nbob:x:2:2::/h:/s\n",
                [Edit("passwd", "bob", {"shell": "/z"})],
                f"mal:x:9:9:Mal{char}bob:/fsx/mal:/bin/bash\nbob:x:2:2::/h:/z\n",
            )
            for char in ("\u2028", "\u2029", "\x85", "\v", "\f", "\r", "\x1c", "\x1e")
        ],
        ("shadow", "", [Edit("shadow", "al", {"changed": "9", "expire": ""})], "al:*:9:0:99999:7:::\n"),
        ("shadow", "al:$6$x:9:0:99999:7:::\n", [Edit("shadow", "al", {"expire": "1"})], "al:$6$x:9:0:99999:7::1:\n"),
        ("gshadow", "", [Edit("gshadow", "al", {})], "al:!::\n"),
        ("group", GROUP, [Edit("group", "sudo", {}, add_members=("al", "bob"))], "root:x:0:\nsudo:x:27:bob,carol,al\n"),
        ("group", GROUP, [Edit("group", "sudo", {}, remove_members=("bob", "x"))], "root:x:0:\nsudo:x:27:carol\n"),
    ],
)
def test_edits_change_their_record_and_nothing_else(file: str, before: str, edits: list, after: str) -> None:
    assert account_files.apply_edits(file, before, edits) == after
    assert account_files.apply_edits(file, after, edits) == after


def test_a_step_rewrites_the_files_and_keeps_the_old_ones(tmp_path: pathlib.Path) -> None:
    (tmp_path / "passwd").write_text(PASSWD)
    (tmp_path / "shadow").write_text("bob:!:1:0:99999:7:::\n")
    os.chmod(tmp_path / "shadow", 0o640)
    edits = (Edit("shadow", "bob", {"password": "*"}), Edit("passwd", "bob", {"comment": "Bob"}))
    accounts_apply.Applier(str(tmp_path)).apply(Step("edit_accounts", {"edits": edits}, ()))
    assert "bob:x:5002:5002:Bob:/fsx/bob" in (tmp_path / "passwd").read_text()
    assert (tmp_path / "shadow").read_text() == "bob:*:1:0:99999:7:::\n"
    assert (tmp_path / "shadow").stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "passwd-").read_text() == PASSWD
    assert sorted(path.name for path in tmp_path.iterdir()) == [".pwd.lock", "passwd", "passwd-", "shadow", "shadow-"]


def test_lines_of_others_stay_to_the_byte(tmp_path: pathlib.Path) -> None:
    odd = b"mal:x:9:9:a\r\xff\xc2\x85\xe2\x80\xa8b\x0c\x1c:/fsx/mal:/bin/bash\r\n"
    (tmp_path / "passwd").write_bytes(odd + PASSWD.encode())
    edits = (Edit("passwd", "bob", {"comment": "Bob"}),)
    accounts_apply.Applier(str(tmp_path)).apply(Step("edit_accounts", {"edits": edits}, ()))
    expected = account_files.apply_edits("passwd", PASSWD, edits).encode()
    assert (tmp_path / "passwd").read_bytes() == odd + expected
    assert (tmp_path / "passwd-").read_bytes() == odd + PASSWD.encode()
