# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Colours that can be read, and nothing that comes from elsewhere."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.page.style import (
    DARK,
    DARK_MARKS,
    LIGHT,
    LIGHT_MARKS,
    style,
)
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.page.words import MARKS, WORDS


def _luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(one: str, other: str) -> float:
    """As WCAG 2 counts it."""
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("colours", [LIGHT, DARK])
@pytest.mark.parametrize("name", ["text", "dim", "link"])
@pytest.mark.parametrize("back", ["back", "panel"])
def test_text_can_be_read(colours: dict[str, str], name: str, back: str) -> None:
    assert _contrast(colours[name], colours[back]) >= 4.5


@pytest.mark.parametrize("marks", [LIGHT_MARKS, DARK_MARKS])
@pytest.mark.parametrize("name", LIGHT_MARKS)
def test_letters_of_verdicts_can_be_read(marks: dict[str, tuple[str, str]], name: str) -> None:
    assert _contrast(*marks[name]) >= 4.5


def test_each_verdict_has_a_colour_a_letter_of_its_own_and_words() -> None:
    assert {name or "none" for name in MARKS} == set(LIGHT_MARKS) == set(DARK_MARKS)
    assert len(set(MARKS.values())) == len(MARKS)
    assert set(WORDS) == set(MARKS)


def test_nothing_is_loaded() -> None:
    sheet = style()
    assert sheet.count("{") == sheet.count("}")
    assert [word for word in ("@import", "url(", "//", "</") if word in sheet] == []
