# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import os
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ecr.image.context import digest


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "Containerfile").write_text("FROM scratch\n")
    (tmp_path / "src").mkdir(mode=0o755)
    (tmp_path / "src" / "train.py").write_text("train")
    os.symlink("train.py", tmp_path / "src" / "link")
    return tmp_path


def of(folder: Path, *, containerfile: str = "Containerfile", build_args: t.Mapping[str, str] | None = None, platform: str = "linux/amd64") -> str:
    return digest(str(folder), containerfile, build_args or {}, platform)


def rename(folder: Path) -> None:
    (folder / "src" / "train.py").rename(folder / "src" / "other.py")


def relink(folder: Path) -> None:
    (folder / "src" / "link").unlink()
    os.symlink("other", folder / "src" / "link")


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "src" / "train.py").write_text("other"),
        lambda folder: (folder / "src" / "train.py").chmod(0o755),
        lambda folder: (folder / "src").chmod(0o700),
        lambda folder: (folder / "empty").mkdir(),
        lambda folder: (folder / "Containerfile").write_text("FROM scratch\n# more\n"),
        rename,
        relink,
    ],
)
def test_each_change_of_the_contents_changes_the_digest(folder: Path, change: t.Callable[[Path], t.Any]) -> None:
    before = of(folder)
    change(folder)
    assert of(folder) != before


def test_other_inputs_change_the_digest(folder: Path) -> None:
    (folder / "Other").write_text("FROM scratch\n")
    made = [
        of(folder),
        of(folder, containerfile="Other"),
        of(folder, platform="linux/arm64"),
        of(folder, build_args={"A": "1"}),
        of(folder, build_args={"A": "1", "B": "2"}),
        of(folder, build_args={"A1": ""}),
    ]
    assert len(set(made)) == len(made)


def test_times_do_not_change_the_digest_nor_does_the_place(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    before = of(folder)
    os.utime(folder / "src" / "train.py", (1, 1))
    moved = tmp_path_factory.mktemp("other") / "place"
    folder.rename(moved)
    assert of(moved) == before and len(before) == 64


@pytest.mark.parametrize(
    ("rules", "files"),
    [("notes\n", ["notes"]), ("data\n", ["data/a/b"]), ("*\n!src\n!src/**\n!Containerfile\n", ["notes", "data/a"])],
)
def test_ignored_files_do_not_change_the_digest(folder: Path, rules: str, files: list[str]) -> None:
    (folder / ".dockerignore").write_text(rules)
    before = of(folder)
    for name in files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("ignored")
    assert of(folder) == before
    (folder / "src" / "train.py").write_text("other")
    assert of(folder) != before


def test_files_that_are_included_again_in_an_ignored_folder_count(folder: Path) -> None:
    (folder / ".dockerignore").write_text("src\n!src/train.py\n")
    before = of(folder)
    (folder / "src" / "train.py").write_text("other")
    assert of(folder) != before


@pytest.mark.parametrize("name", [".containerignore", "Containerfile.dockerignore", "Containerfile.containerignore"])
def test_with_another_ignore_file_all_files_count(folder: Path, name: str) -> None:
    (folder / ".dockerignore").write_text("notes\n")
    (folder / name).write_text("")
    before = of(folder)
    (folder / "notes").write_text("counts")
    assert of(folder) != before


def test_a_pipe_is_refused_unless_it_is_ignored(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    with pytest.raises(Refused, match=r"pipe' is not allowed. Allowed: files, folders and symbolic links"):
        of(folder)
    (folder / ".dockerignore").write_text("pipe\n")
    of(folder)
