# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Listing and counts of a group while nodes end and come, as AWS's field notes describe them."""

from __future__ import annotations

import time
import typing as t


def look(account: t.Any, cluster: str) -> tuple[list[str], int, int]:
    """Statuses of the login nodes, and then the counts of their group: current and target."""
    nodes = account.sagemaker.list_cluster_nodes(ClusterName=cluster, InstanceGroupNameContains="login")["ClusterNodeSummaries"]
    groups = account.sagemaker.describe_cluster(ClusterName=cluster)["InstanceGroups"]
    (group,) = [each for each in groups if each["InstanceGroupName"] == "login-group"]
    return sorted(each["InstanceStatus"]["Status"] for each in nodes), group["CurrentCount"], group["TargetCount"]


def looks(account: t.Any, cluster: str, last: tuple[list[str], int, int]) -> list[tuple[list[str], int, int]]:
    """Each look that differs from the one before, up to ``last``."""
    seen = [look(account, cluster)]
    deadline = time.monotonic() + 20
    while seen[-1] != last:
        assert time.monotonic() < deadline, seen
        now = look(account, cluster)
        seen += [now] if now != seen[-1] else []
    return seen


def test_a_count_has_a_node_that_is_listed_no_more(account: t.Any) -> None:
    account.cluster("lagging")
    account.control.settings(count_lag_seconds=3)
    gone = account.control.nodes("lagging", "login-group")[0]["instance_id"]
    account.sagemaker.batch_delete_cluster_nodes(ClusterName="lagging", NodeIds=[gone])
    two = ["Running"] * 2
    assert (two, 3, 2) in looks(account, "lagging", (two, 2, 2))


def test_a_replacement_that_fails_is_tried_again_and_is_in_no_list_between(account: t.Any) -> None:
    account.cluster("tried")
    account.control.settings(failed_replacements=1, count_lag_seconds=2, transition_seconds=0.5)
    old = account.control.nodes("tried", "login-group")[0]["instance_id"]
    account.sagemaker.batch_replace_cluster_nodes(ClusterName="tried", NodeIds=[old])
    three = ["Running"] * 3
    seen = [statuses for statuses, _current, _target in looks(account, "tried", (three, 3, 3))]
    two = three[1:]
    failed = seen.index(["Failure", *two])
    assert two in seen[:failed] and two in seen[failed:] and ["Pending", *two] in seen
