# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits of the account files on disk."""

from __future__ import annotations

import os
import pathlib

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts import apply as accounts_apply, records
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts.records import Edit

PASSWD = "root:x:0:0:root:/root:/bin/bash\n# a note\nbob:x:5002:5002::/fsx/bob:/bin/sh\n+::::::\n"


def test_a_step_rewrites_the_files_and_keeps_the_old_ones(tmp_path: pathlib.Path) -> None:
    (tmp_path / "passwd").write_text(PASSWD)
    (tmp_path / "shadow").write_text("bob:!:1:0:99999:7:::\n")
    os.chmod(tmp_path / "shadow", 0o640)
    edits = (Edit("shadow", "bob", {"password": "*"}), Edit("passwd", "bob", {"comment": "Bob"}))
    accounts_apply.Applier(str(tmp_path))(Step("edit_accounts", {"edits": edits}, ()))
    assert "bob:x:5002:5002:Bob:/fsx/bob" in (tmp_path / "passwd").read_text()
    assert (tmp_path / "shadow").read_text() == "bob:*:1:0:99999:7:::\n"
    assert (tmp_path / "shadow").stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "passwd-").read_text() == PASSWD
    assert sorted(path.name for path in tmp_path.iterdir()) == [".pwd.lock", "passwd", "passwd-", "shadow", "shadow-"]


def test_lines_of_others_stay_unchanged(tmp_path: pathlib.Path) -> None:
    odd = b"mal:x:9:9:a\r\xff\xc2\x85\xe2\x80\xa8b\x0c\x1c:/fsx/mal:/bin/bash\r\n"
    (tmp_path / "passwd").write_bytes(odd + PASSWD.encode())
    edits = (Edit("passwd", "bob", {"comment": "Bob"}),)
    accounts_apply.Applier(str(tmp_path))(Step("edit_accounts", {"edits": edits}, ()))
    expected = records.apply_edits("passwd", PASSWD, edits).encode()
    assert (tmp_path / "passwd").read_bytes() == odd + expected
    assert (tmp_path / "passwd-").read_bytes() == odd + PASSWD.encode()
