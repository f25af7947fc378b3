# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Replaced programs reply to queries about accelerators, and pass all other calls to the real ones."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from lab.accelerators import present
from lab.accelerators.story import HANGS, healthy

OPTIONS = "is-active nvidia-fabricmanager nvidia-persistenced"


@pytest.mark.parametrize("more", [{}, {"tools": {"systemctl": HANGS}}])
def test_other_calls_go_to_the_real_program(tmp_path: Path, more: dict[str, dict[str, str]]) -> None:
    present.present(healthy("ml.p5.4xlarge", **more), tmp_path)
    lines = (tmp_path / "bin/systemctl").read_text().splitlines()
    cases = [line for line in lines if line.endswith(")")]
    assert cases == [f"'{OPTIONS}')", "*)"]
    assert lines[lines.index("*)") + 1] == 'exec /usr/bin/systemctl "$@"'


def test_files_contain_their_paths_on_the_node(tmp_path: Path) -> None:
    present.present(healthy("ml.p5.48xlarge"), tmp_path, seen=Path("/run/story"))
    assert all(str(tmp_path) not in path.read_text() for path in (tmp_path / "bin").iterdir())
    links = [path for path in (tmp_path / "sys").rglob("*") if path.is_symlink()]
    assert links and all(path.exists() and not os.path.isabs(path.readlink()) for path in links)
