# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the policy of the page knows its script by."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.page.script import SCRIPT, source_hash


def test_the_hash_is_that_of_browsers() -> None:
    assert source_hash("doSomething();") == "'sha256-RFWPLDbv2BY+rCkDzsE+0fr8ylGr2R2faWMhq4lfEQc='"


def test_the_script_makes_nothing_of_text_and_asks_nobody() -> None:
    words = ("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval", "Function", "fetch", "XMLHttp", "import", "</", "<!--")
    assert [word for word in words if word in SCRIPT] == []
