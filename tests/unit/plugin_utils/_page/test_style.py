# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Readable colours, and no external resources."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.style import DARK, LIGHT, sheet

from .contrast import contrast


@pytest.mark.parametrize("colours", [LIGHT, DARK])
@pytest.mark.parametrize("name", ["text", "dim", "link"])
@pytest.mark.parametrize("back", ["back", "panel"])
def test_text_has_enough_contrast(colours: dict[str, str], name: str, back: str) -> None:
    assert contrast(colours[name], colours[back]) >= 4.5


def test_no_external_resource_is_loaded() -> None:
    made = sheet("p{margin:0}", {"a": ("#000000", "#ffffff")}, {"a": ("#ffffff", "#000000")})
    assert made.count("{") == made.count("}") and "p{margin:0}" in made
    assert made.count("[data-v=a]{") == 3, "light, dark by system setting, dark by choice"
    assert [word for word in ("@import", "url(", "//", "</") if word in made] == []
