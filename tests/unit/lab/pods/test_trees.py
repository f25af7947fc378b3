# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cached trees, and the error of a lab without them."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from lab.names import LabError
from lab.pods import pytorch, trees


def test_a_tree_follows_its_packages_and_files() -> None:
    tree = trees.CONTAINER
    others = (dataclasses.replace(tree, packages=("python3",)), dataclasses.replace(tree, files=()), dataclasses.replace(tree, suite="sid"))
    assert len({each.recipe_hash for each in (tree, *others)}) == 4


def test_a_lab_without_trees_names_the_command_that_builds_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLEET_HYPERPOD_CACHE", str(tmp_path))
    for built in (trees.NODE.built, trees.CONTAINER.built, pytorch.installed):
        with pytest.raises(LabError, match="run make pods outside of the lab"):
            built()
    folder = tmp_path / f"{trees.NODE.kind}-{trees.NODE.recipe_hash}"
    folder.mkdir()
    assert trees.NODE.built() == trees.NODE.ensure(lambda text: None) == folder


def test_a_named_wheel_takes_the_place_of_the_index(monkeypatch: pytest.MonkeyPatch) -> None:
    before = pytorch.recipe_hash()
    monkeypatch.setenv(pytorch.WHEEL, "/x/torch-9.whl")
    assert pytorch.recipe_hash() != before
    assert pytorch.wanted("numpy==1\ntorch==2\n", "/x/torch-9.whl") == "numpy==1\n/x/torch-9.whl\n"
    assert pytorch.wanted("numpy==1\ntorch==2\n", None) == "numpy==1\ntorch==2\n"
    assert "torch==" in pytorch.REQUIREMENTS.read_text("utf-8")
