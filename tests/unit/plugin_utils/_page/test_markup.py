# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Text is escaped when it becomes markup, also in attributes."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.markup import (
    NOTHING,
    Html,
    element,
    joined,
    separated,
    text,
)

HOSTILE = "\"><script>alert('x')</script>&amp;"
ESCAPED = "&quot;&gt;&lt;script&gt;alert(&#x27;x&#x27;)&lt;/script&gt;&amp;amp;"


def test_content_and_attributes_are_escaped() -> None:
    assert element("p", HOSTILE, title=HOSTILE) == Html(f'<p title="{ESCAPED}">{ESCAPED}</p>')


@pytest.mark.parametrize(
    ("value", "shown"),
    [("a\nb", "a?b"), ("\x1b[31m", "?[31m"), ("a\u202eb", "a?b"), ("\x00", "?"), ("\ud800", "?"), ("\u2028", "?"), ("Grüße", "Grüße"), (7, "7")],
)
def test_control_characters_and_direction_marks_are_not_shown(value: object, shown: str) -> None:
    assert text(value) == shown


def test_attributes_are_written() -> None:
    made = element("input", class_="a", data_v="b", hidden=True, open_=False, title=None, tabindex=0)
    assert made == Html('<input class="a" data-v="b" hidden tabindex="0">')


def test_markup_is_not_escaped_twice() -> None:
    assert element("ul", (element("li", each) for each in "<>")) == Html("<ul><li>&lt;</li><li>&gt;</li></ul>")
    assert joined("a", 1, element("b")) == Html("a1<b></b>")


def test_empty_parts_have_no_separator() -> None:
    assert separated(" < ", ["a", "", NOTHING, element("b", "c")]) == Html("a &lt; <b>c</b>")
