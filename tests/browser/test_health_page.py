# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The HTML report on health in a browser: numbers, filter, links, phone, dark mode, paper, and hostile texts of nodes.

``tools/collection-tree .venv sh -c 'PYTHONPATH=$COLLECTION_TREE:tests .venv/bin/python -m pytest tests/browser'``, as root.
"""

from __future__ import annotations

import json
import os
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.page import page
from browser.attacks import ATTACKS
from browser.devtools import Browser
from simulated.accelerator_report import VERDICTS, hung, iid, problem, report, shared, silent

SHOTS = "HEALTH_PAGE_SHOTS"
"""Environment variable with a folder for pictures of the page."""
Open = t.Callable[[t.Mapping[str, t.Any]], Browser]
SHOWN = "[...document.querySelectorAll('#list > details')].filter((each) => each.checkVisibility()).length"


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
    """The count that the filter shows once the form has these values."""
    steps = "".join(f"form.elements[{json.dumps(name)}].value = {json.dumps(value)};" for name, value in values.items())
    event = "form.dispatchEvent(new Event('input', {bubbles: true}));"
    return browser.evaluate(f"(() => {{const form = document.getElementById('filter'); {steps} {event} return form.elements.shown.value}})()")


def _click(browser: Browser, selector: str) -> None:
    browser.evaluate(f"(document.querySelector({json.dumps(selector)}).click(), new Promise((done) => setTimeout(done, 50)))")


def _attacked(document: t.Any, attack: str) -> t.Any:
    """The document, with the attack appended to each text."""
    if isinstance(document, dict):
        return {key: _attacked(each, attack) for key, each in document.items()}
    if isinstance(document, list):
        return [_attacked(each, attack) for each in document]
    return f"{document}{attack}" if isinstance(document, str) and document and document not in VERDICTS else document


def test_numbers_equal_those_of_the_report(opened: Open) -> None:
    document = shared(report(64))
    browser = opened(document)
    shown = browser.evaluate("Object.fromEntries([...document.querySelectorAll('[data-n]')].map((e) => [e.dataset.n, Number(e.innerText)]))")
    assert {key: shown[key] for key in document["coverage"]} == document["coverage"]
    assert {name: shown[f"verdict-{name}"] for name in VERDICTS} == document["verdicts"]
    cells = browser.evaluate("document.querySelectorAll('.cells i').length")
    assert cells == sum(node["expected"]["gpus"] for cluster in document["clusters"].values() for node in cluster["nodes"].values())
    assert browser.evaluate("document.querySelector('h1').innerText").startswith("2 of 63 nodes are unfit")


def test_the_page_logs_nothing_and_requests_nothing_else(opened: Open) -> None:
    browser = opened(shared(report(64)))
    _click(browser, "#theme")
    assert browser.complaints() == []
    assert browser.requests() == ["file:///mnt/page.html"]


def test_a_foreign_script_does_not_run(opened: Open) -> None:
    """The Content-Security-Policy blocks the script that this test adds."""
    browser = opened(report(4))
    browser.evaluate("{const s = document.createElement('script'); s.textContent = 'document.title = 1'; document.body.append(s)}")
    assert browser.evaluate("document.title").startswith("Accelerators: ")
    assert len(browser.complaints()) == 1


@pytest.mark.parametrize("attack", ATTACKS)
def test_hostile_text_does_nothing(opened: Open, attack: str) -> None:
    clean = shared(report(64))
    count = "document.querySelectorAll('*').length"
    expected = opened(_attacked(clean, "~")).evaluate(count)
    browser = opened(_attacked(clean, attack))
    browser.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true })")
    assert browser.evaluate("document.title").startswith("Accelerators: 2 of 63 nodes are unfit")
    assert browser.evaluate("document.querySelectorAll('script').length") == 1
    assert browser.evaluate("document.querySelectorAll('img, svg, iframe, [onerror], [onload], [onfocus], [autofocus]').length") == 0
    assert browser.evaluate(count) == expected
    assert (browser.complaints(), browser.requests()) == ([], ["file:///mnt/page.html"])
    assert attack in browser.evaluate("document.querySelector('.evidence q').textContent")


def test_hostile_names_of_clusters_groups_and_nodes_do_nothing(opened: Open) -> None:
    name = ATTACKS[1]
    document = report(8)
    cluster = document["clusters"]["research"]
    cluster["nodes"] = {f"{key}{name}": {**node, "instance_group": name} for key, node in cluster["nodes"].items()}
    document["clusters"] = {name: cluster}
    browser = opened(document)
    assert _choose(browser, group=f"={name}") == "6 of 6 shown"
    assert browser.evaluate("document.querySelector('[name=cluster]').options[1].text") == name
    assert browser.evaluate("document.title").startswith("Accelerators: ")
    assert browser.complaints() == []


@pytest.mark.parametrize("count", [64, 1000])
def test_a_phone_scrolls_one_way_only(opened: Open, count: int) -> None:
    long = "x" * 300
    wide = problem("gpu-xid", "watch", "hardware", long, part=long, evidence=long, folded=[long])
    document = shared(report(count))
    document["clusters"]["research"]["nodes"][iid(0)] |= {"host": long, "problems": [wide], "instance_group": long}
    browser = opened(document)
    browser.resize(375, 812)
    browser.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true })")
    assert browser.evaluate("document.documentElement.scrollWidth") <= 375
    assert browser.evaluate("document.querySelector('.box').scrollWidth") <= 375


def test_the_filter_shows_the_nodes_that_match_all_its_fields(opened: Open) -> None:
    browser = opened(report(64))
    assert browser.evaluate(SHOWN) == 64
    assert _choose(browser, verdict="=unknown") == "3 of 64 shown"
    assert browser.evaluate(SHOWN) == 3
    assert _choose(browser, verdict="", cluster="=0") == "16 of 64 shown"
    assert _choose(browser, group="=login") == "1 of 64 shown"
    assert _choose(browser, cluster="", group="", text="GSP timeout") == "1 of 64 shown"
    assert _choose(browser, text="10.1.0.12") == "1 of 64 shown"
    assert _choose(browser, text="no node has this") == "0 of 64 shown"
    _click(browser, "#filter button")
    assert browser.evaluate(SHOWN) == 64


def test_a_click_on_a_number_of_the_summary_filters_the_nodes(opened: Open) -> None:
    browser = opened(report(64))
    _click(browser, "[data-verdict=unknown][data-cluster='1']")
    assert browser.evaluate(SHOWN) == 3
    assert browser.evaluate("location.hash") == "#nodes"


def test_a_link_of_the_matrix_opens_its_node_despite_the_filter(opened: Open) -> None:
    browser = opened(report(64))
    _choose(browser, verdict="=fit")
    browser.evaluate(f"document.querySelector(\".matrix a[aria-label^='{iid(3)}']\").click()")
    browser.evaluate("new Promise((done) => setTimeout(done, 100))")
    entry = "document.querySelector('#list > details:target')"
    assert browser.evaluate(f"[{entry}.open, {entry}.hidden, {entry}.querySelector('code').innerText]") == [True, False, iid(3)]
    assert 0 <= browser.evaluate(f"{entry}.getBoundingClientRect().top") < 900


def test_the_theme_follows_the_system_the_switch_and_print(opened: Open) -> None:
    browser = opened(report(4))
    back = "getComputedStyle(document.body).backgroundColor"
    light = browser.evaluate(back)
    browser.prefer("dark")
    dark = browser.evaluate(back)
    assert light == "rgb(255, 255, 255)" != dark
    _click(browser, "#theme")
    assert browser.evaluate(back) == light
    _click(browser, "#theme")
    assert browser.evaluate(back) == dark
    browser.prefer("dark", "print")
    assert browser.evaluate(back) == light


def test_everything_is_shown_without_scripts(opened: Open, chrome: tuple[Browser, Path]) -> None:
    document = report(64, wrong={3: hung, 4: silent})
    browser = opened(document)
    browser.command("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.open("file:///mnt/page.html")
        assert browser.evaluate(SHOWN) == 64
        assert browser.evaluate("document.getElementById('filter').checkVisibility()") is False
        assert hung(3)["problems"][0]["evidence"] in browser.evaluate("document.body.textContent")
    finally:
        browser.command("Emulation.setScriptExecutionDisabled", value=False)


def test_a_thousand_nodes_are_filtered_at_once(opened: Open) -> None:
    document = report(1000)
    nodes = [node for cluster in document["clusters"].values() for node in cluster["nodes"].values()]
    many = len([node for node in nodes if any(each["code"] == "gpu-xid" for each in node["problems"])])
    assert _choose(opened(document), text="gpu-xid") == f"{many} of 1000 shown"


@pytest.mark.skipif(not os.environ.get(SHOTS), reason=f"{SHOTS} is not set")
def test_pictures(opened: Open) -> None:
    folder = Path(os.environ[SHOTS])
    browser = opened(shared(report(64)))
    browser.screenshot(folder / "desktop-light.png", whole=True)
    browser.prefer("dark")
    browser.screenshot(folder / "desktop-dark.png", whole=True)
    browser.prefer("light")
    browser.resize(375, 812)
    browser.screenshot(folder / "phone.png", whole=True)
    browser.resize(800, 1100)
    browser.prefer("light", "print")
    browser.screenshot(folder / "paper.png", whole=True)
