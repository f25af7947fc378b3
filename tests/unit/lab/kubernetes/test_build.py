# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from pathlib import Path

import pytest
from lab.kubernetes import build
from lab.names import LabError


def test_programs_of_the_variable_are_used_and_a_missing_one_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(build.FOLDER, str(tmp_path))
    for program in (*build.PROGRAMS, build.ETCD):
        with pytest.raises(LabError, match=f"has no program .*{program}"):
            build.built()
        (tmp_path / program).touch(0o755)
    assert build.built() == build.ensure(lambda text: None) == tmp_path


def test_a_lab_without_them_says_what_to_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(build.FOLDER, raising=False)
    monkeypatch.setenv("MLFLEET_HYPERPOD_CACHE", str(tmp_path))
    with pytest.raises(LabError, match="make kubernetes, outside of the lab"):
        build.built()
    (tmp_path / f"kubernetes-{build.recipe_hash()}").mkdir()
    assert build.built().parent == tmp_path
