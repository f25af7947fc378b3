# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What saves the time of loading the same modules thousands of times, and the switch for it.

The other files of this folder are found by their bare names: it is on PYTHONPATH of the lab's shell.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

PLAIN = "LAB_PLAIN_PYTHON"
"""With this variable set, and not empty, modules run as they do on anybody's machine."""
HERE = Path(__file__).resolve().parent
DIST_PACKAGES = "usr/lib/python3/dist-packages"
FOLDERS = (HERE, HERE.parent / "hosts/image/files" / DIST_PACKAGES)


def is_plain(environment: Mapping[str, str] | None = None) -> bool:
    """By default of this process."""
    return bool((os.environ if environment is None else environment).get(PLAIN))


def path(environment: Mapping[str, str] | None = None) -> list[str]:
    """For PYTHONPATH of a controller."""
    return [] if is_plain(environment) else [str(folder) for folder in FOLDERS]


def prepare_disk(root: Path) -> None:
    """A machine keeps compiled code unless all is to be plain."""
    if is_plain():
        (root / DIST_PACKAGES / "kept_code.pth").unlink()
