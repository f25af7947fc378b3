# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where ranks ran."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.page.placement import OPEN, placement, ranges
from simulated.read_html import read
from simulated.training_report import NODES, job


def test_each_pod_has_a_row_with_its_ranks_and_node() -> None:
    found = read(placement([("train", job()), ("resume", job("resume", 40, 80, pods=[]))]).markup)
    assert [each.text for each in found.named("summary")] == ["train: 16 ranks in 2 Pods"]
    assert [[cell.text for cell in row.named("th", "td")] for row in found.named("tr")] == [
        ["Ranks", "Node", "Pod", "Sent over EFA"],
        ["0 to 7", NODES[0], "training-train-worker-0", "57 GiB"],
        ["8 to 15", NODES[1], "training-train-worker-1", "58 GiB"],
    ]
    assert "open" in found.named("details")[0].attributes


@pytest.mark.parametrize(
    ("layers", "summary", "cells"),
    [
        ([["n1", "n2", "n3"], ["n1", "n2", "n4"]], "train: 2 ranks in 2 Pods, below n2 of network layer 2", ["n1 / n2 / n3", "n1 / n2 / n4"]),
        ([["n1"], ["n9"]], "train: 2 ranks in 2 Pods, below different network nodes of layer 1", ["n1", "n9"]),
        ([["n1", "n2"], []], "train: 2 ranks in 2 Pods", ["n1 / n2", "not reported"]),
        ([[], []], "train: 2 ranks in 2 Pods", []),
    ],
)
def test_the_network_nodes_are_shown(layers: list[list[str]], summary: str, cells: list[str]) -> None:
    pods = [{"rank": rank, "pod": f"p-{rank}", "node": f"n-{rank}", "host": "", "layers": each} for rank, each in enumerate(layers)]
    found = read(placement([("train", job(pods=pods, efa_traffic=[]))]).markup)
    assert found.named("summary")[0].text == summary
    rows = [[cell.text for cell in row.named("th", "td")][3:] for row in found.named("tr")]
    assert rows == ([["Network nodes, from layer 1"], *([each] for each in cells)] if cells else [[], [], []])


def test_many_pods_are_collapsed() -> None:
    pods = [{"rank": rank, "pod": f"p-{rank}", "node": f"n-{rank}", "host": ""} for rank in range(OPEN + 1)]
    found = read(placement([("train", job(pods=pods))]).markup)
    assert "open" not in found.named("details")[0].attributes and len(found.named("tr")) == OPEN + 2


def test_a_pod_may_have_no_known_node() -> None:
    found = read(placement([("train", job(pods=[{"rank": 0, "pod": "p", "node": "", "host": ""}]))]).markup)
    assert found.named("code")[0].text == "not reported" and found.named("summary")[0].text == "train: 1 rank in 1 Pod"


@pytest.mark.parametrize("jobs", [[], [("train", {"losses": []})]])
def test_without_reports_of_ranks_no_placement_is_shown(jobs: t.Any) -> None:
    assert read(placement(jobs).markup).text == "PlacementNo rank reported where it ran."


@pytest.mark.parametrize(
    ("numbers", "shown"), [([], ""), ([3], "3"), ([1, 0], "0 to 1"), ([0, 2, 3, 4, 9], "0, 2 to 4, 9"), ([1, 1], "1, 1")]
)
def test_ranks_are_shown_as_ranges(numbers: list[int], shown: str) -> None:
    assert ranges(numbers) == shown


def test_a_pod_without_counters_shows_that_its_traffic_is_not_known() -> None:
    silent = {"pod": "training-train-worker-1", "counters": "unchanged", "sent_bytes": 0}
    found = read(placement([("train", job(efa_traffic=[silent]))]).markup)
    assert [[cell.text for cell in row.named("td")][-1] for row in found.named("tr") if row.named("td")] == ["not known", "0 bytes"]
