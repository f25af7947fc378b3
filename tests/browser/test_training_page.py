# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report on training in a browser: order, curve, phone, dark mode, paper, no scripts, and hostile texts."""

from __future__ import annotations

import os
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.page import page
from browser.attacks import ATTACKS
from browser.devtools import Browser
from simulated import training_report

SHOTS = "TRAINING_PAGE_SHOTS"
"""Environment variable with a folder for pictures of the page."""
Open = t.Callable[[t.Mapping[str, t.Any]], Browser]
BIDI = "\u202e\u2066exe.gnp\u2069"
LONG = "x" * 10_000
KEPT = ("name", "verdict", "created", "since", "weights", "instance_type")
"""Keys whose values the collection sets, so that they cannot hold an attack."""
POINTS = (
    "[...document.querySelectorAll('path.loss')].map((each) => [each.dataset.job, each.getAttribute('d').match(/[ML]/g).length])"
)


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


def _attacked(document: t.Any, attack: str, key: str = "") -> t.Any:
    """The document, with the attack appended to each text and to the names of clusters."""
    if isinstance(document, dict):
        ends = attack if key == "clusters" else ""
        return {f"{name}{ends}": _attacked(each, attack, name) for name, each in document.items()}
    if isinstance(document, list):
        return [_attacked(each, attack, key) for each in document]
    return f"{document}{attack}" if isinstance(document, str) and document and key not in KEPT else document


def _wide() -> dict[str, t.Any]:
    """The document with long texts without spaces everywhere."""
    return t.cast("dict[str, t.Any]", _attacked(training_report.slower(), LONG))


def test_the_page_starts_with_the_verdicts_then_the_actions_then_each_cluster(opened: Open) -> None:
    browser = opened(training_report.slower())
    assert browser.evaluate("document.querySelector('h1').innerText") == "2 clusters: 1 failed, 1 passed."
    assert browser.evaluate("[...document.querySelectorAll('.verdicts li')].map((each) => each.innerText)") == [
        "✓ Training works:  production",
        "✗ Training does not work as required (skipped: survive, recover): research",
    ]
    chapters = [
        "Checks",
        "Jobs",
        "Loss",
        "Placement",
        "Versions",
        "Price",
        "Compared with the previous run",
        "Skipped or not verified",
    ]
    assert browser.evaluate("[...document.querySelectorAll('h2, h3')].map((each) => each.innerText)") == [
        *("What to do now", "production: Training works", *chapters),
        *("research: Training does not work as required", *chapters),
    ]
    places = browser.evaluate(
        "[...document.querySelectorAll('h1, .verdicts, h2, h3')].map((each) => each.getBoundingClientRect().top)"
    )
    assert places == sorted(places)


def test_the_curve_has_a_point_for_each_loss_and_marks_for_checkpoints_and_jobs(opened: Open) -> None:
    document = training_report.slower()
    browser = opened(document)
    jobs = [(name, job) for cluster in document["clusters"].values() for name, job in cluster["jobs"].items()]
    assert browser.evaluate(POINTS) == [[name, len(job["losses"])] for name, job in jobs]
    assert browser.evaluate("document.querySelectorAll('path.saved').length") == sum(len(job["checkpoints"]) for _name, job in jobs)
    assert browser.evaluate("[...document.querySelectorAll('[data-label]')].map((each) => each.textContent)") == [
        *("train", "resume, from step 40", "survive, from step 80", "recover, from step 120", "train"),
    ]
    shown = "[...document.querySelectorAll('svg.curve')].map((each) => each.checkVisibility() && each.getBoundingClientRect().height > 200)"
    assert browser.evaluate(shown) == [True, True]
    strokes = browser.evaluate("[...document.querySelectorAll('path.loss')].map((each) => getComputedStyle(each).strokeDasharray)")
    assert len(set(strokes[:4])) == 4


@pytest.mark.parametrize("width", [1440, 360])
def test_no_text_of_the_curve_is_cut_off_or_overlaps_another(opened: Open, width: int) -> None:
    browser = opened(training_report.slower())
    browser.resize(width, 812)
    box = "(each) => {const b = each.getBBox(); return [b.x, b.y, b.x + b.width, b.y + b.height]}"
    boxes = browser.evaluate(f"[...document.querySelector('svg.curve').querySelectorAll('text')].map({box})")
    assert all(left >= 0 and top >= -1 and right <= 640 and bottom <= 361 for left, top, right, bottom in boxes)
    crossing = [
        (a, b)
        for place, a in enumerate(boxes)
        for b in boxes[place + 1 :]
        if a[0] < b[2] and b[0] < a[2] and a[1] + 4 < b[3] and b[1] + 4 < a[3]
    ]
    assert crossing == []


