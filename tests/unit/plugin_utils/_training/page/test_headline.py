# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The headline, and a line for each cluster."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.page.headline import headline, standing, verdicts
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.report import Cluster
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.unverified import Unverified
from simulated.read_html import read
from simulated.training_report import cluster, report, trained, unshared

NO_NODE = cluster(why="No node.")
IN_PART = trained(unverified=(Unverified("1 of 2 nodes of gpu", "missing"),))


@pytest.mark.parametrize(
    ("clusters", "line", "mark"),
    [
        ({"ml": trained()}, "ml: Training works.", "passed"),
        ({"ml": unshared()}, "ml: Training does not work as required.", "failed"),
        ({"ml": NO_NODE}, "ml: Training was not verified.", "not_run"),
        ({"a": trained(), "b": trained()}, "2 clusters: 2 passed.", "passed"),
        ({"a": trained(), "b": NO_NODE}, "2 clusters: 1 not verified, 1 passed.", "not_run"),
        ({"a": trained(), "b": NO_NODE, "c": unshared()}, "3 clusters: 1 failed, 1 not verified, 1 passed.", "failed"),
        ({"ml": IN_PART}, "ml: Training works on the verified nodes.", "passed"),
        ({"a": trained(), "b": IN_PART}, "2 clusters: 2 passed (1 in part).", "passed"),
        ({}, "No cluster was verified.", "not_run"),
    ],
)
def test_the_headline_describes_the_verdicts(clusters: dict[str, Cluster], line: str, mark: str) -> None:
    document = report(clusters)
    assert (headline(document), standing(document)) == (line, mark)


@pytest.mark.parametrize("verdict", ["good", "skipped", ""])
def test_no_other_verdict_is_a_success(verdict: str) -> None:
    document: dict[str, t.Any] = report({"ml": trained()})
    document["clusters"]["ml"]["verdict"] = verdict
    assert (headline(document), standing(document)) == ("ml: Training was not verified.", "not_run")


def test_a_partially_read_inventory_is_no_success() -> None:
    document = report({"ml": trained()}, not_read=["us-east-1"])
    assert headline(document) == "ml: Training works. Part of the inventory could not be read." and standing(document) == "not_run"


def test_each_cluster_has_its_verdict_and_its_skipped_checks() -> None:
    found = read(verdicts(report({"a": trained(), "b": unshared(), "c": NO_NODE})).markup)
    assert [each.text for each in found.named("li")] == [
        "\u2713 Training works: a",
        "\u2717 Training does not work as required (skipped: survive, recover): b",
        "? Training was not verified: c No node.",
    ]
    assert [each.attributes["href"] for each in found.named("a")] == ["#c0", "#c1", "#c2"]
