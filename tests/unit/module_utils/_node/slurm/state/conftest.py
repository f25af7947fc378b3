# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import os
import tempfile
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node import mounts


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> t.Iterator[Path]:
    """A shared file system to which every user may write."""
    if os.geteuid() != 0:
        pytest.skip("files of others")
    with tempfile.TemporaryDirectory(dir="/tmp") as name:  # only root can read tmp_path
        path = Path(name)
        path.chmod(0o1777)
        monkeypatch.setattr(mounts, "read", lambda: (mounts.Mount("/", "ext4"), mounts.Mount(name, "lustre")))
        yield path
