# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of plays, blocks and tasks begin with Validate, Get, Ensure, Remove, Skip, Record, Wait or Report."""

from __future__ import annotations

import re

from tools.figures import roles
from tools.figures.house import House

SOUGHT = re.compile(r"mlfleet\.hyperpod\.(\w+) : ([^\"\\\]`']+)")


def test_names_begin_with_one_of_the_eight_verbs(house: House) -> None:
    assert roles.other_first_words(house) == []


def test_tests_search_for_existing_tasks_only(house: House) -> None:
    """Most of these tests are slow and take turns, so that the old name of a task would be found days later."""
    existing = {(place.split("/")[1], name.partition("{{")[0]) for place, name in roles.named(house)}
    texts = [file.read_text("utf-8") for file in house.files("tests/**/*.py")]
    sought = {(role, name.partition("{")[0]) for text in texts for role, name in SOUGHT.findall(text)}
    assert len(sought) > 5 and sought <= existing, sought - existing
