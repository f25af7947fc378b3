# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The unit tests mirror plugins/, path for path."""

from __future__ import annotations

from tools.figures import tree
from tools.figures.house import House


def test_a_unit_test_stands_where_its_subject_stands(house: House) -> None:
    assert tree.misplaced_tests(house) == [], "plugins/A/b.py is tested by tests/unit/A/test_b.py, or by what is in tests/unit/A/b"


def test_folders_that_are_left_out_are_there(house: House) -> None:
    assert [name for name in tree.BESIDE if not (house.root / tree.UNIT / name).is_dir()] == []
