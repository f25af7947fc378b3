# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts and marks of verdicts and checks."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.checks import ACCESS, BEFORE
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.page.words import (
    CHECKS,
    MARKS,
    WORDS,
    known,
    marked,
    table,
)
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.report import JOBS, STORAGE
from simulated.read_html import read


def test_each_verdict_has_its_own_mark_and_text() -> None:
    assert {*MARKS} == {*WORDS} == {"passed", "failed", "not_run", "skipped"}
    assert len({*MARKS.values()}) == len({*WORDS.values()}) == 4 and list(CHECKS) == [ACCESS, *BEFORE, STORAGE, *JOBS]


@pytest.mark.parametrize(("verdict", "shown"), [("passed", "passed"), ("not_run", "not_run"), ("good", "not_run"), ("", "not_run")])
def test_an_unknown_verdict_is_not_verified(verdict: str, shown: str) -> None:
    found = read(marked(verdict).markup)
    assert known(verdict) == shown and found.text.endswith(f" {WORDS[shown]}") and found.named("b")[0].attributes["data-v"] == shown


def test_a_table_names_its_rows_and_columns() -> None:
    found = read(table(("", "train"), [("Steps", "1 to 40")], label="Jobs").markup)
    assert [(each.text, each.attributes["scope"]) for each in found.named("th")] == [
        ("", "col"),
        ("train", "col"),
        ("Steps", "row"),
    ]
    assert found.having("role")[0].attributes["aria-label"] == "Jobs" and not read(table((), [("a", "b")], label="x").markup).named(
        "thead"
    )
