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


def states(account: t.Any, cluster: str, last: tuple[list[str], int, int]) -> list[tuple[list[str], int, int]]:
    """All different consecutive states up to ``last``."""
    seen = [state(account, cluster)]
    deadline = time.monotonic() + 20
    while seen[-1] != last:
        assert time.monotonic() < deadline, seen
        now = state(account, cluster)
        seen += [now] if now != seen[-1] else []
    return seen


def test_the_count_includes_a_node_that_is_not_listed_any_more(account: t.Any) -> None:
    account.cluster("lagging")
    account.control.settings(count_lag_seconds=3)
    removed = account.control.nodes("lagging", "login-group")[0]["instance_id"]
    account.sagemaker.batch_delete_cluster_nodes(ClusterName="lagging", NodeIds=[removed])
    two = ["Running"] * 2
    assert (two, 3, 2) in states(account, "lagging", (two, 2, 2))


def test_a_failed_replacement_is_retried_and_unlisted_between_attempts(account: t.Any) -> None:
    account.cluster("tried")
    account.control.settings(failed_replacements=1, count_lag_seconds=2, transition_seconds=0.5)
    old = account.control.nodes("tried", "login-group")[0]["instance_id"]
    account.sagemaker.batch_replace_cluster_nodes(ClusterName="tried", NodeIds=[old])
    three = ["Running"] * 3
    seen = [statuses for statuses, _current, _target in states(account, "tried", (three, 3, 3))]
    two = three[1:]
    failed = seen.index(["Failure", *two])
    assert two in seen[:failed] and two in seen[failed:] and ["Pending", *two] in seen
