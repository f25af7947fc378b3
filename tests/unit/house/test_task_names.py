# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of plays, blocks and tasks begin with Validate, Get, Ensure, Remove, Skip, Record, Wait or Report."""

from __future__ import annotations

from tools.figures import roles
from tools.figures.house import House


def test_names_begin_with_one_of_the_eight_verbs(house: House) -> None:
    assert roles.other_first_words(house) == []
