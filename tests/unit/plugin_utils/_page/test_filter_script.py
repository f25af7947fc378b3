# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The limits of the script, and the elements that it needs. The browser tests show what it does."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.filter_script import SCRIPT


def test_the_script_evaluates_no_text_and_sends_no_request() -> None:
    words = ("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval", "Function", "fetch", "XMLHttp", "import", "createElement", "</", "<!--")
    assert [word for word in words if word in SCRIPT] == []
