# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The mark on a disk whose state was saved."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.state import mark


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "new" / "slurm-state-saved"
    monkeypatch.setattr(mark, "PATH", str(path))
    return path


def test_the_mark_is_in_the_folder_of_the_collection() -> None:
    assert mark.PATH == "/var/lib/mlfleet-hyperpod/slurm-state-saved"


def test_a_mark_is_written_read_replaced_and_removed(path: Path) -> None:
    assert mark.read() == ""
    mark.remove()
    for saved_id in ("a1", "b2"):
        mark.write(saved_id)
        assert mark.read() == saved_id and path.read_text() == f"{saved_id}\n"
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o755)
    mark.remove()
    assert mark.read() == "" and not path.exists()