def test_nothing_is_requested_and_no_error_is_logged(opened: Open) -> None:
    browser = opened(training_report.slower())
    browser.evaluate("document.querySelector('#theme').click()")
    assert (browser.complaints(), browser.requests()) == ([], ["file:///mnt/page.html"])


def test_a_foreign_script_does_not_run(opened: Open) -> None:
    browser = opened(training_report.report())
    browser.evaluate("{const s = document.createElement('script'); s.textContent = 'document.title = 1'; document.body.append(s)}")
    assert browser.evaluate("document.title").startswith("Training: ") and len(browser.complaints()) == 1


@pytest.mark.parametrize("attack", [*ATTACKS, BIDI])
def test_hostile_text_does_nothing(opened: Open, attack: str) -> None:
    document, count = training_report.slower(), "document.querySelectorAll('*').length"
    expected = opened(_attacked(document, "~")).evaluate(count)
    browser = opened(_attacked(document, attack))
    browser.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true })")
    assert browser.evaluate("document.title").startswith("Training: 2 clusters: 1 failed")
    assert browser.evaluate("[document.querySelectorAll('script').length, document.querySelectorAll('svg').length]") == [1, 2]
    assert (
        browser.evaluate("document.querySelectorAll('img, iframe, [onerror], [onload], [onfocus], [autofocus], [style]').length")
        == 0
    )
    assert browser.evaluate(count) == expected
    assert (browser.complaints(), browser.requests()) == ([], ["file:///mnt/page.html"])
    shown = browser.evaluate("document.querySelector('.evidence q').textContent")
    assert shown.endswith("".join(char if char.isprintable() else "?" for char in attack)) and "\u202e" not in browser.evaluate(
        "document.body.textContent"
    )


@pytest.mark.parametrize("width", [360, 375, 1440])
@pytest.mark.parametrize("made", [training_report.slower, _wide])
def test_a_page_scrolls_one_way_only(opened: Open, made: t.Callable[[], dict[str, t.Any]], width: int) -> None:
    browser = opened(made())
    browser.resize(width, 812)
    browser.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true })")
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    checks = (
        "[...document.querySelectorAll('.checks')].map((each) => each.parentElement.scrollWidth - each.parentElement.clientWidth)"
    )
    assert set(browser.evaluate(checks)) == {0}


def test_the_theme_follows_the_system_and_print(opened: Open) -> None:
    browser = opened(training_report.report())
    back = "getComputedStyle(document.body).backgroundColor"
    line = "getComputedStyle(document.querySelector('path.loss')).stroke"
    light = (browser.evaluate(back), browser.evaluate(line))
    browser.prefer("dark")
    dark = (browser.evaluate(back), browser.evaluate(line))
    assert light[0] == "rgb(255, 255, 255)" and light[0] != dark[0] and light[1] != dark[1]
    browser.prefer("dark", "print")
    assert (browser.evaluate(back), browser.evaluate(line)) == light


def test_everything_is_shown_without_scripts(opened: Open) -> None:
    document = training_report.slower()
    browser = opened(document)
    browser.command("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.open("file:///mnt/page.html")
        assert training_report.NOT_SHARED in browser.evaluate("document.body.innerText")
        assert browser.evaluate(POINTS)[0] == ["train", 40] and browser.evaluate("document.querySelector('svg').checkVisibility()")
    finally:
        browser.command("Emulation.setScriptExecutionDisabled", value=False)


@pytest.mark.skipif(not os.environ.get(SHOTS), reason=f"{SHOTS} is not set")
def test_pictures(opened: Open) -> None:
    folder = Path(os.environ[SHOTS])
    browser = opened(training_report.slower())
    browser.screenshot(folder / "page.png", whole=True)
    browser.prefer("dark")
    browser.screenshot(folder / "page-dark.png", whole=True)
    browser.prefer("light")
    browser.resize(360, 812)
    browser.screenshot(folder / "page-phone.png", whole=True)
    browser.evaluate("scrollTo(0, document.querySelector('svg').getBoundingClientRect().top - 300)")
    browser.screenshot(folder / "page-phone-curve.png")
    browser.resize(800, 1100)
    browser.prefer("light", "print")
    browser.screenshot(folder / "page-paper.png", whole=True)
