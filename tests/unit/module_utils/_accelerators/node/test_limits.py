# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of services are unlimited, a number, or unreadable."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.limits import limits
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.model import Limits

FILES = "Max open files            131072               131072               files\n"
LOCKED = "Max locked memory         {locked}               {locked}               bytes\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="only a process of root counts")
@pytest.mark.parametrize(
    ("text", "found"),
    [
        (FILES + LOCKED.format(locked="unlimited"), [Limits("slurmd", 7, None, 131072)]),
        (FILES + LOCKED.format(locked="65536"), [Limits("slurmd", 7, 65536, 131072)]),
        (FILES, []),
        (FILES + LOCKED.format(locked="?"), []),
        (FILES + LOCKED.format(locked="-1"), []),
        ("", []),
    ],
)
def test_only_readable_limits_are_listed(text: str, found: list[Limits], tmp_path: Path) -> None:
    (tmp_path / "7").mkdir()
    (tmp_path / "7/comm").write_text("slurmd\n")
    (tmp_path / "7/limits").write_text(text)
    assert list(limits(str(tmp_path))) == found
