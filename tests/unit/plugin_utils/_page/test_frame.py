# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A page in one file that runs only its own script."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.frame import THEME, framed, source_hash
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.markup import element


def test_the_hash_has_the_form_of_browsers() -> None:
    assert source_hash("doSomething();") == "'sha256-RFWPLDbv2BY+rCkDzsE+0fr8ylGr2R2faWMhq4lfEQc='"


def test_script_and_style_are_allowed_by_hash() -> None:
    made = framed("<a>", "p{}", "run();", element("p", "x"))
    assert f"script-src {source_hash('run();' + THEME)};".replace("'", "&#x27;") in made and "default-src &#x27;none&#x27;" in made
    assert f"style-src {source_hash('p{}')};".replace("'", "&#x27;") in made and "<title>&lt;a&gt;</title>" in made
    assert made.startswith("<!DOCTYPE html>\n<html lang=\"en\"><head>") and "<p>x</p><script>run();" in made
