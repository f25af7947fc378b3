# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The three forms of a report."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports import forms


@pytest.mark.parametrize(
    ("value", "cell"),
    [("=1+1", "'=1+1"), ("+1", "'+1"), ("-1", "'-1"), ("@x", "'@x"), ("a\x1b[2J", "a?[2J"), ('a "b", c', '"a ""b"", c"')],
)
def test_a_cell_is_text_in_any_spreadsheet(value, cell):
    assert forms.csv_text(["name", "more"], [{"name": value}]) == f"name,more\n{cell},\n"


def test_a_table_has_columns_as_wide_as_their_longest_cell():
    assert forms.table(["A", "LONG"], [["aaa", "b"], ["c\x07", ""]]) == ["A    LONG", "aaa  b", "c?"]


def test_a_table_without_rows_has_its_head():
    assert forms.table(["A", "B"], []) == ["A  B"]


def test_equal_reports_give_equal_json():
    assert forms.json_text({"b": 1, "a": [2]}) == forms.json_text({"a": [2], "b": 1}) == '{\n  "a": [\n    2\n  ],\n  "b": 1\n}\n'
