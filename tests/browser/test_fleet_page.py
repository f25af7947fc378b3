# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The fleet report in a browser: counts, filter, links, phone, dark mode, paper, and hostile texts of reports."""

from __future__ import annotations

import json
import os
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.fleet_report.page.whole import page
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.fleet_report.standing import STANDINGS
from browser.attacks import ATTACKS
from browser.devtools import Browser
from simulated.fleet_document import CLUSTERS, document

SHOTS = "FLEET_PAGE_SHOTS"
"""Environment variable with a folder for pictures of the page."""
Open = t.Callable[[t.Mapping[str, t.Any]], Browser]
SHOWN = "[...document.querySelectorAll('#list > details')].filter((each) => each.checkVisibility()).length"
KEPT = {*STANDINGS, "found", "never", "not known", "real", "check", "failure", "pending", "note", "slurm", "eks", "read", "no queue"}
"""Values that the page compares."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, t.Any]:
    return document(tmp_path_factory.mktemp("store"))


@pytest.fixture
def opened(chrome: tuple[Browser, Path]) -> Open:
    """Opens the page of a document, on a desktop in daylight."""
    found, folder = chrome

    def opened(document: t.Mapping[str, t.Any]) -> Browser:
        (folder / "page.html").write_text(page(document), "utf-8")
        found.resize(1440, 900)
        found.prefer("light")
        found.open("file:///mnt/page.html")
        return found

    return opened


def _choose(browser: Browser, **values: str) -> str:
    steps = "".join(f"form.elements[{json.dumps(name)}].value = {json.dumps(value)};" for name, value in values.items())
    event = "form.dispatchEvent(new Event('input', {bubbles: true}));"
    return browser.evaluate(f"(() => {{const form = document.getElementById('filter'); {steps} {event} return form.elements.shown.value}})()")


def _attacked(value: t.Any, attack: str) -> t.Any:
    """The document, with the attack in each text, except for times and values that the page compares."""
    if isinstance(value, dict):
        return {key: _attacked(each, attack) for key, each in value.items()}
    if isinstance(value, list):
        return [_attacked(each, attack) for each in value]
    if not isinstance(value, str) or not value or value in KEPT or value.endswith("Z") or value in CLUSTERS:
        return value
    return f"{value}{attack}"


def _many(made: dict[str, t.Any], count: int) -> dict[str, t.Any]:
    return {**made, "clusters": {f"cluster-{number}": made["clusters"][list(CLUSTERS)[number % len(CLUSTERS)]] for number in range(count)}}


def test_the_counts_equal_those_of_the_document(opened: Open, made: dict[str, t.Any]) -> None:
    browser = opened(made)
    shown = browser.evaluate("Object.fromEntries([...document.querySelectorAll('[data-n]')].map((e) => [e.dataset.n, Number(e.innerText)]))")
    assert shown == made["standings"] and browser.evaluate(SHOWN) == len(CLUSTERS)
    assert browser.evaluate("document.querySelector('h1').dataset.v") == "person"
    assert (browser.complaints(), browser.requests()) == ([], ["file:///mnt/page.html"])


@pytest.mark.parametrize("attack", ATTACKS)
def test_hostile_text_does_nothing(opened: Open, made: dict[str, t.Any], attack: str) -> None:
    count = "document.querySelectorAll('*').length"
    expected = opened(_attacked(made, "~")).evaluate(count)
    browser = opened(_attacked(made, attack))
    browser.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true })")
    assert browser.evaluate("document.title").startswith("Fleet: 1 of 6 clusters")
    assert browser.evaluate("document.querySelectorAll('script').length") == 1
    assert browser.evaluate("document.querySelectorAll('img, svg, iframe, [onerror], [onload], [onfocus], [autofocus]').length") == 0
    assert browser.evaluate(count) == expected
    assert (browser.complaints(), browser.requests()) == ([], ["file:///mnt/page.html"])
    assert attack in browser.evaluate("document.getElementById('now').textContent")


def test_hostile_keys_of_clusters_and_verbs_do_nothing(opened: Open, made: dict[str, t.Any]) -> None:
    name = ATTACKS[1]
    cluster = made["clusters"]["bad"]
    hostile = {**cluster, "verbs": {name: cluster["verbs"]["reconcile"]}}
    browser = opened({**made, "clusters": {name: hostile}, "not_in_inventory": [{"cluster": name, "latest": ""}]})
    assert browser.evaluate("document.querySelector('#list code').textContent") == name
    assert browser.evaluate("document.title").startswith("Fleet: ") and browser.complaints() == []


def test_the_filter_and_the_links(opened: Open, made: dict[str, t.Any]) -> None:
    browser = opened(made)
    assert _choose(browser, standing="=unknown") == "2 of 6 shown" and browser.evaluate(SHOWN) == 2
    assert _choose(browser, standing="", text="no-login-service") == "1 of 6 shown"
    assert _choose(browser, text="", standing="=good") == "1 of 6 shown"
    browser.evaluate("[...document.querySelectorAll('#now a')].find((each) => each.textContent === 'bad').click()")
    browser.evaluate("new Promise((done) => setTimeout(done, 100))")
    entry = "document.querySelector('#list > details:target')"
    assert browser.evaluate(f"[{entry}.open, {entry}.hidden, {entry}.querySelector('code').innerText]") == [True, False, "bad"]


@pytest.mark.parametrize("count", [6, 200])
def test_a_phone_scrolls_one_way_only(opened: Open, made: dict[str, t.Any], count: int) -> None:
    browser = opened(_attacked(_many(made, count), "x" * 300))
    browser.resize(375, 812)
    browser.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true })")
    assert browser.evaluate("document.documentElement.scrollWidth") <= 375


def test_two_hundred_clusters_are_filtered_at_once(opened: Open, made: dict[str, t.Any]) -> None:
    assert _choose(opened(_many(made, 200)), standing="=person") == "33 of 200 shown"


def test_the_theme_follows_the_system_and_print(opened: Open, made: dict[str, t.Any]) -> None:
    browser = opened(made)
    back = "getComputedStyle(document.body).backgroundColor"
    light = browser.evaluate(back)
    browser.prefer("dark")
    assert light == "rgb(255, 255, 255)" != browser.evaluate(back)
    browser.prefer("dark", "print")
    assert browser.evaluate(back) == light


def test_everything_is_shown_without_scripts(opened: Open, made: dict[str, t.Any]) -> None:
    browser = opened(made)
    browser.command("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.open("file:///mnt/page.html")
        assert browser.evaluate(SHOWN) == len(CLUSTERS)
        assert browser.evaluate("document.getElementById('filter').checkVisibility()") is False
    finally:
        browser.command("Emulation.setScriptExecutionDisabled", value=False)


@pytest.mark.skipif(not os.environ.get(SHOTS), reason=f"{SHOTS} is not set")
def test_pictures(opened: Open, made: dict[str, t.Any]) -> None:
    folder = Path(os.environ[SHOTS])
    browser = opened(made)
    browser.screenshot(folder / "desktop-light.png", whole=True)
    browser.prefer("dark")
    browser.screenshot(folder / "desktop-dark.png", whole=True)
    browser.prefer("light")
    browser.resize(375, 812)
    browser.screenshot(folder / "phone.png", whole=True)
