# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Report files: readable for their owner only, in folders that are created, and with errors that name the file."""

from __future__ import annotations

import stat

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.action.report_file import ActionModule


def written(action, *files, check=False):
    writing, node = action(ActionModule, {"files": [dict(zip(("path", "content"), each)) for each in files]}, check=check)
    result = writing.run(task_vars={})
    assert (node.calls, result["changed"]) == ([], False), "it must run on the controller only"
    return result


@pytest.mark.parametrize("check", [False, True])
def test_files_are_readable_for_their_owner_only(action, tmp_path, check):
    old = tmp_path / "old.csv"
    old.write_text("before, and longer")
    new = tmp_path / "made" / "new.json"
    result = written(action, (str(old), "a,b\n"), (str(new), '{"a": 1}\n'), check=check)
    assert (old.read_text(), new.read_text()) == ("a,b\n", '{"a": 1}\n')
    assert [stat.S_IMODE(each.stat().st_mode) for each in (old, new, new.parent)] == [0o600, 0o600, 0o700]
    assert result["written"] == [str(old), str(new)]
    assert sorted(each.name for each in tmp_path.iterdir()) == ["made", "old.csv"]


def test_an_existing_folder_keeps_its_mode(action, tmp_path):
    tmp_path.chmod(0o755)
    written(action, (str(tmp_path / "file"), ""))
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755


def test_paths_are_relative_to_the_users_home_and_folder(action, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    written(action, ("~/at-home", "1"), ("here", "2"))
    assert [(tmp_path / name).read_text() for name in ("at-home", "here")] == ["1", "2"]


def test_a_file_that_cannot_be_written_is_named(action, tmp_path):
    (tmp_path / "file").write_text("")
    result = written(action, (str(tmp_path / "file" / "x"), "secret"))
    assert result["failed"] and result["msg"] == f"The report {tmp_path}/file/x could not be written: File exists."
