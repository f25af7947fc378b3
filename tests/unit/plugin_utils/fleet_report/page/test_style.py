# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Readable colors."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.fleet_report.page.style import DARK_MARKS, LIGHT_MARKS, style
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.fleet_report.page.words import MARKS, WORDS
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.fleet_report.standing import NOT_RUN, STANDINGS

from ..._page.contrast import contrast


@pytest.mark.parametrize("marks", [LIGHT_MARKS, DARK_MARKS])
@pytest.mark.parametrize("name", LIGHT_MARKS)
def test_letters_of_states_have_enough_contrast(marks: dict[str, tuple[str, str]], name: str) -> None:
    assert contrast(*marks[name]) >= 4.5


def test_each_state_has_a_color_a_letter_and_a_text() -> None:
    assert {*STANDINGS, NOT_RUN} == set(MARKS) == set(WORDS) == set(LIGHT_MARKS) == set(DARK_MARKS)
    assert style().count("{") == style().count("}")
