# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab's PyTorch for unit tests, which have a home folder of their own."""

from __future__ import annotations

import os
import pwd
import shutil
from pathlib import Path

import pytest
from lab.names import cache_folder

PYTHON = "python3.11"
"""The Python for which the lab installs PyTorch."""


def torch() -> Path | None:
    """Folder of the lab's PyTorch; None if it is not installed."""
    caches = (cache_folder(), Path(pwd.getpwuid(os.getuid()).pw_dir) / ".cache/mlfleet-hyperpod")
    found = [path for cache in caches for path in cache.glob("pytorch-*") if path.is_dir()]
    return next(iter(found), None) if shutil.which(PYTHON) else None


needs_torch = pytest.mark.skipif(torch() is None, reason="the lab has not installed PyTorch")
