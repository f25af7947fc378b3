# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""cluster_operation_info against the simulated API."""

from __future__ import annotations

from modules.fixtures.small_cluster import QUICK
from simulated.shape import reads


def test_operations_are_sorted_by_time_with_their_subject(small_cluster):
    arn = small_cluster.arn
    for count in (3, 1):
        wanted = [{"name": "a", "instance_count": count}]
        assert small_cluster.run("cluster", name="small", instance_groups=wanted, **QUICK)["changed"]
    newest, oldest = reads(small_cluster, "cluster_operation_info", cluster_arn=arn, details=True)["operations"]
    assert [each["operation"]["scaling_details"][0]["desired"]["target_count"] for each in (newest, oldest)] == [1, 3]
    assert newest["status"] == "Done" and newest["creation_time"] > oldest["creation_time"]
    assert small_cluster.calls() == ["ListClusterOperations", *["DescribeClusterOperation"] * 2]
    (only,) = reads(small_cluster, "cluster_operation_info", cluster_arn=arn, limit=1)["operations"]
    assert only["operation_id"] == newest["operation_id"]
    for chosen in ({"status": "InProgress"}, {"type": "DeepHealthCheck"}, {"creation_time_before": oldest["creation_time"][:10]}):
        assert reads(small_cluster, "cluster_operation_info", cluster_arn=arn, **chosen)["operations"] == [], chosen
