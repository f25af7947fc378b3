# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines as the operating system defines them, and text that is safe to show."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.text import lines_of, printable


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("\n", [""]),
        ("one", ["one"]),
        ("one\ntwo\n", ["one", "two"]),
        ("one\n\n", ["one", ""]),
        *[(f"one{mark}two\n", [f"one{mark}two"]) for mark in "\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"],
    ],
)
def test_only_a_line_feed_ends_a_line(text: str, lines: list[str]) -> None:
    assert lines_of(text) == lines


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("Zoë O'Neil, 5 µs", "Zoë O'Neil, 5 µs"),
        ("\x1b]52;c;aGk=\x07", "?]52;c;aGk=?"),
        ("one\ntwo\r\x85\u2028three", "one?two???three"),
        ("eman \u202eresrever", "eman ?resrever"),
        (b"\xff".decode(errors="surrogateescape"), "?"),
        (7, "7"),
    ],
)
def test_printable_text_is_one_line_without_control_characters(value: object, shown: str) -> None:
    assert printable(value) == shown
