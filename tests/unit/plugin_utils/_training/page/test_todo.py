# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Next actions."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.checks import Check
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.page.todo import todo
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.report import NOT_REACHED, Cluster
from simulated.read_html import read
from simulated.training_report import NOT_SHARED, checks, cluster, job, report, slower, trained

BAD = Check("nodes", "failed", "Bad.")


def shown(document: dict[str, t.Any]) -> list[str]:
    """Heading and text of each row."""
    found = read(todo(document).markup)
    return [f"{each.named('div')[0].text} | {each.named('p')[0].text}" for each in found.named("li")]


def test_problems_of_failed_clusters_come_first_and_a_drop_last() -> None:
    assert shown(slower()) == [
        "research \u00b7 health \u00b7 health-unknown | The health of i-0f9e is unknown: no Pod started.",
        f"research \u00b7 storage, train \u00b7 storage-not-shared | {NOT_SHARED}",
        "production \u00b7 train \u00b7 training-slower | Training is 23 % slower than on 2026-11-25 02:30 UTC. Compare the versions, "
        "the network and the health of the nodes.",
    ]


def test_without_problems_no_action_is_shown() -> None:
    assert "Nothing." in read(todo(report({"ml": trained()})).markup).text


@pytest.mark.parametrize(
    ("given", "rows"),
    [
        (cluster(why="No node."), ["ml | No node."]),
        (cluster(job(), before=checks()[:2]), [f"ml \u00b7 nccl | {NOT_REACHED}", f"ml \u00b7 resume | {NOT_REACHED}"]),
        (cluster(before=(BAD, *checks()[1:]), resumes=False), ["ml \u00b7 nodes | Bad.", f"ml \u00b7 train | {NOT_REACHED}"]),
    ],
)
def test_a_cluster_that_did_not_pass_has_an_action(given: Cluster, rows: list[str]) -> None:
    assert shown(report({"ml": given})) == rows


def test_inventory_failures_are_shown() -> None:
    assert shown(report({"ml": trained()}, not_read=["us-east-1: denied"])) == ["inventory | us-east-1: denied"]
