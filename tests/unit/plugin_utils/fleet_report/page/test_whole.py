# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page shows what the document has. tests/browser/test_fleet_page.py opens it in a browser."""

from __future__ import annotations

import re
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.filter_script import SCRIPT
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.fleet_report.page.whole import (
    ANCHORS,
    SECTIONS,
    headline,
    page,
    standing,
)
from simulated.fleet_document import CLUSTERS
from simulated.fleet_store import fleet

from .conftest import text_of


def test_the_fleet_of_the_tests_has_each_standing(made: dict[str, t.Any]) -> None:
    assert {key: each["standing"] for key, each in made["clusters"].items()} == CLUSTERS


def test_the_page_has_each_element_of_the_script(made: dict[str, t.Any]) -> None:
    markup = page(made)
    ids, names = re.findall(r'getElementById\("([a-z]+)"\)', SCRIPT), re.findall(r"form\.elements\.([a-z]+)", SCRIPT)
    assert set(ids) == {"filter", "list"} and set(names) == {"text", "shown"}
    assert [each for each in ids if f'id="{each}"' not in markup] + [each for each in names if f'name="{each}"' not in markup] == []
    assert '<select name="standing"' in markup and 'data-standing="' in markup


def test_the_headline_counts_the_clusters(made: dict[str, t.Any]) -> None:
    expected = "1 of 6 clusters needs a person, 2 not known, 1 pending, 1 with old reports, 1 cluster without open findings"
    assert headline(made) == f"{expected}, the inventory is incomplete." and standing(made) == "person"


@pytest.mark.parametrize(
    ("counts", "more", "expected"),
    [
        ({"good": 2}, {}, "good"),
        ({"good": 1, "old": 1}, {}, "old"),
        ({"good": 1, "unknown": 1, "old": 1}, {}, "unknown"),
        ({"good": 2}, {"inventory_failures": ["x"]}, "unknown"),
        ({"person": 1, "good": 1}, {"inventory_failures": ["x"]}, "person"),
        ({}, {}, "unknown"),
    ],
)
def test_the_headline_is_good_only_if_nothing_is_missing(made: dict[str, t.Any], counts: dict[str, int], more: t.Any, expected: str) -> None:
    found = {**made, "inventory_failures": [], "standings": dict.fromkeys(made["standings"], 0) | counts, **more}
    assert standing(found) == expected


def test_an_empty_store_says_that_nothing_is_known(tmp_path: Path) -> None:
    found = fleet(tmp_path, "a", "b")
    assert headline(found) == "Nothing is known about 2 clusters: the report store has no report of them." and standing(found) == "unknown"
    text = text_of(page(found), "now")
    assert "Nothing in the latest reports" not in text and "Not known — 2 clusters" in text


def test_a_store_that_could_not_be_read(tmp_path: Path) -> None:
    (tmp_path / "v1").write_text("")
    found = fleet(tmp_path, "a")
    assert headline(found) == "Nothing is known: the report store could not be read."
    assert "report store: The report store could not be listed" in text_of(page(found), "coverage")


def test_a_cluster_without_data_is_never_shown_as_good(made: dict[str, t.Any]) -> None:
    """The rows and the sections of the clusters that are not known have no good mark."""
    for key in ("broken", "none"):
        rows = [found[0] for tag in ("tr", "details") for found in re.finditer(rf"<{tag}\b(?:(?!</{tag}>).)*<code>{key}</code>.*?</{tag}>", page(made))]
        assert len(rows) > 5 and [row for row in rows if 'data-v="good"' in row] == []


def test_each_section_has_a_link(made: dict[str, t.Any]) -> None:
    markup = page(made)
    assert len(SECTIONS) == len(ANCHORS) and [each for each in ANCHORS if f'<section id="{each}"' not in markup or f'href="#{each}"' not in markup] == []
