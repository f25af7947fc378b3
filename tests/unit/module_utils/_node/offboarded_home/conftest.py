# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Storage for tests."""

from __future__ import annotations

import shutil
import tempfile
import typing as t
from pathlib import Path

import pytest


@pytest.fixture
def storage() -> t.Iterator[Path]:
    """A folder that other accounts can enter, unlike those of pytest."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o711)
    yield folder
    shutil.rmtree(folder)
