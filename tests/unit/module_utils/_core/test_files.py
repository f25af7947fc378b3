# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Atomic replacement of files. The tests of node modules cover locks."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.files import write_file


@pytest.mark.parametrize("mode", [0o600, 0o700, 0o644])
def test_a_file_is_replaced_atomically_with_its_mode(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    with path.open() as before:
        write_file(str(path), "new", mode=mode)
        assert before.read() == "old"
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("new", mode)
    assert list(tmp_path.iterdir()) == [path]


def test_a_write_that_fails_leaves_the_old_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write_file(str(path), "\udc80")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
