# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Caches that avoid loading the same modules thousands of times, and their switch.

The other files are imported without a package, because this folder is on PYTHONPATH of the lab's shell.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

PLAIN = "LAB_PLAIN_PYTHON"
"""If this variable is set and not empty, modules run as on any other machine."""
HERE = Path(__file__).resolve().parent
DIST_PACKAGES = "usr/lib/python3/dist-packages"
FOLDERS = (HERE, HERE.parent / "hosts/image/files" / DIST_PACKAGES)


def is_plain(environment: Mapping[str, str] | None = None) -> bool:
    """Whether the switch is set, by default in this process's environment."""
    return bool((os.environ if environment is None else environment).get(PLAIN))


def path(environment: Mapping[str, str] | None = None) -> list[str]:
    """PYTHONPATH of a controller."""
    return [] if is_plain(environment) else [str(folder) for folder in FOLDERS]


def prepare_disk(root: Path) -> None:
    """Let a machine cache compiled code, unless the switch is set."""
    if is_plain():
        (root / DIST_PACKAGES / "kept_code.pth").unlink()
