# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Versions that differ between nodes, and verdicts that changed."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.page.compared import changes, skew
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.page.fleet import Fleet
from simulated.accelerator_report import IMAGE, documented, iid, report
from simulated.read_html import read


def test_the_rare_version_shows_its_nodes() -> None:
    found = read(skew(Fleet(report(64))).markup)
    assert [each.text for each in found.named("h3")] == [f"driver · research · ml.p5.48xlarge · {IMAGE}"]
    versions = [(each.named("summary")[0].text, "open" in each.attributes, len(each.named("a"))) for each in found.named("details")]
    assert versions == [("570.172.08 — 44 nodes", False, 44), ("550.163.01 — 2 nodes", True, 2)]


def test_the_worst_change_comes_first() -> None:
    found = read(changes(Fleet(report(64))).markup)
    assert "The last report was created 2026-11-25 02:30 UTC." in found.text
    assert [each.text for each in found.named("li")] == [
        f"{iid(7)} · research: · fit → R unfit: replace",
        f"{iid(3)} · research: · fit → B unfit: reboot",
    ]


def test_a_cluster_missing_in_the_last_report_has_its_own_time() -> None:
    document = report(64)
    document["changes"]["nodes"][0]["since"] = "2026-11-24T02:30:00Z"
    items = [each.text for each in read(changes(Fleet(document)).markup).named("li")]
    assert [each.endswith("since 2026-11-24 02:30 UTC") for each in items] == [False, True]


def test_without_an_earlier_report_nothing_is_compared() -> None:
    document = documented({})
    assert "No verdict has changed." in read(changes(Fleet(document)).markup).text
    first = {**document, "changes": {"since": "", "nodes": []}}
    assert "There is no earlier report" in read(changes(Fleet(first)).markup).text
    assert read(skew(Fleet(document)).markup).text == "Versions that differ 0None."
