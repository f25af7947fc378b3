# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole page: its content policy, its order, and untrusted texts."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.frame import THEME, source_hash
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.page.whole import page
from simulated.read_html import Element, read
from simulated.training_report import cluster, report, slower, trained

HOSTILE = "</script></style></title>--><script>document.title='x'</script>\"'><img src=x onerror=alert(1)> &lt;\u202e"
OURS = ("verdict", "created", "since", "name", "weights")


def _changed(value: t.Any, change: t.Callable[[str], str], key: str = "") -> t.Any:
    if isinstance(value, dict):
        return {change(each) if key == "clusters" else each: _changed(found, change, each) for each, found in value.items()}
    if isinstance(value, list):
        return [_changed(each, change, key) for each in value]
    return change(value) if isinstance(value, str) and value and key not in OURS else value


def _shape(found: Element) -> list[tuple[str, list[str]]]:
    return [(each.name, sorted(each.attributes)) for each in found.all()]


def test_untrusted_texts_are_escaped() -> None:
    document = slower()
    clean, hostile = (
        read(page(_changed(document, change))) for change in (lambda text: f"{text}~", lambda text: f"{text}{HOSTILE}")
    )
    assert _shape(clean) == _shape(hostile) and HOSTILE[:-1] in hostile.text and "\u202e" not in hostile.text


def test_only_the_theme_script_runs_and_nothing_is_loaded() -> None:
    made = page(slower())
    (policy,) = (each.attributes["content"] for each in read(made).named("meta") if "http-equiv" in each.attributes)
    assert "default-src 'none'" in policy and f"script-src {source_hash(THEME)};" in policy and len(read(made).named("script")) == 1
    links = [each.attributes["href"] for each in read(made).having("href")]
    assert not read(made).having("style") and not read(made).having("src") and all(each.startswith("#") for each in links)


def test_the_verdicts_come_first() -> None:
    found = read(page(slower()))
    assert found.named("title")[0].text == "Training: 2 clusters: 1 failed, 1 passed."
    assert [each.text for each in found.named("h1", "h2")] == [
        *("2 clusters: 1 failed, 1 passed.", "What to do now", "production: Training works", "research: Training does not work as required"),
    ]
    ids = [each.attributes["id"] for each in found.having("id")]
    assert len(ids) == len(set(ids)) and found.named("h1")[0].attributes["data-v"] == "failed"
    anchors = {each.attributes["href"].removeprefix("#") for each in found.having("href")}
    assert anchors <= {*ids}


@pytest.mark.parametrize(
    "document", [report({}), report({}, not_read=["us-east-1"]), report({"ml": cluster(why="No node.")}), report({"ml": cluster()})]
)
def test_without_a_job_nothing_looks_like_a_success(document: dict[str, t.Any]) -> None:
    found = read(page(document))
    assert found.named("h1")[0].attributes["data-v"] == "not_run" and "Training works" not in found.text


def test_a_page_of_one_cluster_is_small() -> None:
    assert len(page(report({"ml": trained()}))) < 60_000
