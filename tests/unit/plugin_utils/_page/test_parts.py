# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Times and numbers."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.parts import count, moment


def test_a_time_is_shortened_and_other_text_is_unchanged() -> None:
    assert moment("2026-11-25T03:00:00Z").markup == '<time datetime="2026-11-25T03:00:00Z">2026-11-25 03:00 UTC</time>'
    assert moment('2026-11-25T03:00:00Z"').markup == "2026-11-25T03:00:00Z&quot;"
    assert moment("").markup == ""


def test_singular_and_plural_are_used() -> None:
    assert [count(number, "node") for number in (0, 1, 2)] == ["0 nodes", "1 node", "2 nodes"]
