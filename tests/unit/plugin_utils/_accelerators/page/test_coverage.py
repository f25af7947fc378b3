# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Unchecked nodes are listed with their reasons; a cell of the verdicts links to its nodes."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.page.coverage import coverage, verdicts
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.page.fleet import Fleet
from simulated.accelerator_report import iid, report, shared
from simulated.read_html import read


def test_nodes_with_one_reason_are_grouped() -> None:
    found = read(coverage(Fleet(report(64))).markup)
    reasons = {each.named("summary")[0].text: [link.text for link in each.named("a")] for each in found.named("details")}
    assert reasons == {
        "ssh: no answer within 30 seconds — 2 nodes": [iid(12), iid(44)],
        "dcgmi health: the tool did not answer within 20 seconds — 1 node": [iid(18)],
    }
    assert found.number("not_looked_at") == 2


def test_unread_clusters_are_listed() -> None:
    found = read(coverage(Fleet(shared(report(64)))).markup)
    (rows,) = found.having("data-list")
    assert [each.text for each in rows.named("li")] == [
        "inventory: Profile batch of us-east-1 could not be read: the token has expired.",
        "archive: AccessDenied: sagemaker:DescribeCluster",
    ]


def test_each_cluster_has_its_verdicts() -> None:
    found = read(verdicts(Fleet(shared(report(64)))).markup)
    rows = {each.named("th")[0].text: [cell.text for cell in each.named("td")] for each in found.named("tr")[1:]}
    assert rows == {
        "archive": ["could not be read"],
        "production": ["0", "0", "0", "0", "15", "1"],
        "research": ["1", "1", "3", "3", "40", "0"],
        "all": ["1", "1", "3", "3", "55", "1"],
    }


def test_a_number_links_to_its_nodes() -> None:
    links = read(verdicts(Fleet(report(64))).markup).named("a")
    assert {(each.attributes["data-verdict"], each.attributes["data-cluster"]): each.text for each in links} | {("none", ""): "1"} == {
        ("fit", "0"): "15",
        ("none", "0"): "1",
        ("unfit-replace", "1"): "1",
        ("unfit-reboot", "1"): "1",
        ("unknown", "1"): "3",
        ("watch", "1"): "3",
        ("fit", "1"): "40",
        ("unfit-replace", ""): "1",
        ("unfit-reboot", ""): "1",
        ("unknown", ""): "3",
        ("watch", ""): "3",
        ("fit", ""): "55",
        ("none", ""): "1",
    }
