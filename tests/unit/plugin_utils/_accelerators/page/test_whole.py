# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole page: valid, self-contained, with the numbers of the report, and without effects of text from nodes."""

from __future__ import annotations

import itertools
import re
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.page import page
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.filter_script import SCRIPT
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.frame import THEME, source_hash
from simulated.accelerator_report import VERDICTS, documented, report, shared
from simulated.read_html import Element, read

HOSTILE = "</script></style></title>--><script>document.title='x'</script>\"'><img src=x onerror=alert(1)> &lt; javascript:alert(1)"
ENUMS = {"verdict", "was", "is", "action", "cause", "created", "since", "until"}
"""Fields for which the page has its own texts, or that it parses as a time."""
Change = t.Callable[[str], str]


@pytest.fixture(scope="module")
def document() -> dict[str, t.Any]:
    return shared(report(64))


@pytest.fixture(scope="module")
def read_page(document: dict[str, t.Any]) -> Element:
    return read(page(document))


def _changed(value: t.Any, change: Change, name: str = "") -> t.Any:
    """The document with each text, and each name of a cluster, node or version, replaced."""
    if isinstance(value, dict):
        free = name in ("clusters", "nodes", "versions")
        return {change(key) if free else key: _changed(each, change, key) for key, each in value.items()}
    if isinstance(value, list):
        return [_changed(each, change) for each in value]
    return change(value) if isinstance(value, str) and value and name not in ENUMS else value


def _shape(found: Element) -> list[tuple[str, list[str]]]:
    return [(each.name, sorted(each.attributes)) for each in found.all()]


def test_the_numbers_equal_those_of_the_report(document: dict[str, t.Any], read_page: Element) -> None:
    assert {key: read_page.number(key) for key in document["coverage"]} == document["coverage"]
    assert {name: read_page.number(f"verdict-{name}") for name in VERDICTS} == document["verdicts"]
    nodes = [node for cluster in document["clusters"].values() for node in cluster["nodes"].values()]
    assert read_page.number("problems") == sum(len(node["problems"]) for node in nodes)
    assert read_page.number("waived") == sum(len(node["waived"]) for node in nodes)
    assert read_page.number("skew") == len(document["skew"])
    assert read_page.number("changes") == len(document["changes"]["nodes"])
    assert read_page.number("node-list") == len(nodes) == len(read_page.at("list").parts)


def test_the_parts_are_in_reading_order(read_page: Element) -> None:
    order = [each.attributes["id"] for each in read_page.named("section")]
    assert order == ["todo", "common", "coverage", "verdicts", "matrix", "findings", "waived", "nccl", "skew", "changes", "nodes"]
    assert read_page.named("h1")[0].text.startswith("2 of 63 nodes are unfit: replace 1, reboot 1. The health of 3 of 63 nodes is unknown.")


def test_the_header_links_to_every_section(read_page: Element) -> None:
    (nav,) = read_page.named("nav")
    anchors = [each.attributes["href"].removeprefix("#") for each in nav.named("a")]
    assert anchors == [each.attributes["id"] for each in read_page.named("section") if each.attributes["id"] != "common"]


def test_headings_and_landmarks_are_valid(read_page: Element) -> None:
    levels = [int(each.name[1]) for each in read_page.named("h1", "h2", "h3", "h4")]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    assert [each.name for each in read_page.named("header", "nav", "main", "footer")] == ["header", "nav", "main", "footer"]


def test_links_point_to_anchors_of_the_page(read_page: Element) -> None:
    places = [each.attributes["id"] for each in read_page.having("id")]
    assert len(places) == len(set(places))
    targets = {each.attributes["href"] for each in read_page.having("href")}
    assert {target.removeprefix("#") for target in targets} <= set(places)


def test_no_external_resource_is_used(document: dict[str, t.Any]) -> None:
    made = page(document)
    assert [word for word in ("http:", "https:", "src=", "@import", "url(", "<link", "<iframe", "<img") if word in made] == []
    assert re.findall(r"\son\w+=|\sstyle=", made) == []


def test_the_content_policy_allows_only_the_script_and_style_of_the_page(read_page: Element) -> None:
    (sheet,) = read_page.named("style")
    (script,) = read_page.named("script")
    (policy,) = (each.attributes["content"] for each in read_page.named("meta") if "http-equiv" in each.attributes)
    assert script.text == SCRIPT + THEME
    assert policy.split("; ") == [
        "default-src 'none'",
        f"style-src {source_hash(sheet.text)}",
        f"script-src {source_hash(script.text)}",
        "base-uri 'none'",
        "form-action 'none'",
    ]


def test_hostile_text_stays_text(document: dict[str, t.Any]) -> None:
    """Each text contains a number, so that a lost text is found."""
    tame, hostile = {}, {}

    def calm(value: str) -> str:
        return tame.setdefault(value, f"t{len(tame):04}.")

    def attack(value: str) -> str:
        return hostile.setdefault(value, f"{HOSTILE}t{len(hostile):04}.")

    harmless, attacked = read(page(_changed(document, calm))), read(page(_changed(document, attack)))
    assert _shape(attacked) == _shape(harmless)
    shown = attacked.text + "".join(value for each in attacked.all() for value in each.attributes.values())
    assert {value for value, text in hostile.items() if text not in shown} == set()


@pytest.mark.parametrize("name", sorted(ENUMS))
def test_hostile_enum_values_stay_text(document: dict[str, t.Any], name: str) -> None:
    def change(value: t.Any, key: str = "") -> t.Any:
        if isinstance(value, dict):
            return {each: change(found, each) for each, found in value.items()}
        if isinstance(value, list):
            return [change(each, key) for each in value]
        return HOSTILE if key == name and isinstance(value, str) else value

    found = read(page(change(document)))
    assert len(found.named("script")) == 1
    assert found.named("img") == []


def test_an_empty_fleet_is_shown() -> None:
    found = read(page(documented({})))
    assert found.named("h1")[0].text == "No node with accelerators was found."
    assert found.at("list").parts == []


def test_a_thousand_nodes_are_shown() -> None:
    made = page(report(1000))
    assert len(made) < 2_500_000
    assert len(read(made).at("list").parts) == 1000
