# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import os
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ecr.image.options import desired


@pytest.fixture
def given(tmp_path: Path) -> dict[str, t.Any]:
    (tmp_path / "Containerfile").write_text("ARG BASE\nFROM $BASE\n")
    return {
        "repository": "team/training",
        "tag": "llama",
        "context": str(tmp_path),
        "containerfile": None,
        "build_args": {"BASE": "python:3", "N": 1},
        "platform": "linux/amd64",
        "timeout": 60,
        "scan_timeout": 0,
    }


def test_the_desired_image(given: dict[str, t.Any]) -> None:
    made = desired(given)
    assert (made.repository, made.tag, made.source.containerfile, made.source.base_images) == ("team/training", "llama", "Containerfile", ("python:3",))
    assert made.source.build_args == {"BASE": "python:3", "N": "1"}
    assert made.source_tag == f"source-{made.source.digest[:20]}" and desired(given) == made


def test_a_containerfile_in_a_folder(given: dict[str, t.Any], tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "Dockerfile").write_text("FROM scratch\n")
    assert desired({**given, "containerfile": "./sub/Dockerfile"}).source.containerfile == "sub/Dockerfile"


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({"repository": "Training"}, "without registry and tag"),
        ({"repository": "a"}, "without registry and tag"),
        ({"repository": "training:1"}, "without registry and tag"),
        ({"repository": "a" * 257}, "at most 256 characters"),
        ({"tag": ""}, "1 to 128 letters"),
        ({"tag": "-a"}, "1 to 128 letters"),
        ({"tag": "a" * 129}, "1 to 128 letters"),
        ({"tag": "source-a"}, "not with source-"),
        ({"context": "relative"}, "the absolute path of a folder"),
        ({"containerfile": "/etc/passwd"}, "relative to the context"),
        ({"containerfile": "link"}, "relative to the context"),
        ({"containerfile": "binary"}, "a text file that can be read"),
        ({"build_args": {"A": ["b"]}}, "a string or a number"),
        ({"build_args": {"A": True}}, "a string or a number"),
        ({"build_args": {"1A": "b"}}, "names of letters"),
        ({"build_args": None}, "build_args.BASE"),
    ],
)  # fmt: skip
def test_refusals(given: dict[str, t.Any], tmp_path: Path, wrong: dict[str, t.Any], text: str) -> None:
    os.symlink("/etc/passwd", tmp_path / "link")
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    with pytest.raises(Refused, match=text):
        desired({**given, **wrong})


def test_the_containerfile_must_be_unique(given: dict[str, t.Any], tmp_path: Path) -> None:
    (tmp_path / "Dockerfile").write_text("FROM scratch\n")
    with pytest.raises(Refused, match="the context has both Containerfile and Dockerfile"):
        desired(given)
    (tmp_path / "Dockerfile").unlink()
    (tmp_path / "Containerfile").unlink()
    with pytest.raises(Refused, match="the context has neither Containerfile nor Dockerfile"):
        desired(given)
