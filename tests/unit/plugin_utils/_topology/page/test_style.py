# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Readable colours."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.model import STATES
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._topology.page.boxes import MARKS, WORDS
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._topology.page.style import DARK_MARKS, LIGHT_MARKS, UNKNOWN, style

from ..._page.contrast import contrast


@pytest.mark.parametrize("marks", [LIGHT_MARKS, DARK_MARKS])
@pytest.mark.parametrize("name", LIGHT_MARKS)
def test_letters_of_states_have_enough_contrast(marks: dict[str, tuple[str, str]], name: str) -> None:
    assert contrast(*marks[name]) >= 4.5


def test_each_state_has_a_colour_a_letter_and_a_text() -> None:
    assert set(STATES) == set(MARKS) == set(WORDS)
    assert {*STATES, UNKNOWN} == set(LIGHT_MARKS) == set(DARK_MARKS)
    assert style().count("{") == style().count("}")
