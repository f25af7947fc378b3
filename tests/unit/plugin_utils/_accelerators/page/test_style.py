# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Readable colours, and no external resources."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.page.style import DARK_MARKS, LIGHT_MARKS, style
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.page.words import MARKS, WORDS

from ..._page.contrast import contrast


@pytest.mark.parametrize("marks", [LIGHT_MARKS, DARK_MARKS])
@pytest.mark.parametrize("name", LIGHT_MARKS)
def test_letters_of_verdicts_have_enough_contrast(marks: dict[str, tuple[str, str]], name: str) -> None:
    assert contrast(*marks[name]) >= 4.5


def test_each_verdict_has_its_own_colour_letter_and_text() -> None:
    assert {name or "none" for name in MARKS} == set(LIGHT_MARKS) == set(DARK_MARKS)
    assert len(set(MARKS.values())) == len(MARKS)
    assert set(WORDS) == set(MARKS)


def test_no_external_resource_is_loaded() -> None:
    sheet = style()
    assert sheet.count("{") == sheet.count("}")
    assert [word for word in ("@import", "url(", "//", "</") if word in sheet] == []
