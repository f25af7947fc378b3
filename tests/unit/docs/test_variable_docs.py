# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of variables has all variables, with the names that people set."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import known_variables

from tools import variable_docs

PAGE = (Path(__file__).resolve().parents[3] / "docs/reference/variables.md").read_text()
ROWS = dict(re.findall(r"^\| `([^`]+)` \|(.*)$", PAGE, re.M))


def test_the_page_is_up_to_date() -> None:
    assert variable_docs.page() == PAGE


def test_each_variable_that_people_may_set_has_a_row() -> None:
    assert len(known_variables.of_people()) > 150
    assert sorted(known_variables.of_people() - set(ROWS)) == []


@pytest.mark.parametrize("name", ["profile", "private_key_file", "accounts[].clusters[].key", "authorized_keys[].expires", "reports_kept"])
def test_options_of_plugins_and_fields_of_entries_have_a_row(name: str) -> None:
    assert name in ROWS


def test_no_row_names_a_variable_as_its_own_default() -> None:
    named = (*known_variables.SETTINGS, *known_variables.of_one_run())
    assert [name for name in named if re.search(rf"[Bb]y default `{name}`(?!,)", ROWS[name])] == []
