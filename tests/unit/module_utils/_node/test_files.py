# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Atomic replacement of files."""

from __future__ import annotations

import os
import pathlib

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node import files


@pytest.mark.parametrize("durable", [True, False])
def test_a_file_is_replaced_with_its_mode(tmp_path: pathlib.Path, durable: bool) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    (tmp_path / ".file.mlfleet-new").write_text("half of what a killed run wrote")
    files.replace_file(str(path), b"new\xff", mode=0o640, uid=os.geteuid(), gid=os.getegid(), durable=durable)
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"new\xff", 0o640)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_belongs_to_root_unless_an_owner_is_given(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "file"
    for given, owner in (({}, (0, 0)), ({"uid": 7}, (7, 0)), ({"gid": 8}, (0, 8))):
        files.replace_file(str(path), b"new", mode=0o644, **given)
        assert (path.stat().st_uid, path.stat().st_gid) == owner


def test_text_is_written_back_unchanged(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(odd := b"a\r\xff\xe2\x80\xa8b\x0c\n")
    found = files.read(str(path))
    assert found is not None
    files.replace_text(str(path), found.text, mode=found.mode, uid=found.uid, gid=found.gid)
    assert path.read_bytes() == odd


def test_a_failed_replacement_leaves_no_file(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "file"
    path.mkdir()
    with pytest.raises(OSError):
        files.replace_file(str(path), b"new", mode=0o644, uid=os.geteuid(), gid=os.getegid())
    assert list(tmp_path.iterdir()) == [path]


def test_entries_have_their_kind(tmp_path: pathlib.Path) -> None:
    (tmp_path / "file").write_text("text")
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "empty").mkdir()
    (tmp_path / "full/file").mkdir(parents=True)
    os.mkfifo(tmp_path / "pipe")
    found = {name: files.look(str(tmp_path / name)) for name in ("file", "link", "empty", "full", "pipe", "none")}
    assert {name: (each.kind, each.text) for name, each in found.items() if each} == {
        "file": ("file", "text"),
        "link": ("link", ""),
        "empty": ("empty folder", ""),
        "full": ("folder", ""),
        "pipe": ("special file", ""),
    }


def test_an_entry_is_removed_unless_it_is_a_folder_with_files(tmp_path: pathlib.Path) -> None:
    (tmp_path / "full/file").mkdir(parents=True)
    for name in ("link", "empty", "none"):
        if name == "link":
            (tmp_path / name).symlink_to("full")
        elif name == "empty":
            (tmp_path / name).mkdir()
        files.remove_entry(str(tmp_path / name))
    with pytest.raises(OSError):
        files.remove_entry(str(tmp_path / "full"))
    assert [path.name for path in tmp_path.iterdir()] == ["full"]


def test_a_folder_with_the_name_of_the_temporary_file_is_removed(tmp_path: pathlib.Path) -> None:
    (tmp_path / ".file.mlfleet-new/more").mkdir(parents=True)
    files.replace_file(str(tmp_path / "file"), b"new", mode=0o644, uid=os.geteuid(), gid=os.getegid())
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_entries_are_set_aside_under_valid_names(tmp_path: pathlib.Path) -> None:
    for name in ("stays", "x" * 255, "\udcff" * 255, ".dot"):
        (tmp_path / name).write_text(name[:4], errors="surrogateescape")
    files.set_aside(str(tmp_path), lambda name, _status: name != "stays")
    files.set_aside(str(tmp_path), lambda name, _status: name != "stays")
    names = sorted(os.listdir(tmp_path))
    assert len(names) == 4 and all(name == "stays" or (name.startswith(".") and ".set-aside-" in name) for name in names)
