# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Readable colors."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.style import DARK, LIGHT
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.page.style import (
    DARK_LINES,
    DARK_MARKS,
    LIGHT_LINES,
    LIGHT_MARKS,
    style,
)
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.page.words import WORDS
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.report import OWN

from ..._page.contrast import contrast


@pytest.mark.parametrize("marks", [LIGHT_MARKS, DARK_MARKS])
@pytest.mark.parametrize("name", LIGHT_MARKS)
def test_letters_of_verdicts_have_enough_contrast(marks: dict[str, tuple[str, str]], name: str) -> None:
    assert contrast(*marks[name]) >= 4.5


@pytest.mark.parametrize(("lines", "back"), [(LIGHT_LINES, LIGHT["back"]), (DARK_LINES, DARK["back"])])
@pytest.mark.parametrize("name", LIGHT_LINES)
def test_lines_have_enough_contrast(lines: dict[str, tuple[str, str]], back: str, name: str) -> None:
    assert contrast(lines[name][0], back) >= 4.5


def test_each_verdict_and_job_has_a_color() -> None:
    assert {*LIGHT_MARKS} == {*DARK_MARKS} == {*WORDS} and {*LIGHT_LINES} == {*DARK_LINES} == {*OWN}
    assert style().count("{") == style().count("}") and "url(" not in style() and "@import" not in style()
