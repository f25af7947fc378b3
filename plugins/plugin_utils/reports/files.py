# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of a report. Each file is written atomically, and files of individual runs are removed after a while."""

from __future__ import annotations

import os
import re

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.files import write_file

_OF_A_RUN = re.compile(r"\d{8}T\d{6}Z-[A-Za-z0-9_.-]*\.json")


def write_whole(path: str, text: str, *, mode: int) -> None:
    """Create or replace the file atomically, and create its folder."""
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    write_file(path, text, mode=mode)


def keep(folder: str, name: str, text: str, *, most: int) -> None:
    """Write the file of an individual run, and remove the oldest such files until ``most`` files are left.

    Two runs of a playbook may begin in the same second, so the name may get a number.
    """
    if most < 1:
        return
    names = (f"{name}{suffix}.json" for suffix in ("", *(f"-{number}" for number in range(2, 100))))
    paths = (os.path.join(folder, each) for each in names)
    write_whole(next(each for each in paths if not os.path.lexists(each)), text, mode=0o600)
    mine = sorted(each for each in os.listdir(folder) if _OF_A_RUN.fullmatch(each))
    for old in mine[:-most]:
        try:
            os.unlink(os.path.join(folder, old))
        except FileNotFoundError:
            pass  # another run was faster
