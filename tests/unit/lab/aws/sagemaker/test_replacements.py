# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Listings and counts of a group while nodes are replaced, as described in AWS's field notes."""

from __future__ import annotations

import time
import typing as t


def state(account: t.Any, cluster: str) -> tuple[list[str], int, int]:
    """Statuses of the login nodes, and the current and target count of their group."""
    nodes = account.sagemaker.list_cluster_nodes(ClusterName=cluster, InstanceGroupNameContains="login")["ClusterNodeSummaries"]
    groups = account.sagemaker.describe_cluster(ClusterName=cluster)["InstanceGroups"]
    (group,) = [each for each in groups if each["InstanceGroupName"] == "login-group"]
    return sorted(each["InstanceStatus"]["Status"] for each in nodes), group["CurrentCount"], group["TargetCount"]


def until(account: t.Any, cluster: str, expected: tuple[list[str], int, int]) -> None:
    deadline = time.monotonic() + 60
    while (found := state(account, cluster)) != expected:
        assert time.monotonic() < deadline, found
        time.sleep(0.02)


def test_the_count_includes_a_node_that_is_not_listed_any_more(account: t.Any) -> None:
    account.cluster("lagging")
    removed = account.control.nodes("lagging", "login-group")[0]["instance_id"]
    two = ["Running"] * 2
    with account.held("count_lag_seconds"):
        account.sagemaker.batch_delete_cluster_nodes(ClusterName="lagging", NodeIds=[removed])
        until(account, "lagging", (two, 3, 2))
    until(account, "lagging", (two, 2, 2))


def test_a_failed_replacement_is_retried_and_unlisted_between_attempts(account: t.Any) -> None:
    account.cluster("tried")
    account.control.settings(failed_replacements=1, count_lag_seconds=0)
    old = account.control.nodes("tried", "login-group")[0]["instance_id"]
    two = ["Running"] * 2
    with account.held():
        account.sagemaker.batch_replace_cluster_nodes(ClusterName="tried", NodeIds=[old])
        for attempt in ("Pending", "Failure"), ("Pending",):
            account.step()
            until(account, "tried", (two, 2, 3))
            for status in attempt:
                account.step()
                until(account, "tried", ([status, *two], 2 + (status == "Failure"), 3))
    until(account, "tried", ([*two, "Running"], 3, 3))
