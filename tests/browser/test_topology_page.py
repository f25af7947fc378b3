# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The map in a browser: all nodes, a click on a job, a phone, a thousand nodes, and hostile names."""

from __future__ import annotations

import json
import os
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.model import Place
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._topology.document import Cluster, document
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._topology.page import page
from browser.attacks import ATTACKS
from browser.devtools import Browser

SHOTS = "TOPOLOGY_PAGE_SHOTS"
"""Environment variable with a folder for pictures of the page."""
Open = t.Callable[..., Browser]


def places(count: int, attack: str = "") -> list[Place]:
    """Nodes with three or four layers, one close and one spread job, one on a single node, some unhealthy nodes, and one node without layers."""
    made = []
    for number in range(count):
        layers = (f"nn-1{attack}", f"nn-2{number // 40}", f"nn-3{number // 8}", *([f"nn-4{number // 4}"] if number % 80 > 60 else []))
        job = "near" if number < 8 else "wide" if number % 10 == 0 else "alone" if number == 9 else ""
        jobs = (f"research/{job}{attack}",) if job else ()
        state, why = ("unhealthy", f"HyperPod labels it so{attack}") if number % 33 == 32 else ("used" if jobs else "free", "")
        known = layers if number != count - 1 else ()
        made.append(Place(f"hyperpod-i-{number:04d}{attack}", known, f"i-{number}", "ml.p5.48xlarge", "gpus", "us-west-2a", "", state, why, jobs))
    return made


@pytest.fixture
def opened(chrome: tuple[Browser, Path]) -> Open:
    """Opens the map, on a desktop in daylight."""
    found, folder = chrome

    def opened(count: int = 64, attack: str = "") -> Browser:
        cluster = Cluster("ml", f"arn{attack}", "111111111111", "us-west-2", tuple(places(count, attack)))
        before = json.loads(json.dumps(document([cluster], created="2026-11-25T02:00:00Z")))
        now = Cluster("ml", f"arn{attack}", "111111111111", "us-west-2", tuple(places(count + 1, attack)))
        made = json.loads(json.dumps(document([now], created="2026-11-25T03:00:00Z", before=before)))
        (folder / "page.html").write_text(page(made), "utf-8")
        found.resize(1440, 900)
        found.prefer("light")
        found.open("file:///mnt/page.html")
        return found

    return opened


def test_the_page_has_a_box_for_each_node_and_their_counts(opened: Open) -> None:
    browser = opened()
    assert browser.evaluate("document.querySelectorAll('.nodes > li').length") == 65
    shown = browser.evaluate("Object.fromEntries([...document.querySelectorAll('[data-n]')].map((e) => [e.dataset.n, Number(e.innerText)]))")
    states = [place.state for place in places(65)]
    assert shown == {f"ml {state}": states.count(state) for state in ("free", "used", "unhealthy")}
    assert (browser.complaints(), browser.requests()) == ([], ["file:///mnt/page.html"])


def test_a_click_on_a_job_shows_its_nodes(opened: Open) -> None:
    browser = opened()
    click = "document.querySelectorAll('button[data-job]')[{}].click()"
    lit = "[...document.querySelectorAll('.nodes > li.on code')].map((each) => each.textContent)"
    browser.evaluate(click.format(0))
    assert browser.evaluate(lit) == [f"hyperpod-i-{number:04d}" for number in range(10, 65, 10)]
    browser.evaluate(click.format(1))
    assert browser.evaluate(lit) == [f"hyperpod-i-{number:04d}" for number in range(8)]
    assert browser.evaluate("[...document.querySelectorAll('button[data-job]')].map((each) => each.getAttribute('aria-pressed'))") == ["false", "true", "false"]
    browser.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true })")
    browser.evaluate(click.format(2))
    assert browser.evaluate(lit) == ["hyperpod-i-0009"]
    browser.evaluate(click.format(2))
    assert browser.evaluate(lit) == [] and browser.evaluate("document.querySelectorAll('.chosen').length") == 0


@pytest.mark.parametrize("attack", ATTACKS)
def test_hostile_names_do_nothing(opened: Open, attack: str) -> None:
    count = "document.querySelectorAll('*').length"
    expected = opened(attack="~").evaluate(count)
    browser = opened(attack=attack)
    browser.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true })")
    browser.evaluate("document.querySelector('button[data-job]').click()")
    assert browser.evaluate("document.title").startswith("Topology: 65 nodes in 1 cluster")
    assert browser.evaluate("document.querySelectorAll('img, svg, iframe, [onerror], [onload], [onfocus], [autofocus]').length") == 0
    assert browser.evaluate(count) == expected and attack in browser.evaluate("document.querySelector('.nodes code').textContent")
    assert (browser.complaints(), browser.requests()) == ([], ["file:///mnt/page.html"])


@pytest.mark.parametrize("count", [64, 1000])
def test_a_phone_scrolls_one_way_only(opened: Open, count: int) -> None:
    browser = opened(count, "x" * 200)
    browser.resize(375, 812)
    browser.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true })")
    assert browser.evaluate("document.documentElement.scrollWidth") <= 375


def test_pictures(opened: Open) -> None:
    folder = os.environ.get(SHOTS)
    if not folder:
        pytest.skip(f"{SHOTS} is not set")
    browser = opened(128)
    browser.evaluate("document.querySelectorAll('button[data-job]')[0].click()")
    browser.screenshot(Path(folder) / "desktop.png", whole=True)
    browser.prefer("dark")
    browser.screenshot(Path(folder) / "dark.png")
    browser.resize(375, 812)
    browser.screenshot(Path(folder) / "phone.png")
