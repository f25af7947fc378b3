# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tree of unit tests mirrors plugins/."""

from __future__ import annotations

from tools.figures import tree
from tools.figures.house import House


def test_unit_tests_mirror_the_paths_of_their_files(house: House) -> None:
    assert tree.misplaced_tests(house) == [], "plugins/A/b.py is tested by tests/unit/A/test_b.py, or by files in tests/unit/A/b"


def test_excluded_folders_exist(house: House) -> None:
    assert [name for name in tree.EXCLUDED if not (house.root / tree.UNIT / name).is_dir()] == []
